"""The code of docs/plugins-python.md, and that of the package's own pages, runs as it stands there."""

import re
import sys
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine_sdk import Context
from engine_sdk.testing import Run, Script
from test_flows import workload

PAGE = Path(__file__).parents[4] / "docs" / "plugins-python.md"


def blocks() -> list[str]:
    """The page's blocks of Python, each with its lines where they are on the page."""
    text = PAGE.read_text()
    found = re.finditer("^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return ["\n" * text.count("\n", 0, block.start(1)) + block.group(1) for block in found]


def module(source: str, name: str) -> dict[str, Any]:
    """What a block defines, run as a module of its own."""
    made = types.ModuleType(name)
    sys.modules[name] = made
    exec(compile(source, str(PAGE), "exec"), made.__dict__)
    return made.__dict__


class Page(unittest.TestCase):
    found: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.found = {}
        for at, source in enumerate(blocks()):
            cls.found |= module(source, f"page_{at}")

    def run_flow(self, name: str, script: Script) -> Run:
        flow: Callable[[Context], Any] = self.found[name]
        names = ("ANSWERED", "SERVED", "BYTES", "RESULTS", "SORTED") if name == "search" else ("FIRST_TOKEN", "TOKEN_GAP")
        return script.run(workload(flow, metrics=tuple(self.found[name] for name in names)))

    def test_every_block_is_there(self) -> None:
        self.assertEqual(len(blocks()), 6)

    def test_the_workload(self) -> None:
        script = Script().on("GET", "/small").reply(200).on("POST", "/echo").reply(200, '{"item": "tea"}')
        run = script.run(self.found["Checkout"], {"item": "tea", "think_ms": 500})
        self.assertEqual((run.outcome, run.took), ("ok", 0.502))

    def test_requests(self) -> None:
        script = Script().on("POST", "/orders").reply(201, '{"id": "7", "more": 1}').on("GET", "/flaky").fail("reset")
        for path in ("/page", "/lists", "/picture/0", "/picture/1", "/picture/2", "/picture/3", "/slow"):
            script.on("GET", path).reply(200)
        run = self.run_flow("requests", script.on("DELETE", "/orders/7").reply(200))
        self.assertEqual((run.outcome, run.requests[0].timeout), ("ok", 2.5))
        slow = Script().on("GET", "/slow").after(5).reply(200)
        slow.answers += script.answers
        self.assertEqual(self.run_flow("requests", slow).reason, "check: no answer after two seconds")

    def test_metrics(self) -> None:
        run = self.run_flow("search", Script().on("GET", "/search").reply(200, "[3, 2.5]"))
        self.assertEqual([(mark.name, mark.since) for mark in run.marks], [("answered", "due"), ("served", 0)])
        self.assertEqual((run.counted("bytes"), run.observed("results"), run.checked("sorted")), (8, [2.0], [True]))

    def test_streams(self) -> None:
        script = Script().on("POST", "/chat").stream(200).event("token", "a").pause(1).event("token", "b").end()
        run = self.run_flow("chat", script)
        self.assertEqual((run.outcome, len(run.marks)), ("ok", 3))

    def test_sockets(self) -> None:
        script = Script().on("WS", "/ws").open("chat").expect("hello").messages("hi", "bye").until_closed()
        run = self.run_flow("talk", script)
        self.assertEqual((run.outcome, run.closed(0) is not None), ("ok", True))


if __name__ == "__main__":
    unittest.main()
