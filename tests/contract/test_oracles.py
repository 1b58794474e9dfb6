"""Every kernel is compared with a naive twin, and every twin exists once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
KERNELS = Path(__file__).parents[2] / "src" / "trailprint" / "kernels"
#: They hold no kernel: how kernels are compiled, run by threads or elsewhere, and stopped.
MACHINERY = {"compiling", "passes", "stopping", "threads"}
#: Compared with what Python has: sorted lists.
TWINS_OF_PYTHON = {"heaps"}


def _module(path: Path) -> str:
    return path.relative_to(KERNELS).with_suffix("").as_posix().replace("/", ".")


def _imported(path: Path) -> set[str]:
    """Modules a file imports, and modules it imports from packages."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


@cache
def _imports() -> dict[Path, set[str]]:
    """What each file of tests imports; every process collects this file, and one needs it."""
    return {path: _imported(path) for path in TESTS.rglob("test_*.py")}


MODULES = sorted(
    _module(p) for p in KERNELS.rglob("*.py") if p.stem not in {"__init__", *MACHINERY}
)


@pytest.mark.parametrize("module", MODULES)
def test_a_kernel_is_imported_beside_a_twin(module: str) -> None:
    testing = [own for own in _imports().values() if f"trailprint.kernels.{module}" in own]
    beside = [own for own in testing if any(name.startswith("tests.oracles.") for name in own)]
    assert beside or (testing and module in TWINS_OF_PYTHON)


def test_rooms_of_kernels_are_found() -> None:
    assert {"csr", "matching.solve", "trails.peeling", "grouping.selection"} <= set(MODULES)


def _functions(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_no_twin_exists_twice() -> None:
    """Neither in two rooms, nor again under its name in a test."""
    oracles = [name for path in TESTS.glob("oracles/*.py") for name in _functions(path)]
    elsewhere = {name for path in _imports() for name in _functions(path)}
    assert [name for name, n in Counter(oracles).items() if n > 1] == []
    assert {name for name in oracles if not name.startswith("_")} & elsewhere == set()


def test_every_twin_is_used() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")]
    for path in TESTS.glob("oracles/*.py"):
        for name in _functions(path):
            assert sum(len(re.findall(rf"\b{name}\b", text)) for text in texts) > 1, name


def test_no_twin_calls_what_it_is_the_twin_of() -> None:
    allowed = {"trailprint.arrays", "trailprint.kernels.matching.metrics"}
    for path in TESTS.glob("oracles/*.py"):
        ours = {name for name in _imported(path) if name.startswith("trailprint")}
        modules = {name for name in ours if not any(name.startswith(f"{a}.") for a in allowed)}
        assert modules <= allowed, path.name
