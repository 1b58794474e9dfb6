"""Every public name has an example in its docstring, and the example does what it shows."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import trailprint
from trailprint.cli.option_fields import read_attributes

ROOT = Path(__file__).parents[2]
_FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def _examples(name: str) -> Iterator[doctest.DocTest]:
    value = getattr(trailprint, name)
    module = importlib.import_module(value.__module__)
    # Methods are left out: the example of a class shows those that matter.
    yield from doctest.DocTestFinder(recurse=False).find(value, name, module, globs={})


@pytest.mark.parametrize("name", trailprint.__all__)
def test_the_examples_of_a_public_name_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    for test in _examples(name):
        runner.run(test, out=said.append)
    assert runner.tries > 1, f"{name} needs an Examples section"
    assert runner.failures == 0, "".join(said)
    assert not any(tmp_path.iterdir())


ROOMS = ("options", "places", "reproduce", "simulate", "store", "workflows")


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_room_is_in_an_example_that_runs(room, tmp_path, monkeypatch):
    """Its own example, or that of the room."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"trailprint.{room}")
    shown = module.__doc__ or ""
    for name in module.__all__:
        own = inspect.getdoc(getattr(module, name)) or ""
        assert ">>>" in own or re.search(rf"\b{name}\b", shown), f"{name} needs an example"
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    said: list[str] = []
    for value in (module, *(getattr(module, name) for name in module.__all__)):
        for test in doctest.DocTestFinder(recurse=False).find(value, room, globs={}):
            runner.run(test, out=said.append)
    assert runner.tries > 1
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize(
    "place",
    [
        "trailprint.events.places.placing",
        "trailprint.display.plots",
        "trailprint.reproduce",
        "trailprint.display.tables",
        "trailprint.workflows.scoring",
    ],
)
def test_the_examples_of_a_module_run(place):
    found = doctest.testmod(importlib.import_module(place), optionflags=_FLAGS)
    assert found.attempted > 1
    assert found.failed == 0


def _list_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    for place in ("trailprint", *(f"trailprint.{room}" for room in ROOMS)):
        module = importlib.import_module(place)
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)):
                yield f"{place}.{name}", getattr(module, name)


FUNCTIONS = dict(_list_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_function_is_explained(name):
    told = inspect.getdoc(FUNCTIONS[name]) or ""
    own = inspect.signature(FUNCTIONS[name]).parameters
    _, _, section = told.partition("Parameters\n----------\n")
    heads = re.findall(r"^([a-z_*][^:\n]*?)(?: :.*)?$", section.partition("\n\n")[0], re.MULTILINE)
    explained = {name.strip(" *") for head in heads for name in head.split(",")}
    assert set(own) == explained
    assert ">>>" in told


OPTIONS = {
    f"{room}.{name}": getattr(module, name)
    for room in ROOMS
    for module in [importlib.import_module(f"trailprint.{room}")]
    for name in module.__all__
    if name.endswith("Options") or name in ("Box", "Knowledge", "Window")
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_field_of_options_is_explained(name):
    told = read_attributes(inspect.getdoc(OPTIONS[name]) or "")
    assert set(told) >= {field.name for field in fields(OPTIONS[name])}


def test_a_wrong_example_would_be_noticed():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed == 1


@pytest.mark.parametrize("name", trailprint.__all__)
def test_a_public_name_has_its_place_on_the_page(name):
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert f"::: trailprint.{name}\n" in page
