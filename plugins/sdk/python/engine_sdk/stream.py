"""Answers that come in pieces."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .exchange import Exchange, accepts, event, find, not_awaited
from .verdict import ExchangeFailed, Failed, FailedBy

T = TypeVar("T")


class Pieces(Exchange, Generic[T]):
    """What comes piece by piece: the items of a stream, the messages of a socket."""

    _kinds: tuple[type, ...]
    _end: object = None

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._kinds = kinds
        self._items: list[Any] = []

    async def next(self) -> T | None:
        """The next piece; `None` when all have come.

        Raises: `ExchangeFailed`, after the pieces that came before it.
        """
        while not self._items:
            if self._at_end():
                return None
            await event()
        item: T = self._items.pop(0)
        return item

    async def next_batch(self) -> list[T] | None:
        """All pieces at hand, at least one: those of one read share its time. `None` when all have come.

        Raises: `ExchangeFailed`, after the pieces that came before it.
        """
        while not self._items:
            if self._at_end():
                return None
            await event()
        items = self._items
        self._items = []
        return items

    def _at_end(self) -> bool:
        if self._failure is not None:
            raise ExchangeFailed(self.exchange, self._failure)
        return self._ended

    def _take(self, items: list[Any]) -> None:
        """Takes the pieces of one read; they are all of one kind."""
        if type(items[0]) in self._kinds:
            if self._items:
                self._items += items
            else:
                self._items = items

    def __aiter__(self) -> Pieces[T]:
        return self

    async def __anext__(self) -> T:
        item = await self.next()
        if item is None:
            raise StopAsyncIteration
        return item

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()


class Stream(Pieces[T]):
    """An answer that comes in pieces. Given up before its end (`cancel`, or left by `async with`), the exchange is
    cancelled, which is no failure."""

    status = 0
    """The status, 100 to 999."""
    fields: list[tuple[str, str]]
    """The wanted response fields in order; names in lower case."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        super().__init__(kinds)
        self._bytes: list[bytes] = []

    def field(self, name: str) -> str | None:
        """The first response field of this name, in any capitalisation."""
        return find(self.fields, name)

    def expect_status(self, expected: int | Iterable[int]) -> Stream[T]:
        """Ends the iteration unless the status is an expected one, as `Reply.expect_status`.

        Raises: `FailedBy` this exchange.
        """
        if not accepts(expected, self.status):
            raise FailedBy(self.exchange)
        return self

    async def finish(self) -> None:
        """Reads to the end, whatever still comes. Given up (the loser of a `race`), it cancels the exchange.

        Raises: `ExchangeFailed`.
        """
        try:
            while not self._at_end():
                self._items.clear()
                await event()
        except GeneratorExit:
            self.cancel()
            raise

    async def into_bytes(self, most: int) -> bytes:
        """Reads to the end and gives the bytes that came in the place of items, at most so many: the whole body of an
        answer in JSON to a request for events, which is no stream of them.

        Raises: `ExchangeFailed`; `Failed` with `answer too large`.
        """
        body: list[bytes] = []
        while True:
            ended = self._at_end()
            body += self._bytes
            body += [item for item in self._items if type(item) is bytes]
            self._bytes, self._items = [], []
            if sum(map(len, body)) > most:
                raise Failed("answer too large")
            if ended:
                return b"".join(body)
            await event()

    def _take(self, items: list[Any]) -> None:
        if type(items[0]) is bytes and bytes not in self._kinds:
            self._bytes += items
        else:
            super()._take(items)


class OpeningStream(Generic[T]):
    """A request whose status and fields have not arrived yet. Await it for the stream, or use it in `async with`."""

    if not TYPE_CHECKING:  # which finds what is missing by itself
        __getattr__ = not_awaited

    def __init__(self, stream: Stream[T]) -> None:
        self._stream = stream

    @property
    def exchange(self) -> int:
        """The number of the exchange, for marks."""
        return self._stream.exchange

    def cancel(self) -> None:
        """Gives it up, as `Stream.cancel`."""
        self._stream.cancel()

    def __await__(self) -> Generator[None, None, Stream[T]]:
        """Raises: `ExchangeFailed`."""
        stream = self._stream
        while not stream.status:
            if stream._failure is not None:
                raise ExchangeFailed(stream.exchange, stream._failure)
            try:
                yield
            except GeneratorExit:
                stream.cancel()
                raise
        return stream

    async def __aenter__(self) -> Stream[T]:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.cancel()
