"""The exports of a component. Only in a component: `engine_sdk.build` writes the two modules that the component tool looks
for, and each of them takes its classes from here."""

from __future__ import annotations

import builtins
import gc
import importlib
import io
import json
import os
import random
import sys
import time
import weakref
from typing import Any

from componentize_py_types import Err  # type: ignore[import-not-found]
from wit_world.imports import types  # type: ignore[import-not-found]

from . import _actions, _cases, values, workload
from .config import Refused
from .flow import Iteration
from .reply import Reply
from .trace import line
from .values import Level
from .workload import Workload as Author


def install() -> None:
    """Puts this SDK's classes in the place of the component tool's. It makes and reads values by the classes that it finds
    in its module when the plugin has been imported, so that an answer is a `Reply` at once and an item of a stream the
    text or the bytes themselves; what is handed to the engine may be any object with the right attributes."""

    def itself(value: Any) -> Any:
        return value

    classes: dict[str, Any] = {
        "Arrival": values.Arrival,
        "Response": Reply,
        "ServerSentEvent": values.ServerSentEvent,
        "CloseInfo": values.CloseInfo,
        "Failure": _cases.Failure,
        "Item_Event": itself,
        "Item_Message": itself,
        "Item_Line": str,
        "Item_Chunk": bytes,
        "Since_Due": values.SinceDue,
        "Since_Asked": values.asked,
        "Since_Previous": values.SincePrevious,
    }
    for prefix in ("Read", "Body", "Verdict", "End", "Message"):
        for name, case in vars(_cases).items():
            if name.startswith(prefix):
                kind = "ReadMode" if prefix == "Read" else prefix
                classes[f"{kind}_{name.removeprefix(prefix)}"] = case
    for name, kind in classes.items():
        # A name that is not there would be a slip of ours, or another version of the tool.
        getattr(types, name)
        setattr(types, name, kind)
    # The tool ties a finalizer to each iteration, for guests that drop a handle themselves. The engine holds these handles
    # and drops them: the finalizer would only cost a tenth of an iteration.
    weakref.finalize = lambda *_: None  # type: ignore[assignment, misc]


class Exports:
    """The exported functions that belong to no resource."""

    description: Any

    def describe(self) -> Any:
        return self.description


class Plan:
    """A configured workload: what the engine holds a handle to."""

    author: type[Author[Any]]

    def __init__(self, configured: Author[Any]) -> None:
        self._workload = configured

    @classmethod
    def configure(cls, config: str, shared: str | None) -> Plan:
        sys.stdout = sys.stderr = Printed()
        try:
            return cls(workload.build(cls.author, config, shared))
        except Refused as refused:
            raise Err(str(refused)) from None
        except BaseException as error:
            _actions.log(Level.ERROR, line(error))
            raise

    def setup(self) -> Iteration | None:
        return self._once("setup")

    def teardown(self) -> Iteration | None:
        return self._once("teardown")

    def _once(self, name: str) -> Iteration | None:
        if getattr(self.author, name) is getattr(Author, name):
            return None
        return Iteration(getattr(self._workload, name))

    def start(self, arrival: values.Arrival) -> Iteration:
        return Iteration(self._workload.iterate, arrival)


class Printed(io.TextIOBase):
    """What the author prints, as log lines: a plugin has no output of its own."""

    def __init__(self) -> None:
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for each in lines:
            _actions.log(Level.DEBUG, each.encode("utf-8", "replace").decode())
        return len(text)


def load(module: str, version: str) -> None:
    """Imports the author's module and makes its workload the component's. Runs when the component is made; everything it
    leaves in memory is there in each instance."""
    kind = find(importlib.import_module(module), module)
    for word in ("name", "summary"):
        if not isinstance(getattr(kind, word, None), str):
            raise TypeError(f"{kind.__name__} needs a {word}: {word} = \"...\"")
    kind.version = kind.version or version
    metrics = [types.Metric(each.name, each.kind, each.unit, each.summary) for each in kind.metrics]
    schema = json.dumps(workload.config_schema(kind))
    Exports.description = types.Description(kind.name, kind.version, kind.summary, metrics, schema)
    Plan.author = kind
    try:
        workload.build(kind, "null", None)  # makes the decoder
    except Refused:
        pass
    without_surroundings()
    install()
    gc.collect()
    gc.freeze()


def find(module: Any, name: str) -> type[Author[Any]]:
    """The one workload of a module. Raises `TypeError`, which ends the build with its text."""
    found = {
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Author) and kind.__module__.partition(".")[0] == name
    }
    if len(found) != 1:
        names = ", ".join(sorted(kind.__name__ for kind in found)) or "none"
        raise TypeError(f"module {name!r} must have one class of `Workload`, but has {names}")
    return found.pop()


def without_surroundings() -> None:
    """A call for a clock, for chance or for a file would end in a bare trap: those that can be replaced get a text."""

    def refuse(what: str) -> Any:
        def refused(*_: Any, **__: Any) -> Any:
            raise RuntimeError(f"a plugin has no {what}")

        return refused

    clock = refuse("clock: use `ctx.wait` and `ctx.arrival.wall_time`")
    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep"):
        setattr(time, name, clock)
    os.urandom = refuse("randomness of its own: use `ctx.rng()`")
    builtins.open = io.open = refuse("files: what it needs must be in its configuration or in its modules")
    random.seed(0)
