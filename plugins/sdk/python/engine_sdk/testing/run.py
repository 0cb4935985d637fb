"""What came of a scripted iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..metric import Metric
from ..values import CloseInfo, Level, Since, SinceDue, asked
from .._recorder import Action, Sent


@dataclass
class Marked:
    """A recorded mark."""

    name: str
    """The metric's name."""
    since: str | int
    """`due`, `previous`, or the number of the exchange from whose asking it is measured."""
    weight: int
    """As how many samples it counts."""
    at: float
    """When the event being handled arrived, in seconds from the iteration's start."""


@dataclass
class Run:
    """One iteration as it went."""

    outcome: str
    """`ok`, `cancelled` or `failed`."""
    reason: str | None
    """The reason of the failure as a report counts it: `check: <text>`, `http_<status>`, `timeout_total` ...,
    `plugin_stalled` where the flow waits for something that cannot come. `None` where it did not fail."""
    took: float
    """From its start to its end, in seconds of virtual time."""
    requests: list[Sent]
    """Every request and WebSocket in the order asked: the position is its exchange."""
    _actions: list[tuple[int, Action]]
    _metrics: Sequence[Metric]

    @property
    def request_lines(self) -> list[str]:
        """Method and path of every request in order, such as `GET /agents`."""
        return [f"{sent.method} {sent.path}" for sent in self.requests]

    @property
    def marks(self) -> list[Marked]:
        """Every mark in order."""
        return [
            Marked(self._metrics[action.of].name, _since(action.value), action.weight, at / 1e9)
            for at, action in self._actions
            if action.what == "mark"
        ]

    def counted(self, name: str) -> int:
        """The sum of a counter."""
        return sum(self._of("count", name))

    def observed(self, name: str) -> list[float]:
        """The values of an observation in order."""
        return self._of("observe", name)

    def checked(self, name: str) -> list[bool]:
        """The outcomes of a check in order."""
        return self._of("check", name)

    @property
    def logs(self) -> list[tuple[Level, str]]:
        """The log's lines in order."""
        return self._values("log")

    @property
    def shared(self) -> dict[str, Any]:
        """What setup has shared, merged: give it to `Script.shared`."""
        merged: dict[str, Any] = {}
        for each in self._values("share"):
            merged |= each
        return merged

    def written(self, exchange: int) -> list[str | bytes]:
        """The messages written to a WebSocket in order."""
        return self._values("write", exchange)

    def closed(self, exchange: int) -> CloseInfo | None:
        """The close the plugin started on a WebSocket."""
        return next(iter(self._values("close", exchange)), None)

    @property
    def cancelled(self) -> list[int]:
        """The exchanges the plugin gave up while it went on."""
        return [action.of for _, action in self._actions if action.what == "cancel"]

    def _values(self, what: str, of: int | None = None) -> list[Any]:
        return [a.value for _, a in self._actions if a.what == what and (of is None or a.of == of)]

    def _of(self, what: str, name: str) -> list[Any]:
        named = [at for at, metric in enumerate(self._metrics) if metric.name == name]
        if not named:
            raise LookupError(f"the workload has no metric {name!r}")
        return self._values(what, named[0])


def _since(since: Since) -> str | int:
    if isinstance(since, asked):
        return since.value
    return "due" if isinstance(since, SinceDue) else "previous"
