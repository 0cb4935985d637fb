"""Write workloads for the load engine in Python.

A plugin is a class; the flow of an iteration is an ordinary coroutine:

    from engine_sdk import Context, NoConfig, Workload

    class Agents(Workload[NoConfig]):
        name = "agents"
        summary = "Reads the list of agents"

        async def iterate(self, ctx: Context) -> None:
            reply = await ctx.get("/agents", fields={"accept": "application/json"})
            reply.expect_status(200)

`python -m engine_sdk.build` makes a component of it, `engine_sdk.testing` runs it without an engine.

How it runs: one coroutine per iteration, resumed when the engine delivers an event of that iteration and at no other
time. It waits for exchanges and timers of its own iteration only; there is no event loop, no clock and no thread, and
awaitables of `asyncio` do not work here. A request leaves when `ctx.get` and its kin are called, not when it is awaited:
begin several, then await them, and they are open together.
"""

from .config import NoConfig, Refused, Shared
from .context import Blob, Context, percent_encode
from .exchange import Wait
from .join import First, Second, join, join_all, race
from .metric import Check, Counter, Mark, Metric, Observation
from .reply import Reply, Sending, read_json
from .rng import Rng
from .shape import Length, Range
from .socket import OpeningSocket, Socket
from .stream import OpeningStream, Stream
from .values import DUE, Arrival, CloseInfo, Level, MetricKind, ServerSentEvent, Since, asked
from .verdict import Cancelled, ExchangeFailed, Failed, FailedBy, Stop, ensure
from .workload import Workload

__all__ = [
    "DUE",
    "Arrival",
    "Blob",
    "Cancelled",
    "Check",
    "CloseInfo",
    "Context",
    "Counter",
    "ExchangeFailed",
    "Failed",
    "FailedBy",
    "First",
    "Length",
    "Level",
    "Mark",
    "Metric",
    "MetricKind",
    "NoConfig",
    "Observation",
    "OpeningSocket",
    "OpeningStream",
    "Range",
    "Refused",
    "Reply",
    "Rng",
    "Second",
    "Sending",
    "ServerSentEvent",
    "Shared",
    "Since",
    "Socket",
    "Stop",
    "Stream",
    "Wait",
    "Workload",
    "asked",
    "ensure",
    "join",
    "join_all",
    "percent_encode",
    "race",
    "read_json",
]
