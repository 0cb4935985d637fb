"""What a plugin is configured with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from . import shape

T = TypeVar("T")


@dataclass
class NoConfig:
    """The configuration of a plugin that has none."""


class Refused(Exception):
    """Raised in `configure`: the text is shown to whoever wrote the scenario, so say what to change."""


class Shared:
    """What setup flows have shared: the keys of one JSON object. Empty where there was no setup."""

    __slots__ = ("object",)

    def __init__(self, object: dict[str, Any]) -> None:
        self.object = object
        """Everything."""

    def get(self, key: str) -> Any:
        """The value of this key; `None` where there is none."""
        return self.object.get(key)

    def text(self, key: str) -> str | None:
        """The value of this key, where it is a string."""
        value = self.object.get(key)
        return value if isinstance(value, str) else None

    def read(self, kind: type[T]) -> T:
        """Everything as a value of this shape; keys it does not have are left out.

        Raises: `Refused`, with the key and what was expected there.
        """
        return read("shared", self.object, kind, strict=False)


_decoders: dict[tuple[Any, bool], shape.Decoder] = {}


def decoder(kind: Any, strict: bool) -> shape.Decoder:
    """The decoder of a type, made once."""
    key = (kind, strict)
    if key not in _decoders:
        _decoders[key] = shape.decoder(kind, strict)
    return _decoders[key]


def read(whole: str, value: Any, kind: type[T], *, strict: bool) -> T:
    """A value of this shape; `whole` is what a refusal calls all of it.

    Raises: `Refused`.
    """
    try:
        decoded: T = decoder(kind, strict)(value, whole)
    except shape.ShapeError as error:
        raise Refused(str(error)) from None
    return decoded


def parse(whole: str, text: str) -> Any:
    """The value of this JSON.

    Raises: `Refused`, where it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{whole}: {error}") from None
