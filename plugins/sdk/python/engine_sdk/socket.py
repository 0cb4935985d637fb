"""A WebSocket: its handshake, its messages, its close."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING

from . import _actions, _cases
from .exchange import find, not_awaited
from .stream import Pieces
from .values import CloseInfo
from .verdict import ExchangeFailed


class Socket(Pieces[str | bytes]):
    """An open WebSocket; a message is a `str` or `bytes`. Given up before it was closed (`cancel`, or left by
    `async with`), it is cancelled, which is no failure."""

    subprotocol: str
    """The subprotocol the peer chose; empty where it chose none."""
    fields: list[tuple[str, str]]
    """The fields of the handshake's answer in order; names in lower case."""
    _open = False

    def field(self, name: str) -> str | None:
        """The first field of this name in the handshake's answer, in any capitalisation."""
        return find(self.fields, name)

    def send_text(self, text: str) -> None:
        """Sends a text message."""
        if not isinstance(text, str):
            raise TypeError(f"send_text takes a str, not {type(text).__name__}")
        _actions.write(self.exchange, _cases.message(text))

    def send_binary(self, message: bytes) -> None:
        """Sends a binary message."""
        _actions.write(self.exchange, _cases.message(bytes(message)))

    async def close(self, code: int = 1000, reason: str = "") -> CloseInfo | None:
        """Starts the close handshake and waits for its end; messages that still come are dropped.

        Raises: `ExchangeFailed`, where the peer does not answer the handshake.
        """
        _actions.close(self.exchange, CloseInfo(code, reason))
        while await self.next_batch() is not None:
            pass
        return self.close_info

    @property
    def close_info(self) -> CloseInfo | None:
        """Code and reason of the close, once `next` has given `None`."""
        return self._end.value if isinstance(self._end, _cases.EndClosed) else None


class OpeningSocket:
    """A WebSocket whose handshake has not ended yet. Await it for the socket, or use it in `async with`."""

    if not TYPE_CHECKING:  # which finds what is missing by itself
        __getattr__ = not_awaited

    def __init__(self, socket: Socket) -> None:
        self._socket = socket

    @property
    def exchange(self) -> int:
        """The number of the exchange, for marks."""
        return self._socket.exchange

    def cancel(self) -> None:
        """Gives it up, as `Socket.cancel`."""
        self._socket.cancel()

    def __await__(self) -> Generator[None, None, Socket]:
        """Raises: `ExchangeFailed`; a refused upgrade is one."""
        socket = self._socket
        while not socket._open:
            if socket._failure is not None:
                raise ExchangeFailed(socket.exchange, socket._failure)
            try:
                yield
            except GeneratorExit:
                socket.cancel()
                raise
        return socket

    async def __aenter__(self) -> Socket:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.cancel()
