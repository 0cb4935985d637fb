"""The build, as far as it goes without the component tool."""

import tempfile
import unittest
from pathlib import Path

from engine_sdk import build

TOOL_SAYS = '''Traceback (most recent call last):
  File "/somewhere/bin/componentize-py", line 8, in <module>
    sys.exit(script())
AssertionError: Traceback (most recent call last):
  File "/0/engine_sdk_entry.py", line 2, in <module>
    component.load('shop', '0.1.0')
  File "/python/importlib/__init__.py", line 88, in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
  File "/0/shop.py", line 2, in <module>
    x = undefined_name
        ^^^^^^^^^^^^^^
NameError: name 'undefined_name' is not defined


Caused by:
    NameError: name 'undefined_name' is not defined

Stack backtrace:
   0: <anyhow::Error>::msg::<alloc::string::String>
'''


class Build(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, *paths: str) -> None:
        for path in paths:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text("x = 1\n")

    def test_the_module_is_found_where_it_lies(self) -> None:
        self.write("shop.py")
        project = {"project": {"name": "shop", "version": "1"}}
        self.assertEqual(build.source(self.folder, project), (self.folder, "shop"))
        self.write("src/tea/__init__.py")
        project["tool"] = {"engine": {"module": "tea"}}  # type: ignore[dict-item]
        self.assertEqual(build.source(self.folder, project), (self.folder / "src", "tea"))
        with self.assertRaises(SystemExit):
            build.source(self.folder, {"project": {"name": "none"}})

    def test_only_modules_are_copied(self) -> None:
        self.write("shop.py", "test_shop.py", "secret.txt", "tea/__init__.py", "tea/leaf.py", ".venv/x.py")
        self.write("sdk/y.py", "plain/z.py")
        with tempfile.TemporaryDirectory() as staging:
            build.copy(self.folder, Path(staging))
            copied = sorted(str(path.relative_to(staging)) for path in Path(staging).rglob("*") if path.is_file())
            self.assertEqual(copied, ["shop.py", "tea/__init__.py", "tea/leaf.py"])
            build.add_sdk(Path(staging), "shop", "1")
            self.assertTrue((Path(staging) / "engine_sdk" / "component.py").is_file())
            self.assertFalse((Path(staging) / "engine_sdk" / "testing").exists())
            with self.assertRaises(SystemExit):
                build.add_sdk(Path(staging), "shop", "1")

    def test_a_syntax_error_is_told_by_file_and_line(self) -> None:
        (self.folder / "shop.py").write_text("def f(:\n")
        with self.assertRaises(SystemExit):
            build.compile_all(self.folder)

    def test_an_error_while_importing_is_the_authors_trace_alone(self) -> None:
        self.assertEqual(
            build.readable(TOOL_SAYS),
            "error: the plugin cannot be imported\n"
            '  File "shop.py", line 2, in <module>\n'
            "    x = undefined_name\n"
            "        ^^^^^^^^^^^^^^\n"
            "NameError: name 'undefined_name' is not defined\n",
        )
        self.assertEqual(build.readable("something else"), "something else")

    def test_the_interface_is_the_projects(self) -> None:
        carried = Path(build.__file__).parent / "wit" / "workload.wit"
        self.assertIn("package engine:workload@0.1.0;", carried.read_text())


if __name__ == "__main__":
    unittest.main()
