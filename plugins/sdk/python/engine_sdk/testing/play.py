"""Plays a script: delivers what is scripted in virtual time and books what the plugin does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import _cases
from ..config import Refused
from ..flow import Iteration
from ..reply import Reply
from ..values import ServerSentEvent
from ..workload import Workload, build
from .._recorder import Action, Recording, Sent
from .run import Run

if TYPE_CHECKING:
    from .script import Script, Step

# What comes in which read mode.
_KINDS: dict[str, tuple[type, ...]] = {
    "events": (ServerSentEvent, bytes),
    "lines": (str,),
    "chunks": (bytes,),
    "head": (ServerSentEvent, str, bytes),
    "socket": (str, bytes),
}


def iterations(script: Script, kind: type[Workload[Any]], config: dict[str, Any], count: int) -> list[Run]:
    """Runs iterations one after the other on one plan."""
    with Recording() as recording:
        plan = _plan(script, kind, config)
        script = script.fresh()
        runs = []
        for k in range(count):
            recording.next_iteration()
            recording.take()
            iteration = Iteration(plan.iterate, script.arriving(k))
            runs.append(_Stage(script, recording, iteration).play(kind))
        return runs


def once(script: Script, kind: type[Workload[Any]], config: dict[str, Any], flow: str) -> Run:
    """Runs a setup or teardown flow."""
    with Recording() as recording:
        plan = _plan(script, kind, config)
        recording.take()
        return _Stage(script.fresh(), recording, Iteration(getattr(plan, flow))).play(kind)


def _plan(script: Script, kind: type[Workload[Any]], config: dict[str, Any]) -> Workload[Any]:
    try:
        return build(kind, json.dumps(config), script._shared)
    except Refused as refused:
        raise AssertionError(f"the workload refuses its configuration: {refused}") from None


class _Exchange:
    """An exchange as the scripted target sees it."""

    def __init__(self, read: str, steps: tuple[Step, ...], now: int) -> None:
        self.read = read
        self.steps = list(steps)
        self.written: list[str | bytes] = []
        self.due: int | None = None
        self.status: int | None = None
        self.reason: str | None = None
        self.ended = False
        self.schedule(now)

    def schedule(self, now: int) -> None:
        """The next step counts from now."""
        self.due = now + self.steps[0].after if self.steps else None


class _Stage:
    """One iteration being played."""

    def __init__(self, script: Script, recording: Recording, iteration: Iteration) -> None:
        self.script = script
        self.recording = recording
        self.iteration = iteration
        self.now = 0
        self.exchanges: list[_Exchange] = []
        self.timers: dict[int, int] = {}
        self.requests: list[Sent] = []
        self.actions: list[tuple[int, Action]] = []
        self.verdict: object = None

    def play(self, kind: type[Workload[Any]]) -> Run:
        self.apply()
        while self.verdict is None and (following := self.following()) is not None:
            self.now, _, which, is_timer = following
            if is_timer:
                del self.timers[which]
                self.iteration.on_timer(which)
            else:
                self.step(which)
            self.apply()
        outcome, reason = self.outcome()
        return Run(outcome, reason, self.now / 1e9, self.requests, self.actions, kind.metrics)

    def following(self) -> tuple[int, int, int, bool] | None:
        """The earliest thing due; of several at one moment the exchanges come first, in order."""
        steps = [
            (each.due, 0, at, False)
            for at, each in enumerate(self.exchanges)
            if each.due is not None and each.steps and not each.ended
        ]
        timers = [(due, 1, timer, True) for timer, due in self.timers.items()]
        return min(steps + timers, default=None)

    def step(self, at: int) -> None:
        """Plays an exchange's next step."""
        exchange = self.exchanges[at]
        step = exchange.steps[0]
        if step.what == "expect":
            if not exchange.written:
                exchange.due = None
                return
            written = exchange.written.pop(0)
            assert step.value == written, f"the socket expected {step.value!r}, the plugin wrote {written!r}"
        del exchange.steps[0]
        exchange.schedule(self.now)
        getattr(self, f"_{step.what}")(at, exchange, step.value)

    def _expect(self, at: int, exchange: _Exchange, value: Any) -> None:
        pass

    def _reply(self, at: int, exchange: _Exchange, value: Any) -> None:
        status, fields, body = value
        assert exchange.read != "socket", "a WebSocket is scripted with `open` or `fail`, not with `reply`"
        exchange.status = status
        exchange.ended = True
        if exchange.read in ("whole", "count"):
            handed = body if exchange.read == "whole" else b""
            self.iteration.on_response(at, Reply(status, list(fields), handed, len(body)))
            return
        self.iteration.on_head(at, status, list(fields))
        self.apply()
        items = _cut(exchange.read, body, fields)
        if self.verdict is None and items:
            self.iteration.on_items(at, items)
            self.apply()
        if self.verdict is None:
            self.iteration.on_end(at, _cases.EndComplete())

    def _head(self, at: int, exchange: _Exchange, value: Any) -> None:
        assert exchange.read not in ("whole", "count", "socket"), (
            "the plugin wants this answer whole: script it with `reply`, not with `stream`"
        )
        exchange.status, fields = value
        self.iteration.on_head(at, value[0], list(fields))

    def _open(self, at: int, exchange: _Exchange, value: Any) -> None:
        assert exchange.read == "socket", "a request is scripted with `reply` or `stream`, not with `open`"
        self.iteration.on_open(at, value[0], list(value[1]))

    def _items(self, at: int, exchange: _Exchange, items: list[Any]) -> None:
        fit = all(isinstance(item, _KINDS[exchange.read]) for item in items)
        assert fit, f"these items do not come when reading as {exchange.read}: {items!r}"
        if exchange.read != "head":
            self.iteration.on_items(at, list(items))

    def _end(self, at: int, exchange: _Exchange, value: Any) -> None:
        exchange.ended = True
        self.iteration.on_end(at, _cases.EndComplete())

    def _closed(self, at: int, exchange: _Exchange, value: Any) -> None:
        exchange.ended = True
        self.iteration.on_end(at, _cases.EndClosed(value))

    def _fail(self, at: int, exchange: _Exchange, value: Any) -> None:
        exchange.ended = True
        exchange.reason = value.reason
        self.iteration.on_failure(at, value)

    def apply(self) -> None:
        """Books what the last call asked for."""
        from .script import Step

        for action in self.recording.take():
            assert self.verdict is None, f"{action.what} after the iteration has finished"
            if action.what == "send":
                steps = self.script.answer(action.value)
                self.exchanges.append(_Exchange(action.value.read, steps, self.now))
                self.requests.append(action.value)
            elif action.what == "write":
                exchange = self.exchanges[action.of]
                exchange.written.append(action.value)
                if exchange.due is None:
                    exchange.due = self.now
            elif action.what == "close":
                exchange = self.exchanges[action.of]
                exchange.steps = [Step(0, "closed", action.value)]
                exchange.due = self.now
            elif action.what == "cancel":
                self.exchanges[action.of].ended = True
            elif action.what == "wait":
                self.timers[action.of] = self.now + action.value
            elif action.what == "clear":
                self.timers.pop(action.of, None)
            elif action.what == "finish":
                self.verdict = action.value
            self.actions.append((self.now, action))

    def outcome(self) -> tuple[str, str | None]:
        """The outcome and the reason, in the words of a report."""
        verdict = self.verdict
        if isinstance(verdict, _cases.VerdictOk):
            return "ok", None
        if isinstance(verdict, _cases.VerdictCancelled):
            return "cancelled", None
        if isinstance(verdict, _cases.VerdictFailed):
            return "failed", f"check: {verdict.value}"
        if isinstance(verdict, _cases.VerdictFailedBy):
            exchange = self.exchanges[verdict.value]
            answered = f"http_{exchange.status}" if exchange.status else "plugin_misuse"
            return "failed", exchange.reason or answered
        return "failed", "plugin_stalled"


def _cut(read: str, body: bytes, fields: list[tuple[str, str]]) -> list[Any]:
    """A whole body as a stream's items, where the script wrote it in one piece."""
    kind = next((value for name, value in fields if name == "content-type"), "").partition(";")[0].strip().lower()
    if read == "lines":
        return [line for line in body.decode("utf-8", "replace").splitlines() if line]
    # As the engine does it: an answer in JSON is no stream of events.
    json_instead = read == "events" and (kind == "application/json" or kind.endswith("+json"))
    return [body] if body and (read == "chunks" or json_instead) else []
