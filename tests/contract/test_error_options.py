"""Errors say to programs which option they are about, so that none reads it in the message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import trailprint
from trailprint import errors
from trailprint.cli.front import COMMANDS

SOURCE = Path(trailprint.__file__).parent
ERRORS = {name for name in vars(errors) if name.endswith("Error")}
FLAG = re.compile(r"(?<![\w'\"-])--([a-z][a-z0-9-]*)")
#: What names an option as Python does, and has no flag: parameters of protections, and functions
#: and options that only Python has.
NO_FLAGS = (
    "attacks/sequence/baselines.py",
    "events/engine.py",
    "protections/",
    "simulate/",
    "studies/growth/",
)
#: Arguments of commands, and the part of a source after ``::``.
NOT_FLAGS = {"data", "table", "names"}


def read_text(node: ast.expr) -> str:
    """The text of a message; what is filled in is left out."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(read_text(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return read_text(node.left) + read_text(node.right)
    return ""


def find_errors() -> Iterator[tuple[str, str, ast.expr | None]]:
    """Every error that is made: where, its message, and the option it names."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ERRORS and node.args:
                named = {one.arg: one.value for one in node.keywords}
                place = f"{path.relative_to(SOURCE)}:{node.lineno}"
                yield place, read_text(node.args[0]), named.get("option")


def test_an_error_that_speaks_of_a_flag_has_an_option():
    mute = [place for place, message, option in find_errors() if "--" in message and not option]
    assert mute == []


def test_an_error_that_begins_with_a_flag_is_about_this_option():
    for place, message, option in find_errors():
        found = FLAG.match(message)
        if found and isinstance(option, ast.Constant):
            assert option.value == found[1], place


def test_an_error_names_an_option_by_its_flag():
    """Python's names are made of flags; ``size`` would say nothing on the command line."""
    known = list_flags()
    mute = []
    for place, message, _ in find_errors():
        name = re.match(r"([a-z][a-z0-9_]*) must ", message)
        if name and errors.spell_option(name[1]) in known and not place.startswith(NO_FLAGS):
            mute.append(place)
    assert mute == []


def list_flags() -> set[str]:
    """Every flag of every command, without dashes."""
    return {
        flag.flag
        for command in COMMANDS
        for group in import_module(f"trailprint.cli.{command}").run.options.values()
        for _, flag in group.all_flags()
    }


def test_options_of_errors_are_those_of_commands():
    known = NOT_FLAGS | list_flags()
    named = {
        str(option.value): place
        for place, _, option in find_errors()
        if isinstance(option, ast.Constant)
    }
    assert {name: place for name, place in named.items() if name not in known} == {}


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_every_error_takes_an_option(name):
    error = getattr(errors, name)("So.", option="size", suggestions=["1"])
    assert (error.option, error.suggestions) == ("size", ("1",))
