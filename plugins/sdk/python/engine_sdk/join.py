"""Several flows at once, within one iteration."""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from .exchange import event

A = TypeVar("A")
B = TypeVar("B")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class First(Generic[A]):
    """The first of a `race` was ready first."""

    value: A


@dataclass(frozen=True, slots=True)
class Second(Generic[B]):
    """The second of a `race` was ready first."""

    value: B


class _Running(Generic[A]):
    """An awaitable on its way."""

    __slots__ = ("_awaitable", "_steps", "ready", "value")

    value: A

    def __init__(self, awaitable: Awaitable[A]) -> None:
        self._awaitable = awaitable
        self._steps: Generator[Any, None, A] = awaitable.__await__()
        self.ready = False

    def advance(self) -> bool:
        """Goes on as far as it can now. True where it has its value. Raises what it raises."""
        if not self.ready:
            try:
                self._steps.send(None)
            except StopIteration as stop:
                self.value = stop.value
                self.ready = True
        return self.ready

    def give_up(self) -> None:
        """Cancels what it waits for. One that was never begun has no frame to be told in: hence its own `cancel`."""
        if not self.ready:
            cancel = getattr(self._awaitable, "cancel", None)
            if cancel is not None:
                cancel()
            self._steps.close()


@overload
async def join(a: Awaitable[A], b: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def join(a: Awaitable[A], b: Awaitable[B], c: Awaitable[D], /) -> tuple[A, B, D]: ...
@overload
async def join(*awaitables: Awaitable[A]) -> tuple[A, ...]: ...
async def join(*awaitables: Awaitable[Any]) -> tuple[Any, ...]:
    """Waits for all; their values in the order given. Where one raises, the others are given up and it is raised."""
    return tuple(await join_all(awaitables))


async def join_all(awaitables: Iterable[Awaitable[A]]) -> list[A]:
    """Waits for all of them, as `join`; for as many as there are. Each event looks at every one that is not ready."""
    running = [_Running(awaitable) for awaitable in awaitables]
    try:
        while not all([each.advance() for each in running]):
            await event()
    except BaseException:
        for each in running:
            each.give_up()
        raise
    return [each.value for each in running]


async def race(a: Awaitable[A], b: Awaitable[B]) -> First[A] | Second[B]:
    """Waits for whichever is ready first, the first one where both are, and gives the other up: its exchange is
    cancelled, its timer cleared. `race(reply, ctx.wait(limit))` is a time limit of the plan's own."""
    first, second = _Running(a), _Running(b)
    try:
        while True:
            if first.advance():
                return First(first.value)
            if second.advance():
                return Second(second.value)
            await event()
    finally:
        first.give_up()
        second.give_up()
