"""The executor: one coroutine, resumed when an event of its iteration is delivered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from . import _actions
from ._cases import Failure
from .context import Context
from .exchange import settle
from .reply import Reply
from .trace import line
from .values import Arrival, Level
from .verdict import OK, Stop

_NO_ARRIVAL = Arrival(0, 0, 0, 1, 0, "", None)
# Of an iteration that has finished; never changed.
_NOTHING: dict[int, Any] = {}
_NONE: list[int] = []


class Iteration:
    """One running iteration: what the engine holds a handle to.

    Nothing that it holds refers back to it, so that all is freed at once when the engine drops it.
    """

    def __init__(self, flow: Callable[[Context], Coroutine[Any, Any, None]], arrival: Arrival = _NO_ARRIVAL) -> None:
        ctx = Context(arrival)
        self._open = ctx._open
        self._given_up = ctx._given_up
        # Gone when the iteration has finished.
        self._flow: Coroutine[Any, Any, None] | None = flow(ctx)
        self._advance()

    def _advance(self) -> None:
        """Goes on as far as it can now; finishes the iteration where it has come to its end."""
        if self._flow is None:
            return
        verdict: object
        try:
            if self._flow.send(None) is not None:
                # `asyncio` and its like would never be woken.
                raise TypeError("the flow awaits something that is not of engine_sdk")
        except StopIteration:
            verdict = OK
        except Stop as stop:
            verdict = stop._verdict()
        except BaseException as error:
            # The author's error: its call traps, and of what it has asked for only the log lines are kept.
            _actions.log(Level.ERROR, line(error))
            raise
        else:
            if self._given_up:
                settle(self._given_up)
            return
        # The component tool keeps this object for as long as the instance lives: nothing is left on it.
        self._flow = None
        self._open = _NOTHING
        self._given_up = _NONE
        _actions.finish(verdict)

    # What comes for an exchange or a timer that nobody knows any more is left alone.

    def on_response(self, exchange: int, response: Reply) -> None:
        sending = self._open.pop(exchange, None)
        if sending is not None:
            response.exchange = exchange
            sending._reply = response
            sending._ended = True
            self._advance()

    def on_head(self, exchange: int, status: int, fields: list[tuple[str, str]]) -> None:
        stream = self._open.get(exchange)
        if stream is not None:
            stream.status = status
            stream.fields = fields
            self._advance()

    def on_open(self, exchange: int, subprotocol: str, fields: list[tuple[str, str]]) -> None:
        socket = self._open.get(exchange)
        if socket is not None:
            socket._open = True
            socket.subprotocol = subprotocol
            socket.fields = fields
            self._advance()

    def on_items(self, exchange: int, items: list[Any]) -> None:
        pieces = self._open.get(exchange)
        if pieces is not None and items:
            pieces._take(items)
            self._advance()

    def on_end(self, exchange: int, end: object) -> None:
        pieces = self._open.pop(exchange, None)
        if pieces is not None:
            pieces._end = end
            pieces._ended = True
            self._advance()

    def on_failure(self, exchange: int, failure: Failure) -> None:
        failed = self._open.pop(exchange, None)
        if failed is not None:
            failed._failure = failure
            failed._ended = True
            self._advance()

    def on_timer(self, timer: int) -> None:
        wait = self._open.pop(~timer, None)
        if wait is not None:
            wait._fired = True
            self._advance()
