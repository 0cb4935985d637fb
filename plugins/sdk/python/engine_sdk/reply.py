"""Requests on their way, and whole answers."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _actions, shape
from .config import decoder
from .exchange import Exchange, accepts, find, not_awaited
from .values import Level
from .verdict import ExchangeFailed, Failed, FailedBy

T = TypeVar("T")


class Reply:
    """A whole answer."""

    __slots__ = ("body", "exchange", "fields", "size", "status")

    exchange: int
    """The number of the exchange, for marks and verdicts."""

    def __init__(self, status: int, fields: list[tuple[str, str]], body: bytes, size: int) -> None:
        self.status = status
        """100 to 999."""
        self.fields = fields
        """All wanted response fields in order; names in lower case."""
        self.body = body
        """The body after decompression; empty where it was only counted."""
        self.size = size
        """Bytes of the body as they came off the wire."""

    def field(self, name: str) -> str | None:
        """The first response field of this name, in any capitalisation."""
        return find(self.fields, name)

    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 become U+FFFD."""
        return self.body.decode("utf-8", "replace")

    @overload
    def json(self) -> Any: ...
    @overload
    def json(self, kind: type[T]) -> T: ...
    def json(self, kind: Any = Any) -> Any:
        """The body as JSON: any, or a value of this shape (see `engine_sdk.shape`); keys it does not have are left out.

        Raises: `Failed` with `unexpected JSON`; the log says what is wrong with it.
        """
        return read_json(self.body, kind)

    def expect_status(self, expected: int | Iterable[int]) -> Reply:
        """Ends the iteration unless the status is an expected one: `200`, `range(200, 300)`, `(200, 404)`. The failure
        is the engine's `http_<status>`.

        Raises: `FailedBy` this exchange.
        """
        if self.status != expected and not accepts(expected, self.status):
            raise FailedBy(self.exchange)
        return self

    def failed(self) -> FailedBy:
        """To raise: the verdict that blames this exchange, with the engine's reason `http_<status>`."""
        return FailedBy(self.exchange)


def read_json(body: bytes | str, kind: Any) -> Any:
    """JSON of this shape. Raises `Failed`."""
    try:
        value = json.loads(body)
        return value if kind is Any else decoder(kind, False)(value, "body")
    except (ValueError, RecursionError, shape.ShapeError) as error:
        _actions.log(Level.DEBUG, f"unexpected JSON: {error}")
        raise Failed("unexpected JSON") from None


class Sending(Exchange):
    """A request on its way. Await it for the whole answer."""

    _reply: Reply | None = None

    if not TYPE_CHECKING:  # which finds what is missing by itself
        __getattr__ = not_awaited

    def __await__(self) -> Generator[None, None, Reply]:
        """Raises: `ExchangeFailed`."""
        while (reply := self._reply) is None:
            if self._failure is not None:
                raise ExchangeFailed(self.exchange, self._failure)
            try:
                yield
            except GeneratorExit:
                self.cancel()
                raise
        return reply
