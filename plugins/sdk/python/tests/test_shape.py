"""Configurations and other JSON of a known shape."""

import unittest
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from engine_sdk import Context, Failed, Length, Range, Shared, Workload, read_json, shape
from engine_sdk._recorder import Recording
from engine_sdk.testing import config_schema, refusal


@dataclass
class Inner:
    from_: int


@dataclass
class Config:
    """All there is."""

    name: Annotated[str, "Its name.", Length(1, 5)]
    rate: float = 1.0
    count: Annotated[int, Range(1, 10)] = 2
    on: bool = False
    kind: Literal["a", "b"] = "a"
    inner: Inner | None = None
    many: list[int] = field(default_factory=list)
    map: dict[str, Any] = field(default_factory=dict)


class Shaped(Workload[Config]):
    name, summary = "shaped", "x"
    seen: Any = None

    def configure(self, config: Config, shared: Shared) -> None:
        type(self).seen = config

    async def iterate(self, ctx: Context) -> None:
        pass


class Shapes(unittest.TestCase):
    def test_what_fits_is_taken(self) -> None:
        given = {"name": "x", "rate": 3, "inner": {"from": 1}, "many": [1], "map": {"a": None}, "kind": "b"}
        self.assertIsNone(refusal(Shaped, given))
        self.assertEqual(Shaped.seen, Config("x", 3.0, inner=Inner(1), many=[1], map={"a": None}, kind="b"))

    def test_what_does_not_is_refused_by_its_key(self) -> None:
        refused: dict[str, dict[str, Any]] = {
            "config.name: missing field": {},
            "config.name: expected a string, got null": {"name": None},
            "config.name: must be at least 1 long": {"name": ""},
            "config.name: must be at most 5 long": {"name": "123456"},
            "config.count: must be at least 1": {"name": "x", "count": 0},
            "config.count: expected an integer, got a fraction": {"name": "x", "count": 1.5},
            "config.count: expected an integer, got a boolean": {"name": "x", "count": True},
            "config.on: expected true or false, got an integer": {"name": "x", "on": 1},
            "config.kind: expected one of 'a', 'b'": {"name": "x", "kind": "c"},
            "config.inner.from: missing field": {"name": "x", "inner": {}},
            "config.many[1]: expected an integer, got a string": {"name": "x", "many": [1, "2"]},
            "config.map: expected an object, got an array": {"name": "x", "map": []},
        }
        for text, config in refused.items():
            self.assertEqual(refusal(Shaped, config), text)
        unknown = refusal(Shaped, {"name": "x", "nmae": 1}) or ""
        self.assertTrue(unknown.startswith("config.nmae: unknown field, expected one of `name`, `rate`"), unknown)

    def test_a_type_that_is_no_shape_is_named_with_its_place(self) -> None:
        @dataclass
        class Within:
            when: complex = 0j

        @dataclass
        class Whole:
            within: list[Within] = field(default_factory=list)

        with self.assertRaises(TypeError) as raised:
            shape.decoder(Whole, True)
        told = "Whole.within: Within.when: <class 'complex'> is no shape of JSON that the SDK knows"
        self.assertEqual(str(raised.exception), told)

    def test_the_schema_says_so_too(self) -> None:
        schema = config_schema(Shaped)
        self.assertEqual(schema["required"], ["name"])
        self.assertEqual(schema["additionalProperties"], False)
        self.assertEqual(schema["description"], "All there is.")
        properties = schema["properties"]
        self.assertEqual(
            properties["name"], {"type": "string", "description": "Its name.", "minLength": 1, "maxLength": 5}
        )
        self.assertEqual(properties["count"], {"type": "integer", "minimum": 1, "maximum": 10, "default": 2})
        self.assertEqual(properties["inner"]["type"], ["object", "null"])
        self.assertEqual(properties["kind"], {"enum": ["a", "b"], "default": "a"})

    def test_an_answer_may_have_more_keys(self) -> None:
        self.assertEqual(read_json(b'{"from": 1, "to": 2}', Inner), Inner(1))
        with Recording() as recording:
            for wrong in (b"", b'{"from": "1"}', b"[" * 100_000):
                with self.assertRaises(Failed) as failed:
                    read_json(wrong, Inner)
                self.assertEqual(failed.exception.text, "unexpected JSON")
            self.assertIn("body.from: expected an integer", recording.take()[1].value[1])


if __name__ == "__main__":
    unittest.main()
