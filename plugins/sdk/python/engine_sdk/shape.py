"""JSON of a known shape: from a type to a decoder and to a JSON Schema.

Shapes are `str`, `int`, `float`, `bool`, `Any`, `list[...]`, `dict[str, ...]`, `Literal[...]`, `... | None` and data
classes of these. `Annotated[int, "What it is", Range(1, 10)]` adds words and bounds. A field of a data class whose name
is a word of Python ends in `_`: `from_` is the key `from`.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union

Decoder = Callable[[Any, str], Any]


class ShapeError(Exception):
    """A value of another shape: where, and what was expected there."""


@dataclasses.dataclass(frozen=True)
class Range:
    """Bounds of a number, both of them allowed."""

    least: float | None = None
    most: float | None = None


@dataclasses.dataclass(frozen=True)
class Length:
    """Bounds of the length of a text or of a list."""

    least: int = 0
    most: int | None = None


_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false", type(None): "null"}
_SCHEMAS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def _called(value: Any) -> str:
    kinds = {bool: "a boolean", dict: "an object", list: "an array", float: "a fraction"}
    return kinds.get(type(value)) or _NAMES.get(type(value), type(value).__name__)


def decoder(shape: Any, strict: bool) -> Decoder:
    """Makes a decoder of this shape, once. `strict` refuses keys that a data class does not have; else they are left
    out. What it is given as the second argument is how errors call the value.

    Raises: `TypeError` where the type is no shape. The decoder raises `ShapeError`.
    """
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if shape is Any or shape is object:
        return lambda value, _: value
    if shape in _NAMES:
        return _plain(shape)
    if origin is Annotated:
        return _bounded(decoder(arguments[0], strict), arguments[1:])
    if origin is list:
        return _list(decoder(arguments[0], strict))
    if origin is dict and arguments[0] is str:
        return _dict(decoder(arguments[1], strict))
    if origin is Literal:
        return _literal(arguments)
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        if len(others) == 1 and len(arguments) == 2:
            return _optional(decoder(others[0], strict))
    if dataclasses.is_dataclass(shape) and isinstance(shape, type):
        return _object(shape, strict)
    raise TypeError(f"{shape!r} is no shape of JSON that the SDK knows")


def _plain(shape: type) -> Decoder:
    expected = _NAMES[shape]

    def plain(value: Any, path: str) -> Any:
        if type(value) is shape:
            return value
        if shape is float and type(value) is int:
            return float(value)
        raise ShapeError(f"{path}: expected {expected}, got {_called(value)}")

    return plain


def _bounded(inner: Decoder, notes: tuple[Any, ...]) -> Decoder:
    bounds = [note for note in notes if isinstance(note, Range | Length)]

    def bounded(value: Any, path: str) -> Any:
        decoded = inner(value, path)
        for bound in bounds if decoded is not None else ():
            size, what = (decoded, "") if isinstance(bound, Range) else (len(decoded), " long")
            if bound.least is not None and size < bound.least:
                raise ShapeError(f"{path}: must be at least {bound.least}{what}")
            if bound.most is not None and size > bound.most:
                raise ShapeError(f"{path}: must be at most {bound.most}{what}")
        return decoded

    return bounded if bounds else inner


def _list(inner: Decoder) -> Decoder:
    def items(value: Any, path: str) -> Any:
        if type(value) is not list:
            raise ShapeError(f"{path}: expected an array, got {_called(value)}")
        return [inner(item, f"{path}[{at}]") for at, item in enumerate(value)]

    return items


def _dict(inner: Decoder) -> Decoder:
    def entries(value: Any, path: str) -> Any:
        if type(value) is not dict:
            raise ShapeError(f"{path}: expected an object, got {_called(value)}")
        return {key: inner(item, f"{path}.{key}") for key, item in value.items()}

    return entries


def _literal(allowed: tuple[Any, ...]) -> Decoder:
    words = ", ".join(repr(word) for word in allowed)

    def literal(value: Any, path: str) -> Any:
        # `True == 1`: the type counts, too.
        if any(value == word and type(value) is type(word) for word in allowed):
            return value
        raise ShapeError(f"{path}: expected one of {words}")

    return literal


def _optional(inner: Decoder) -> Decoder:
    return lambda value, path: None if value is None else inner(value, path)


def _object(shape: type, strict: bool) -> Decoder:
    fields = {}
    for key, name, kind, needed in _fields(shape):
        try:
            fields[key] = (name, decoder(kind, strict), needed)
        except TypeError as error:
            raise TypeError(f"{shape.__name__}.{name}: {error}") from None
    known = ", ".join(f"`{key}`" for key in fields) or "none at all"

    def build(value: Any, path: str) -> Any:
        if type(value) is not dict:
            raise ShapeError(f"{path}: expected an object, got {_called(value)}")
        arguments: dict[str, Any] = {}
        for key, (name, decode, needed) in fields.items():
            if key in value:
                arguments[name] = decode(value[key], f"{path}.{key}")
            elif needed:
                raise ShapeError(f"{path}.{key}: missing field")
        if strict:
            for key in value:
                if key not in fields:
                    raise ShapeError(f"{path}.{key}: unknown field, expected one of {known}")
        return shape(**arguments)

    return build


def _fields(shape: type) -> list[tuple[str, str, Any, bool]]:
    """Key, name, type and whether it must be there, of each field of a data class."""
    hints = typing.get_type_hints(shape, include_extras=True)
    missing = dataclasses.MISSING
    return [
        (field.name.removesuffix("_"), field.name, hints[field.name], field.default is missing is field.default_factory)
        for field in dataclasses.fields(shape)
        if field.init
    ]


def schema(shape: Any) -> dict[str, Any]:
    """The JSON Schema (draft 07, which editors know) of a shape."""
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_schema(shape)}


def _schema(shape: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if shape in _SCHEMAS:
        return {"type": _SCHEMAS[shape]}
    if origin is Annotated:
        return _annotated(_schema(arguments[0]), arguments[1:])
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1])}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        inner = _schema(next(argument for argument in arguments if argument is not type(None)))
        if isinstance(inner.get("type"), str):
            return {**inner, "type": [inner["type"], "null"]}
        return {"anyOf": [inner, {"type": "null"}]}
    if dataclasses.is_dataclass(shape) and isinstance(shape, type):
        return _described(shape)
    return {}


def _annotated(found: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    array = "items" in found
    for note in notes:
        if isinstance(note, str):
            found["description"] = note
        elif isinstance(note, Range):
            bounds = {"minimum": note.least, "maximum": note.most}
            found |= {key: bound for key, bound in bounds.items() if bound is not None}
        elif isinstance(note, Length):
            names = ("minItems", "maxItems") if array else ("minLength", "maxLength")
            found |= {key: bound for key, bound in zip(names, (note.least, note.most), strict=True) if bound}
    return found


def _described(shape: type) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    fields = {field.name: field for field in dataclasses.fields(shape)}
    for key, name, kind, needed in _fields(shape):
        properties[key] = _schema(kind)
        field = fields[name]
        if needed:
            required.append(key)
        elif field.default_factory is not dataclasses.MISSING:
            properties[key]["default"] = field.default_factory()
        elif field.default is not None:
            properties[key]["default"] = field.default
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    # The doc comment that `dataclass` makes itself is the signature.
    if shape.__doc__ and not shape.__doc__.startswith(f"{shape.__name__}("):
        found["description"] = " ".join(shape.__doc__.split())
    if required:
        found["required"] = required
    return found
