"""What a flow acts through."""

from __future__ import annotations

import json as _json
from collections.abc import Iterable
from typing import Any, TypedDict, TypeVar, Unpack, overload
from urllib.parse import quote

from . import _actions, _cases, shape
from .config import decoder
from .exchange import Exchange, Fields, Request, Wait, nanoseconds, pairs, text
from .metric import Check, Counter, Mark, Observation
from .reply import Sending
from .rng import Rng
from .socket import OpeningSocket, Socket
from .stream import OpeningStream, Stream
from .values import DUE, Arrival, Level, ServerSentEvent, Since, SincePrevious
from .verdict import Failed

T = TypeVar("T")

_PREVIOUS = SincePrevious()
_WHOLE = _cases.ReadWhole(16 << 20)
_COUNT = _cases.ReadCount()
_EVENTS = _cases.ReadEvents()
_LINES = _cases.ReadLines()
_CHUNKS = _cases.ReadChunks()
_HEAD = _cases.ReadHead()
_U32 = 1 << 32
_U64 = 1 << 64


class Blob:
    """A body registered once and sent many times without being copied again."""

    __slots__ = ("_body",)

    def __init__(self, number: int) -> None:
        self._body = _cases.BodyBlob(number)

    @classmethod
    def register(cls, body: bytes) -> Blob:
        """Keeps these bytes. Only in `configure`; at most 64 MiB in all."""
        return cls(_actions.register_blob(bytes(body)))


class Options(TypedDict, total=False):
    """What a request may be given beside method and path."""

    name: str
    """Names the series this request belongs to; method and path without its query where not said. Give it where paths
    carry ids."""
    fields: Fields
    """Request fields. They leave as written, in this order: a dict, or a list of pairs where names repeat."""
    body: bytes | str
    """Sends these bytes."""
    json: Any
    """Sends this value as JSON, with `content-type: application/json` unless `fields` have a content type."""
    form: Iterable[tuple[str, str]]
    """Sends these pairs as `application/x-www-form-urlencoded`."""
    blob: Blob
    """Sends a registered body."""
    wanted_fields: list[str]
    """Has only these response fields handed over (names in lower case). Cheaper than all of them."""
    follow_redirects: int
    """Follows at most so many redirects, 0 to 20; the workload's setting where not said."""
    timeout: float
    """Seconds the whole exchange may take; the workload's limit where not said."""
    authority: str
    """Goes to another host, as `host` or `host:port`, that the scenario allows."""
    extensions: Fields
    """Settings this SDK has no word for. One that the engine does not know is the failure `protocol`."""


class Whole(Options, total=False):
    """What a request may be given whose answer comes whole."""

    max_body: int
    """The most bytes the answer's body may have, after decompression, 1 to 64 MiB; 16 MiB where not said. A larger one
    is the failure `body_too_large`."""
    count_body: bool
    """Has the body counted and not handed over: the cheapest way to see a status."""


class Context:
    """An iteration's access to the engine; of no use in another one."""

    __slots__ = ("_given_up", "_open", "arrival")

    def __init__(self, arrival: Arrival) -> None:
        self.arrival = arrival
        """The arrival this iteration belongs to."""
        # Exchanges by their number, timers by the complement of theirs, while something may come for them.
        self._open: dict[int, Any] = {}
        # What was given up during the event at hand.
        self._given_up: list[int] = []

    @overload
    def row(self) -> Any: ...
    @overload
    def row(self, kind: type[T]) -> T: ...
    def row(self, kind: Any = Any) -> Any:
        """The arrival's row of the workload's data file: a dict, or a value of this shape.

        Raises: `Failed` where there is no row or it is of another shape; the log says which.
        """
        if self.arrival.row is None:
            raise Failed("no data row")
        try:
            return decoder(kind, False)(_json.loads(self.arrival.row), "row")
        except (ValueError, shape.ShapeError) as error:
            self.log(Level.DEBUG, f"unexpected data row: {error}")
            raise Failed("unexpected data row") from None

    def rng(self) -> Rng:
        """Randomness of this iteration: each call starts the same sequence again."""
        return Rng(self.arrival.seed)

    def request(self, method: str, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a request now; await the answer. `path` is path and query as sent, and begins with `/`."""
        return self._whole(text(method), path, options)

    def get(self, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a `GET`, as `request`."""
        return self._whole("GET", path, options)

    def post(self, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a `POST`, as `request`."""
        return self._whole("POST", path, options)

    def put(self, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a `PUT`, as `request`."""
        return self._whole("PUT", path, options)

    def patch(self, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a `PATCH`, as `request`."""
        return self._whole("PATCH", path, options)

    def delete(self, path: str, **options: Unpack[Whole]) -> Sending:
        """Sends a `DELETE`, as `request`."""
        return self._whole("DELETE", path, options)

    def events(self, method: str, path: str, **options: Unpack[Options]) -> OpeningStream[ServerSentEvent]:
        """Sends a request now and reads the answer as server-sent events."""
        return self._stream(ServerSentEvent, _EVENTS, method, path, options)

    def lines(self, method: str, path: str, **options: Unpack[Options]) -> OpeningStream[str]:
        """Sends a request now and reads the answer line by line; empty lines are left out."""
        return self._stream(str, _LINES, method, path, options)

    def chunks(self, method: str, path: str, **options: Unpack[Options]) -> OpeningStream[bytes]:
        """Sends a request now and reads the answer's bytes as they arrive."""
        return self._stream(bytes, _CHUNKS, method, path, options)

    def head(self, method: str, path: str, **options: Unpack[Options]) -> OpeningStream[None]:
        """Sends a request now and hands over status and fields when they have arrived; the body is counted."""
        return self._stream(type(None), _HEAD, method, path, options)

    def socket(
        self,
        path: str,
        *,
        name: str | None = None,
        fields: Fields = (),
        subprotocols: Iterable[str] = (),
        authority: str | None = None,
        timeout: float | None = None,
        extensions: Fields = (),
    ) -> OpeningSocket:
        """Begins the handshake of a WebSocket now; await it for the socket. Of the subprotocols the first is preferred."""
        request = Request()
        request.path_with_query = text(path)
        request.name = None if name is None else text(name)
        request.authority = None if authority is None else text(authority)
        request.fields = pairs(fields)
        request.subprotocols = list(map(text, subprotocols))
        request.extensions = pairs(extensions)
        request.timeout = None if timeout is None else nanoseconds(timeout)
        socket = Socket((str, bytes))
        self._lease(socket, _actions.open(request))
        return OpeningSocket(socket)

    def wait(self, seconds: float) -> Wait:
        """Waits so many seconds, counted from the event being handled. Await it.

        Raises: `ValueError` for less than nothing.
        """
        timer = _actions.wait(nanoseconds(seconds))
        wait = self._open[~timer] = Wait(timer, self._given_up)
        return wait

    def mark(self, mark: Mark, since: Since = DUE) -> None:
        """Records a time: the moment the bytes of the event being handled were read, measured from `since`: `DUE`, or
        `asked(reply.exchange)`."""
        _actions.mark(mark._id, since, 1)

    def lap(self, mark: Mark, weight: int = 1) -> None:
        """Records a time since the mark of the same metric before it in this iteration, as `weight` samples of an equal
        part each (tokens that came in one chunk), 0 to 2^32 - 1; 0 counts nothing. The first one only sets the start."""
        _actions.mark(mark._id, _PREVIOUS, _within(weight, _U32))

    def count(self, counter: Counter, n: int = 1) -> None:
        """Adds to a counter, 0 to 2^64 - 1."""
        _actions.count(counter._id, _within(n, _U64))

    def observe(self, observation: Observation, value: float) -> None:
        """Records a value, 0 to 2^53."""
        _actions.observe(observation._id, float(value))

    def check(self, check: Check, passed: bool) -> None:
        """Counts a check as passed or failed without deciding the iteration."""
        _actions.check(check._id, bool(passed))

    def share(self, object: dict[str, Any]) -> None:
        """In setup only: merges these keys into what every later `configure` is given. Each text in it is masked
        wherever text leaves the engine."""
        if not isinstance(object, dict):
            raise TypeError("what is shared must be a dict")
        _actions.share(_json.dumps(object))

    def log(self, level: Level, text: str) -> None:
        """A line for the plugin's author: shown by `engine try`, rate-limited in a run. At most 4 KiB, the rest is
        cut."""
        _actions.log(level, text.encode("utf-8", "replace").decode())

    def _whole(self, method: str, path: str, options: Whole) -> Sending:
        sending = Sending()
        sending.exchange = number = _actions.send(_request(_WHOLE, method, path, options))
        sending._given_up = self._given_up
        self._open[number] = sending
        return sending

    def _stream(self, kind: type[T], read: object, method: str, path: str, options: Options) -> OpeningStream[T]:
        stream: Stream[T] = Stream((kind,))
        self._lease(stream, _actions.send(_request(read, text(method), path, options)))
        return OpeningStream(stream)

    def _lease(self, exchange: Exchange, number: int) -> None:
        exchange.exchange = number
        exchange._given_up = self._given_up
        self._open[number] = exchange


def _request(read: object, method: str, path: str, options: Whole | Options) -> Request:
    """What the engine is handed. It could not say where a value of a wrong type came from: `encode` does."""
    request = Request()
    path.encode()
    request.method = method
    request.path_with_query = path
    request.read = read
    kind = None
    value: Any
    for key, value in options.items():
        if key == "fields":
            request.fields = pairs(value)
        elif key == "name":
            value.encode()
            request.name = value
        elif key == "body":
            request.body = _cases.BodyBytes(value if type(value) is bytes else _bytes(value))
        elif key == "blob":
            request.body = value._body
        elif key == "json":
            encoded = _json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
            request.body, kind = _cases.BodyBytes(encoded), "application/json"
        elif key == "form":
            pieces = [f"{percent_encode(name)}={percent_encode(entry)}" for name, entry in value]
            request.body, kind = _cases.BodyBytes("&".join(pieces).encode()), "application/x-www-form-urlencoded"
        elif key == "wanted_fields":
            request.wanted_fields = list(map(text, value))
        elif key == "count_body" and read is _WHOLE:
            request.read = _COUNT if value else request.read
        elif key == "max_body" and read is _WHOLE:
            request.read = _cases.ReadWhole(_within(value, _U32))
        elif key == "timeout":
            request.timeout = nanoseconds(value)
        elif key == "follow_redirects":
            request.follow_redirects = _within(value, _U32)
        elif key == "authority":
            request.authority = text(value)
        elif key == "extensions":
            request.extensions = pairs(value)
        else:
            raise TypeError(f"such a request has no option {key!r}")
    if kind is not None and all(name.lower() != "content-type" for name, _ in request.fields):
        request.fields = [*request.fields, ("content-type", kind)]
    return request


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(memoryview(value))


def percent_encode(text: str) -> str:
    """A text as one segment of a path, a value of a query or of a form: every byte encoded but letters, digits and
    `-._~`. A space is `%20`: the engine masks a secret in its percent-encoded form, too."""
    return quote(text, safe="")


def _within(value: int, end: int) -> int:
    """A number as the interface takes it. Raises `ValueError`: the engine could not say where it came from."""
    if not 0 <= value < end:
        raise ValueError(f"{value} is not from 0 to {end - 1}")
    return int(value)
