"""Every kernel is compared with its naive twin, and every twin exists once."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.oracles import TWINS, WITHOUT_TWIN

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "trailprint"
KERNELS = SOURCE / "kernels"
PREFIX = "trailprint.kernels."

Uses = dict[str, set[str]]
"""Names that functions use: full ones of what is imported, plain ones of the same module."""


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            names |= {one.asname: one.name for one in node.names if one.asname}
    return names


def _full_name(node: ast.AST, names: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        is_builtin = node.id not in names and hasattr(builtins, node.id)
        return f"builtins.{node.id}" if is_builtin else names.get(node.id, node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{names.get(node.value.id, node.value.id)}.{node.attr}"
    return None


def _uses_of_tests(source: str) -> Uses:
    """What each test uses, itself or by the functions of its module that it calls."""
    tree = ast.parse(source)
    names = _imported_names(tree)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = {
        function.name: {name for node in ast.walk(function) if (name := _full_name(node, names))}
        for function in functions
    }

    def follow(name: str, seen: set[str]) -> set[str]:
        seen.add(name)
        called = (own.keys() & own[name]) - seen
        return own[name].union(*(follow(one, seen) for one in called))

    return {name: follow(name, set()) for name in own if name.startswith("test_")}


@cache
def _all_uses() -> list[Uses]:
    """What the tests of all files use that import a kernel; parsed once for all parameters."""
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    return [_uses_of_tests(text) for text in texts if PREFIX in text]


def _twin_name(twin: str) -> str:
    is_ours = (TESTS / "oracles" / f"{twin.split('.')[0]}.py").exists()
    return f"tests.oracles.{twin}" if is_ours else twin


def _is_compared(kernel: str, twin: str, tests: list[Uses]) -> bool:
    """Whether a single test uses both."""
    both = {PREFIX + kernel, _twin_name(twin)}
    return any(both <= used for uses in tests for used in uses.values())


@cache
def _offered() -> dict[str, set[str]]:
    """Public functions of each kernel module."""
    return {
        path.relative_to(KERNELS).with_suffix("").as_posix().replace("/", "."): {
            name for name in _functions(path) if not name.startswith("_")
        }
        for path in KERNELS.rglob("*.py")
        if path.stem != "__init__"
    }


@cache
def _used_elsewhere() -> set[str]:
    """Names of kernel modules that other packages import."""
    paths = (path for path in SOURCE.rglob("*.py") if KERNELS not in path.parents)
    texts = (path.read_text(encoding="utf-8") for path in paths)
    trees = (ast.parse(text) for text in texts if PREFIX in text)
    names = {name for tree in trees for name in _imported_names(tree).values()}
    return {name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)}


def _without_comparison(
    offered: dict[str, set[str]], used: set[str], twins: set[str], excused: set[str]
) -> set[str]:
    """
    Modules without any comparison, and functions that other packages use without one of their own.

    Functions that only kernels use are steps of those: they need none.
    """
    modules = {module for module in offered if module not in excused}
    functions = {f"{module}.{name}" for module in modules for name in offered[module]} & used
    compared = {kernel.rpartition(".")[0] for kernel in twins}
    return (modules - compared) | (functions - twins - excused)


def test_every_kernel_has_a_twin() -> None:
    missing = _without_comparison(_offered(), _used_elsewhere(), set(TWINS), set(WITHOUT_TWIN))
    assert not missing


@pytest.mark.parametrize("kernel", TWINS)
def test_a_test_compares_a_kernel_with_its_twin(kernel: str) -> None:
    assert _is_compared(kernel, TWINS[kernel], _all_uses())


def test_kernels_and_excuses_exist() -> None:
    known = {f"{module}.{name}" for module, names in _offered().items() for name in names}
    assert TWINS.keys() <= known
    assert WITHOUT_TWIN.keys() <= known | _offered().keys()
    assert not TWINS.keys() & WITHOUT_TWIN.keys()


MADE_UP = """
from tests.oracles import twins as oracle
from tests.oracles.rows import slow as by_definition
from trailprint.kernels.rows import fast, other as kernel
from trailprint.kernels.rows import _step, unused

def run(rows):
    return fast(rows)

def test_direct():
    assert kernel([1]) == by_definition([1])

def test_by_a_function_of_the_module():
    assert run([1]) == oracle.exact([1])

def test_of_a_private_step():
    assert unused([1])
    assert _step([1]) == sorted([1])
"""


def test_only_tests_that_use_both_compare() -> None:
    tests = [_uses_of_tests(MADE_UP)]
    uses = tests[0]["test_by_a_function_of_the_module"]
    assert {PREFIX + "rows.fast", "tests.oracles.twins.exact"} <= uses
    assert _is_compared("rows.other", "tests.oracles.rows.slow", tests)
    assert not _is_compared("rows.other", "tests.oracles.twins.exact", tests)
    assert not _is_compared("rows.fast", "tests.oracles.rows.slow", tests)
    assert _is_compared("rows.unused", "builtins.sorted", tests)
    assert not _is_compared("rows.step", "builtins.sorted", tests)
    assert not _is_compared("rows.unused", "tests.oracles.rows.slow", tests)


def test_a_module_that_loses_its_comparison_is_found() -> None:
    offered = {"rows": {"fast", "step"}, "files": {"write"}}
    used = {"rows.fast", "files.write"}
    assert not _without_comparison(offered, used, {"rows.fast"}, {"files"})
    assert _without_comparison(offered, used, set(), {"files"}) == {"rows", "rows.fast"}
    assert _without_comparison(offered, used, {"rows.step"}, {"files"}) == {"rows.fast"}
    assert _without_comparison(offered, set(), {"rows.step"}, set()) == {"files"}


def _functions(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def _imported_modules(path: Path) -> set[str]:
    """Modules a file imports, and what it imports from them."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def test_no_twin_exists_twice() -> None:
    """Neither in two modules, nor again under its name in a test."""
    oracles = [name for path in TESTS.glob("oracles/*.py") for name in _functions(path)]
    elsewhere = {name for path in TESTS.rglob("test_*.py") for name in _functions(path)}
    assert [name for name, n in Counter(oracles).items() if n > 1] == []
    assert {name for name in oracles if not name.startswith("_")} & elsewhere == set()


def test_every_twin_is_used() -> None:
    listed = TESTS / "oracles" / "__init__.py"
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path != listed)
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    twins = [name for path in TESTS.glob("oracles/*.py") for name in _functions(path)]
    assert [name for name in twins if words[name] < 2] == []


def test_no_twin_calls_what_it_is_the_twin_of() -> None:
    allowed = {"trailprint.arrays", "trailprint.kernels.matching.metrics"}
    for path in TESTS.glob("oracles/*.py"):
        ours = {name for name in _imported_modules(path) if name.startswith("trailprint")}
        modules = {name for name in ours if not any(name.startswith(f"{a}.") for a in allowed)}
        assert modules <= allowed, path.name
