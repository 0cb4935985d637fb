"""The cases of the interface's variants that a plugin's author never sees."""

from __future__ import annotations

from typing import Any


class Case:
    """A case that carries nothing."""

    __slots__ = ()


class Carrying:
    """A case that carries a value."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class ReadHead(Case): ...


class ReadWhole(Carrying): ...


class ReadEvents(Case): ...


class ReadLines(Case): ...


class ReadChunks(Case): ...


class ReadCount(Case): ...


class BodyEmpty(Case): ...


class BodyBytes(Carrying):
    __slots__ = ()  # made for each request: without a dict


class BodyBlob(Carrying): ...


class VerdictOk(Case): ...


class VerdictCancelled(Case): ...


class VerdictFailed(Carrying): ...


class VerdictFailedBy(Carrying): ...


class EndComplete(Case): ...


class EndClosed(Carrying): ...


class EndCancelled(Case): ...


class MessageText(Carrying):
    """A text message to write. One that comes is made into the text itself."""

    def __new__(cls, value: Any) -> Any:
        return value


class MessageBinary(Carrying):
    """A binary message to write. One that comes is made into the bytes themselves."""

    def __new__(cls, value: Any) -> Any:
        return value


def message(value: str | bytes) -> Carrying:
    """What is handed over to write this."""
    made: Carrying = object.__new__(MessageText if isinstance(value, str) else MessageBinary)
    made.value = value
    return made


class Failure:
    """Why an exchange failed, as the engine says it."""

    __slots__ = ("detail", "reason")

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
