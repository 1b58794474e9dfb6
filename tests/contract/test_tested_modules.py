"""Every module is imported by a test or has a file of tests of its name."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Tried only as a whole: a command through the program, a page through the server or a browser, a
#: comparison through `compare`, and what holds nothing but names or types.
THROUGH_OTHERS = (
    "trailprint.__main__",
    "trailprint.app.",
    "trailprint.cli.",
    "trailprint.comparison",
    "trailprint.lazy",
    "trailprint.report.comparison_",
)


@cache
def list_modules() -> dict[str, Path]:
    """Names of modules that hold code, and their files."""
    source = ROOT / "src"
    files = {path: path.relative_to(source).with_suffix("").parts for path in source.rglob("*.py")}
    named = {".".join(parts).removesuffix(".__init__"): path for path, parts in files.items()}
    return {name: path for name, path in named.items() if _holds_code(path)}


def _holds_code(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return any(isinstance(one, ast.FunctionDef | ast.ClassDef) for one in body)


@cache
def list_imported() -> frozenset[str]:
    """Everything that tests import, by full name."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def has_own_file(name: str) -> bool:
    """Whether ``tests/unit`` has a file for a module, as ``events/test_times.py`` for its times."""
    *folders, stem = name.split(".")
    return len(folders) > 1 and any((ROOT / "tests").rglob(f"test_{stem}.py"))


def test_every_module_has_a_test():
    modules = list_modules()
    assert len(modules) > 250
    untested = [name for name in modules if name not in list_imported() and not has_own_file(name)]
    assert [name for name in untested if not name.startswith(THROUGH_OTHERS)] == []
