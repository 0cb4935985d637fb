"""Words that a plugin and the engine share. Each is what the item of the same name in `wit/workload.wit` says."""

from __future__ import annotations

from enum import Enum


class Level(Enum):
    """How loud a log line is."""

    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3


class MetricKind(Enum):
    """What kind of figure a metric is."""

    MARK = 0
    COUNTER = 1
    OBSERVATION = 2
    CHECK = 3


class Arrival:
    """One scheduled start. In setup and teardown all numbers are 0, the client is 1, the phase is empty."""

    __slots__ = ("client", "index", "phase", "row", "seed", "sequence", "wall_time")

    def __init__(
        self, sequence: int, index: int, seed: int, client: int, wall_time: int, phase: str, row: str | None
    ) -> None:
        self.sequence = sequence
        """Position in the whole run's schedule, from 0."""
        self.index = index
        """Position within its own workload, from 0: "every fifth" is `index % 5`."""
        self.seed = seed
        """Seeds all randomness of the iteration: see `Context.rng`."""
        self.client = client
        """The numbered identity it belongs to, from 1."""
        self.wall_time = wall_time
        """Nanoseconds since the Unix epoch: start of the run plus due time. The same again when a run is replayed."""
        self.phase = phase
        """Name of the phase in which it is due."""
        self.row = row
        """One row of the workload's data file, the text of a JSON object; see `Context.row`."""


class ServerSentEvent:
    """One event of a `text/event-stream`."""

    __slots__ = ("data", "event", "id")

    def __init__(self, event: str, data: str, id: str) -> None:
        self.event = event
        """Its type; `message` where the stream names none."""
        self.data = data
        """Its data lines, joined by LF."""
        self.id = id
        """The last event id seen; empty where there was none."""

    def __repr__(self) -> str:
        return f"ServerSentEvent({self.event!r}, {self.data!r}, {self.id!r})"


class CloseInfo:
    """How a WebSocket was closed."""

    __slots__ = ("code", "reason")

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        """1000 to 1015 or 3000 to 4999; 1005 where the peer gave none."""
        self.reason = reason
        """The peer's or the plugin's text."""

    def __repr__(self) -> str:
        return f"CloseInfo({self.code}, {self.reason!r})"


class Since:
    """From where a mark is measured: `DUE` or `asked(exchange)`."""

    __slots__ = ()


class SinceDue(Since):
    __slots__ = ()


class SincePrevious(Since):
    __slots__ = ()


class asked(Since):
    """From the moment that exchange was asked for: `ctx.mark(ANSWERED, asked(reply.exchange))`."""

    __slots__ = ("value",)

    def __init__(self, exchange: int) -> None:
        self.value = exchange


DUE: Since = SinceDue()
"""From the moment the arrival was due."""
