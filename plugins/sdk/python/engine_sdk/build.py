"""Makes a component of the plugin in this folder: `python -m engine_sdk.build --out FILE`."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, NoReturn

TOOL = "componentize-py"
TOOL_VERSION = "0.25.1"  # another one makes other bindings, on which `component` relies

# The two modules that the tool looks for: the plugin itself, and one named after the interface, with its resources.
ENTRY = """\
from engine_sdk import component
component.load({module!r}, {version!r})
Workload = component.Exports
"""
RESOURCES = "from engine_sdk.component import Iteration, Plan\n"
# No name of a module that an author may want.
ENTRY_NAME = "engine_sdk_entry"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m engine_sdk.build", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the component is written")
    out: Path = parser.parse_args().out
    folder = Path.cwd()
    try:
        project = read(folder / "pyproject.toml")
    except (OSError, tomllib.TOMLDecodeError) as error:
        fail(f"pyproject.toml: {error}")
    with tempfile.TemporaryDirectory(prefix="engine-sdk-") as staging:
        root, module = source(folder, project)
        copy(root, Path(staging))
        compile_all(Path(staging))
        if project.get("tool", {}).get("engine", {}).get("raw") is not True:
            add_sdk(Path(staging), module, project["project"]["version"])
            module = ENTRY_NAME
        componentize(Path(staging), module, out)


def read(manifest: Path) -> dict[str, Any]:
    """The manifest, with what a component needs of it."""
    project = tomllib.loads(manifest.read_text())
    for key in ("name", "version"):
        if not isinstance(project.get("project", {}).get(key), str):
            fail(f"pyproject.toml: [project] needs a {key}")
    return project


def source(folder: Path, project: dict[str, Any]) -> tuple[Path, str]:
    """Where the author's modules lie, and which of them has the workload."""
    named = project.get("tool", {}).get("engine", {}).get("module")
    module = named or project["project"]["name"].replace("-", "_")
    for root in (folder / "src", folder):
        if (root / f"{module}.py").is_file() or (root / module / "__init__.py").is_file():
            return root, module
    fail(f"there is no module {module!r} in this folder or its src/: name it in pyproject.toml, [tool.engine] module")


def copy(root: Path, staging: Path) -> None:
    """Copies the modules: so no path and no other file of this machine is seen, let alone kept, by the component."""
    skip = {"sdk", "tests", "results", "build", "dist"}
    for path in sorted(root.iterdir()):
        if path.name.startswith((".", "test_")) or path.name in skip or path.stem == "conftest":
            continue
        if path.suffix == ".py" and path.is_file():
            shutil.copy(path, staging)
        elif (path / "__init__.py").is_file():
            shutil.copytree(path, staging / path.name, ignore=shutil.ignore_patterns("__pycache__", "test_*", "tests"))


def add_sdk(staging: Path, module: str, version: str) -> None:
    """Adds what a component needs of the SDK, and the two modules that make it one."""
    if (staging / "workload.py").exists():
        fail("the module workload.py must have another name: the component has one of that name")
    unneeded = shutil.ignore_patterns("__pycache__", "wit", "testing", "_recorder.py", "build.py")
    shutil.copytree(Path(__file__).parent, staging / "engine_sdk", ignore=unneeded)
    (staging / f"{ENTRY_NAME}.py").write_text(ENTRY.format(module=module, version=version))
    (staging / "workload.py").write_text(RESOURCES)


def compile_all(staging: Path) -> None:
    """A syntax error is told in the author's own file, before the tool takes its time."""
    for path in sorted(staging.rglob("*.py")):
        try:
            compile(path.read_bytes(), str(path.relative_to(staging)), "exec")
        except SyntaxError as error:
            fail(f"{error.filename}:{error.lineno}: {error.msg}\n    {(error.text or '').strip()}")


def componentize(staging: Path, module: str, out: Path) -> None:
    """Runs the tool."""
    tool = Path(sys.executable).parent / TOOL
    command = str(tool) if tool.is_file() else TOOL
    try:
        found = importlib.metadata.version(TOOL)
    except importlib.metadata.PackageNotFoundError:
        fail(f"{TOOL} is not installed: pip install {TOOL}=={TOOL_VERSION}")
    if found != TOOL_VERSION:
        fail(f"{TOOL} {found} is installed, and this SDK needs {TOOL_VERSION}: pip install {TOOL}=={TOOL_VERSION}")
    wit = Path(__file__).parent / "wit" / "workload.wit"
    out = out.absolute()
    steps = ["--wit-path", str(wit), "--world", "plugin", "componentize", module, "--stub-wasi"]
    packages = [path for path in sys.path if path.endswith("site-packages")]
    paths = [argument for path in (".", *packages) for argument in ("--python-path", path)]
    # In the staging folder: the tool calls the author's files by the place of their folder among these paths.
    ended = subprocess.run(
        [command, "--quiet", *steps, *paths, "--output", str(out)],
        cwd=staging,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
        capture_output=True,
        text=True,
    )
    sys.stdout.write(ended.stdout)
    sys.stderr.write(readable(ended.stderr))
    if ended.returncode:
        raise SystemExit(1)


def readable(text: str) -> str:
    """What the tool says: of an error in the author's modules the trace through these, without the tool's own."""
    _, found, rest = text.replace('File "/0/', 'File "').partition("AssertionError: Traceback (most recent call last):\n")
    if not found:
        return text
    trace, _, _ = rest.partition("\n\nCaused by:")
    kept: list[str] = []
    own = False
    for line in trace.rstrip().splitlines():
        if line.startswith('  File "'):
            own = not line.startswith(('  File "engine_sdk', '  File "/python/importlib'))
        elif not line.startswith("  "):
            own = True  # what was raised
        if own:
            kept.append(line)
    return "\n".join(["error: the plugin cannot be imported", *kept, ""])


def fail(text: str) -> NoReturn:
    """Ends the build with this text."""
    print(f"error: {text}", file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    main()
