"""What a newcomer can rely on: one meaning for a class's name, functions that fit on a screen."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import trailprint

SOURCE = Path(trailprint.__file__).parent
MOST_LINES = 40


@cache
def parse_all() -> dict[str, ast.Module]:
    paths = sorted(SOURCE.rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in paths}


def count_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body, its docstring left out."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_a_name_of_a_class_is_used_once() -> None:
    modules = defaultdict(set)
    for path, tree in parse_all().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                modules[node.name].add(path)
    # A name that begins with an underscore is nobody else's.
    shared = {name: paths for name, paths in modules.items() if len(paths) > 1 and name[0] != "_"}
    assert not shared


def test_bodies_fit_on_a_screen() -> None:
    long = {
        (path, node.name)
        for path, tree in parse_all().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and count_lines(node) > MOST_LINES
    }
    assert not long
