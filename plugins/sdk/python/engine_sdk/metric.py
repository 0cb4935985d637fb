"""A plugin's own figures: declared once, used by handles of their kind."""

from __future__ import annotations

from collections.abc import Iterable

from .values import MetricKind


class Metric:
    """What all kinds of metrics have. Declare a `Mark`, `Counter`, `Observation` or `Check`, and list it in `metrics` of
    the workload."""

    kind: MetricKind

    def __init__(self, name: str, summary: str, unit: str = "") -> None:
        """`name`: lower-case letters, digits and `_`, at most 64 bytes; thresholds name it. `summary`: one line for
        reports. `unit`: for people; marks are always times and have none."""
        self.name = name
        self.summary = summary
        self.unit = unit

    def __getattr__(self, name: str) -> int:
        # Only where there is no such attribute: `_id` before a workload lists the metric.
        if name == "_id":
            raise LookupError(f"metric {self.name!r} is not in `metrics` of the workload")
        raise AttributeError(name)


class Mark(Metric):
    """A time: `ctx.mark(FIRST_TOKEN)`."""

    kind = MetricKind.MARK

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(name, summary)


class Counter(Metric):
    """A sum: `ctx.count(TOKENS, 3)`."""

    kind = MetricKind.COUNTER


class Observation(Metric):
    """A distribution of values: `ctx.observe(RESULTS, 3.0)`."""

    kind = MetricKind.OBSERVATION


class Check(Metric):
    """Passed and failed: `ctx.check(SORTED, True)`."""

    kind = MetricKind.CHECK

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(name, summary)


def number(metrics: Iterable[Metric]) -> None:
    """Gives each metric its position. One that two workloads list must be at the same place in both."""
    for position, metric in enumerate(metrics):
        if metric.__dict__.setdefault("_id", position) != position:
            raise TypeError(f"metric {metric.name!r} is at two places of `metrics`")
