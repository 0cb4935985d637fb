"""What a plugin's author writes."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from . import config as _config
from . import shape
from .config import Shared
from .context import Context
from .metric import Metric, number

C = TypeVar("C")


class Workload(Generic[C]):
    """A workload: a class of its own, `class Plan(Workload[Config])` with a data class `Config`, one in each plugin.

    `setup` and `teardown` are left out where there is nothing to do.
    """

    name: ClassVar[str]
    """The name by which scenarios may call it: lower-case letters, digits and `_`, at most 64 bytes."""
    summary: ClassVar[str]
    """One line for people."""
    version: ClassVar[str] = ""
    """Its own version; that of `pyproject.toml` where not said."""
    metrics: ClassVar[Sequence[Metric]] = ()
    """The plugin's own figures, at most 64."""

    _config: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        number(cls.metrics)
        for name in ("iterate", "setup", "teardown"):
            if not inspect.iscoroutinefunction(getattr(cls, name)):
                raise TypeError(f"{cls.__name__}.{name} must be an `async def`")

    def configure(self, config: C, shared: Shared) -> None:
        """Called once in each instance of the plugin, before the first arrival. Keeps in `self` what need not be made
        for each arrival.

        Raises: `Refused`, with the text that is shown to whoever wrote the scenario.
        """

    async def iterate(self, ctx: Context) -> None:
        """One arrival. Ends as `ok` where it returns, as a `Stop` says where it raises one."""
        raise NotImplementedError(f"{type(self).__name__}.iterate")

    async def setup(self, ctx: Context) -> None:
        """Runs once before the load, in an instance of its own. Anything but `ok` refuses the run."""

    async def teardown(self, ctx: Context) -> None:
        """Runs once after the load."""


def config_of(kind: type[Workload[Any]]) -> Any:
    """The type of a workload's configuration. Raises `TypeError` where it names none."""
    for base in kind.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            if typing.get_origin(generic) is Workload:
                return typing.get_args(generic)[0]
    raise TypeError(f"write class {kind.__name__}(Workload[Config]), or Workload[NoConfig] where it has none")


def build(kind: type[Workload[Any]], config: str, shared: str | None) -> Workload[Any]:
    """A configured workload. Raises `Refused`."""
    value = _config.read("config", _config.parse("config", config), config_of(kind), strict=True)
    given = {} if shared is None else _config.parse("shared", shared)
    if not isinstance(given, dict):
        raise _config.Refused("shared: expected an object")
    workload = kind()
    workload.configure(value, Shared(given))
    return workload


def config_schema(kind: type[Workload[Any]]) -> dict[str, Any]:
    """The JSON Schema of a workload's configuration."""
    return shape.schema(config_of(kind))
