"""What the scripted target answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .._cases import Failure
from ..values import Arrival, CloseInfo, ServerSentEvent
from ..workload import Workload
from . import play
from .._recorder import Sent
from .run import Run

LATENCY = 0.001  # seconds an answer takes where nothing else is said


@dataclass(frozen=True)
class Step:
    """A step of an answer: so many nanoseconds after the one before it, something happens."""

    after: int
    what: str
    value: Any = None


@dataclass
class Answer:
    """One scripted answer."""

    method: str
    path: str
    uses: int | None = None
    steps: tuple[Step, ...] = ()

    def fits(self, sent: Sent) -> bool:
        """Whether it is for this request. A path without `?` fits any query."""
        path = sent.path if "?" in self.path else sent.path_only
        return self.method == sent.method and self.path == path and self.uses != 0


@dataclass
class Script:
    """A scripted target and the arrival that meets it. Answers are tried in the order written; the first whose method and
    path fit and that is not used up is taken. A request that none fits is an `AssertionError` that shows both."""

    answers: list[Answer] = field(default_factory=list)
    _arrival: dict[str, Any] = field(default_factory=dict)
    _shared: str | None = None

    def on(self, method: str, path: str) -> Answering:
        """Begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any
        query."""
        return Answering(self, Answer(method, path))

    def arrival(self, **changes: Any) -> Script:
        """Changes the arrival: `script.arrival(index=3)`. It is the first one of client 1, with seed 1 and in a phase
        `test`, where nothing is said."""
        self._arrival |= changes
        return self

    def shared(self, shared: dict[str, Any]) -> Script:
        """What setup has shared, given to `configure`."""
        self._shared = json.dumps(shared)
        return self

    def run(self, workload: type[Workload[Any]], config: dict[str, Any] | None = None) -> Run:
        """Runs one iteration with this configuration.

        Raises: `AssertionError` where the workload refuses it or asks for what is not scripted; what the author's code
        raises.
        """
        return self.run_many(workload, config, 1)[0]

    def run_many(self, workload: type[Workload[Any]], config: dict[str, Any] | None, iterations: int) -> list[Run]:
        """Runs so many iterations one after the other on one plan; index, sequence and seed count on."""
        return play.iterations(self, workload, config or {}, iterations)

    def setup(self, workload: type[Workload[Any]], config: dict[str, Any] | None = None) -> Run:
        """Runs the setup flow."""
        return play.once(self, workload, config or {}, "setup")

    def teardown(self, workload: type[Workload[Any]], config: dict[str, Any] | None = None) -> Run:
        """Runs the teardown flow."""
        return play.once(self, workload, config or {}, "teardown")

    def fresh(self) -> Script:
        """The same, with all its answers still to be used."""
        return replace(self, answers=[replace(answer) for answer in self.answers])

    def arriving(self, k: int) -> Arrival:
        """The arrival of iteration k."""
        said = {"sequence": 0, "index": 0, "seed": 1, "client": 1, "phase": "test", "row": None}
        said |= {"wall_time": 1_700_000_000_000_000_000} | self._arrival
        for name in ("sequence", "index", "seed"):
            said[name] += k  # type: ignore[operator]
        return Arrival(**said)  # type: ignore[arg-type]

    def answer(self, sent: Sent) -> tuple[Step, ...]:
        """Takes the answer to a request."""
        for answer in self.answers:
            if answer.fits(sent):
                if answer.uses is not None:
                    answer.uses -= 1
                return answer.steps
        lines = [f"\n  {a.method} {a.path}{' (used up)' if a.uses == 0 else ''}" for a in self.answers]
        scripted = "".join(lines) or "\n  nothing"
        raise AssertionError(
            f"unexpected request\n  {sent.method} {sent.path}\nscripted are, in this order:{scripted}"
        )


class Answering:
    """An answer being written. Nothing is scripted before `reply`, `fail` or the end of a stream or socket."""

    def __init__(self, script: Script, answer: Answer) -> None:
        self._script = script
        self._answer = answer
        self._after = round(LATENCY * 1e9)
        self._fields: list[tuple[str, str]] = []

    def once(self) -> Answering:
        """Used for one request only; the next one takes a later answer."""
        return self.times(1)

    def times(self, uses: int) -> Answering:
        """Used for so many requests."""
        self._answer.uses = uses
        return self

    def after(self, seconds: float) -> Answering:
        """Comes this long after the request; a millisecond where not said."""
        self._after = round(seconds * 1e9)
        return self

    def field(self, name: str, value: str) -> Answering:
        """Adds a response field. All are handed over, whichever the plugin asked for."""
        self._fields.append((name.lower(), value))
        return self

    def reply(self, status: int, body: bytes | str = b"") -> Script:
        """Answers with this status and body."""
        body = body.encode() if isinstance(body, str) else body
        return self._done("reply", (status, self._fields, body))

    def reply_json(self, status: int, value: Any) -> Script:
        """Answers with this status and JSON."""
        return self.field("content-type", "application/json").reply(status, json.dumps(value))

    def fail(self, reason: str) -> Script:
        """Fails with the engine's reason, such as `timeout_total` or `refused`."""
        return self._done("fail", Failure(reason, "scripted"))

    def stream(self, status: int) -> Pieces:
        """Answers with this status and a body in pieces."""
        self._step("head", (status, self._fields))
        return Pieces(self)

    def open(self, subprotocol: str = "") -> Pieces:
        """Opens the WebSocket, with this subprotocol."""
        self._step("open", (subprotocol, self._fields))
        return Pieces(self)

    def _step(self, what: str, value: Any = None) -> None:
        # A delay counts once: what follows comes at the same moment unless it says otherwise.
        self._answer.steps += (Step(self._after, what, value),)
        self._after = 0

    def _done(self, what: str | None = None, value: Any = None) -> Script:
        if what is not None:
            self._step(what, value)
        self._script.answers.append(self._answer)
        return self._script


class Pieces:
    """A body or a conversation being written. Each call is one read off the wire."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def pause(self, seconds: float) -> Pieces:
        """What follows comes this much later."""
        self._answering._after += round(seconds * 1e9)
        return self

    def events(self, data: Iterable[str]) -> Pieces:
        """Server-sent events of type `message`, all in one read."""
        return self._items([ServerSentEvent("message", each, "") for each in data])

    def event(self, event: str, data: str) -> Pieces:
        """One server-sent event of this type."""
        return self._items([ServerSentEvent(event, data, "")])

    def lines(self, lines: Iterable[str]) -> Pieces:
        """Lines, all in one read."""
        return self._items(list(lines))

    def chunk(self, body: bytes) -> Pieces:
        """Bytes."""
        return self._items([body])

    def messages(self, *messages: str | bytes) -> Pieces:
        """The peer of a WebSocket sends these messages, which come in one read."""
        return self._items(list(messages))

    def expect(self, message: str | bytes) -> Pieces:
        """Waits until the plugin has written this; another message is an `AssertionError` that shows both."""
        self._answering._step("expect", message)
        return self

    def end(self) -> Script:
        """The answer is complete."""
        return self._answering._done("end")

    def close(self, code: int = 1000, reason: str = "") -> Script:
        """The peer closes the WebSocket."""
        return self._answering._done("closed", CloseInfo(code, reason))

    def until_closed(self) -> Script:
        """The peer says nothing more and answers the plugin's close."""
        return self._answering._done()

    def fail(self, reason: str) -> Script:
        """The exchange fails here."""
        return self._answering._done("fail", Failure(reason, "scripted"))

    def _items(self, items: list[Any]) -> Pieces:
        self._answering._step("items", items)
        return self
