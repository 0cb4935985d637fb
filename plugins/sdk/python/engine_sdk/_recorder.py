"""Takes the actions of the plugin under test in the engine's place, as long as a script runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _cases
from .values import CloseInfo, Level, Since


@dataclass
class Sent:
    """A request as the plugin asked for it; a WebSocket's handshake too, with the method `WS`."""

    name: str | None
    method: str
    authority: str | None
    path: str
    fields: list[tuple[str, str]]
    body: bytes
    wanted_fields: list[str] | None
    follow_redirects: int | None
    subprotocols: list[str]
    extensions: list[tuple[str, str]]
    timeout: float | None
    """Seconds."""
    read: str
    """How the answer is to be handed over: `whole`, `count`, `head`, `events`, `lines`, `chunks` or `socket`."""
    max_body: int | None
    """The most bytes the answer's body may have; `None` where it is not handed over whole."""
    blob: bool
    """Whether the body is a registered one."""

    def field(self, name: str) -> str | None:
        """The first field of this name, in any capitalisation."""
        found = (value for known, value in self.fields if known.lower() == name.lower())
        return next(found, None)

    @property
    def path_only(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Action:
    """One action: its name in the interface, and what it was given."""

    what: str
    of: int = 0
    value: Any = None
    weight: int = 1


@dataclass
class Recording:
    """What was asked for since it was taken last. Use it in `with`."""

    actions: list[Action] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)
    exchanges: int = 0
    timers: int = 0

    def __enter__(self) -> Recording:
        _current.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.pop()

    def take(self) -> list[Action]:
        """The actions since the last call."""
        taken, self.actions = self.actions, []
        return taken

    def next_iteration(self) -> None:
        """Exchanges and timers count from 0 again."""
        self.exchanges = self.timers = 0


_current: list[Recording] = []


def _recording() -> Recording:
    if not _current:
        raise RuntimeError("an action outside of a script: natively, run the plugin with `engine_sdk.testing.Script`")
    return _current[-1]


def _record(what: str, of: int = 0, value: Any = None, weight: int = 1) -> None:
    _recording().actions.append(Action(what, of, value, weight))


def _ask(sent: Sent) -> int:
    recording = _recording()
    number = recording.exchanges
    recording.exchanges += 1
    recording.actions.append(Action("send", number, sent))
    return number


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9


def register_blob(body: bytes) -> int:
    blobs = _recording().blobs
    blobs.append(body)
    return len(blobs) - 1


def send(request: Any) -> int:
    body = request.body
    blob = isinstance(body, _cases.BodyBlob)
    read = type(request.read).__name__.removeprefix("Read").lower()
    return _ask(
        Sent(
            name=request.name,
            method=request.method,
            authority=request.authority,
            path=request.path_with_query,
            fields=list(request.fields),
            body=_recording().blobs[body.value] if blob else getattr(body, "value", b""),
            wanted_fields=request.wanted_fields,
            follow_redirects=request.follow_redirects,
            subprotocols=[],
            extensions=list(request.extensions),
            timeout=_seconds(request.timeout),
            read=read,
            max_body=request.read.value if read == "whole" else None,
            blob=blob,
        )
    )


def open(request: Any) -> int:
    return _ask(
        Sent(
            name=request.name,
            method="WS",
            authority=request.authority,
            path=request.path_with_query,
            fields=list(request.fields),
            body=b"",
            wanted_fields=None,
            follow_redirects=None,
            subprotocols=list(request.subprotocols),
            extensions=list(request.extensions),
            timeout=_seconds(request.timeout),
            read="socket",
            max_body=None,
            blob=False,
        )
    )


def write(exchange: int, message: Any) -> None:
    _record("write", exchange, message.value)


def close(exchange: int, info: CloseInfo) -> None:
    _record("close", exchange, info)


def cancel(exchange: int) -> None:
    _record("cancel", exchange)


def wait(nanoseconds: int) -> int:
    recording = _recording()
    timer = recording.timers
    recording.timers += 1
    recording.actions.append(Action("wait", timer, nanoseconds))
    return timer


def clear(timer: int) -> None:
    _record("clear", timer)


def mark(metric: int, since: Since, weight: int) -> None:
    _record("mark", metric, since, weight)


def count(metric: int, n: int) -> None:
    _record("count", metric, n)


def observe(metric: int, value: float) -> None:
    _record("observe", metric, value)


def check(metric: int, passed: bool) -> None:
    _record("check", metric, passed)


def share(text: str) -> None:
    _record("share", value=json.loads(text))


def log(level: Level, text: str) -> None:
    _record("log", value=(level, text))


def finish(verdict: object) -> None:
    _record("finish", value=verdict)
