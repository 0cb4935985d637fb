"""What requests, streams and sockets have in common: what they ask the engine for, and how they are waited for."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from itertools import chain
from types import coroutine
from typing import Any

from . import _actions, _cases
from ._cases import Failure

Fields = Mapping[str, str] | Iterable[tuple[str, str]]
"""Header fields, in order. In a list of pairs a name may repeat."""

_NONE: list[Any] = []  # handed over only, never changed
_EMPTY = _cases.BodyEmpty()
_LONGEST = (1 << 63) - 1


@coroutine
def event() -> Generator[None, None, None]:
    """Waits for the iteration's next event, whatever it is about: look again then."""
    yield


class Request:
    """What the engine reads of a request, by the names of the interface: what is not said stands here, what is said is set
    on the object. (The engine's side looks each of them up in the class first: hence one class, and all of them in it.)"""

    name: str | None = None
    authority: str | None = None
    method = ""
    path_with_query = ""
    fields: list[tuple[str, str]] = _NONE
    body: object = _EMPTY
    read: object = None
    wanted_fields: list[str] | None = None
    follow_redirects: int | None = None
    extensions: list[tuple[str, str]] = _NONE
    subprotocols: list[str] = _NONE
    timeout: int | None = None


class Exchange:
    """One exchange as far as it has come."""

    exchange: int
    """The number of the exchange, for marks and verdicts."""
    _given_up: list[int]
    _failure: Failure | None = None
    _ended = False

    def cancel(self) -> None:
        """Gives it up: nothing more comes of it, and that is no failure. Without effect on one that has ended."""
        if not self._ended:
            self._ended = True
            # Told to the engine after this event, where the iteration goes on. A finished one has its exchanges
            # cancelled anyway, and one that the engine drops must not act.
            self._given_up.append(self.exchange)


def not_awaited(waited: object, name: str) -> Any:
    """The attributes that only what comes of it has: an error that says what was forgotten."""
    raise AttributeError(f"{type(waited).__name__!r} object has no attribute {name!r}: did you forget await?")


def text(value: str) -> str:
    """This text. Raises `AttributeError` or `UnicodeError` where it is none: the engine could not say where it came from."""
    value.encode()
    return value


def pairs(fields: Fields) -> list[tuple[str, str]]:
    """Fields as the interface takes them. Raises `TypeError` or `UnicodeError` for what is no text, as `text`.

    Looking at each of them costs more than handing them over, and most are the same in every iteration: those that are
    as they were at the same place before were looked at then.
    """
    found: Any = list(fields.items()) if isinstance(fields, dict) else fields
    if _seen.get(id(fields)) != found:
        found = list(map(tuple, fields.items() if isinstance(fields, Mapping) else fields))
        "".join(chain.from_iterable(found)).encode()
        if len(_seen) >= _SEEN:
            _seen.clear()
        _seen[id(fields)] = list(found)
    return found  # type: ignore[no-any-return]


_seen: dict[int, list[tuple[str, str]]] = {}
_SEEN = 256  # places remembered


def nanoseconds(seconds: float) -> int:
    """As the interface has it. Raises `ValueError` for less than nothing, and for what is no number."""
    if not seconds >= 0:
        raise ValueError(f"{seconds} is no length of time")
    return round(seconds * 1e9) if seconds < 9e9 else _LONGEST


def find(fields: list[tuple[str, str]], name: str) -> str | None:
    """The first value of this name, in whatever capitalisation it is asked for."""
    for known, value in fields:
        if known == name:
            return value
    return None if name.islower() else find(fields, name.lower())


def accepts(expected: int | Iterable[int], status: int) -> bool:
    """Whether a status is an expected one: a number, a range or several numbers."""
    return status == expected if isinstance(expected, int) else status in expected


class Wait:
    """A timer: what `Context.wait` gives. Await it."""

    __slots__ = ("_fired", "_given_up", "_timer")

    def __init__(self, timer: int, given_up: list[int]) -> None:
        self._timer = timer
        self._given_up = given_up
        self._fired = False

    def __await__(self) -> Generator[None, None, None]:
        while not self._fired:
            try:
                yield
            except GeneratorExit:
                self.cancel()
                raise

    def cancel(self) -> None:
        """Takes it back. Without effect on one that has fired."""
        if not self._fired:
            self._fired = True
            self._given_up.append(~self._timer)


def settle(given_up: list[int]) -> None:
    """Tells the engine what was given up during this event. Timers are the negative ones."""
    for which in given_up:
        if which >= 0:
            _actions.cancel(which)
        else:
            _actions.clear(~which)
    given_up.clear()
