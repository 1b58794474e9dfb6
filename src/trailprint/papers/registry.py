"""All experiments by name; the papers' modules are loaded on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module

from trailprint.errors import OptionError
from trailprint.papers.experiment import Experiment

#: One module for each paper, each with its ``EXPERIMENTS`` in the paper's order.
MODULES = ("malin_2005", "tan_2011", "unnikrishnan_naini_2013", "naini_2016")

#: Name that stands for all experiments.
ALL = "all"


@cache
def experiments() -> Mapping[str, Experiment]:
    """Return all experiments by name, in the order of the papers."""
    modules = (import_module(f"trailprint.papers.{name}") for name in MODULES)
    return {each.name: each for module in modules for each in module.EXPERIMENTS}


def choose(names: Iterable[str]) -> list[Experiment]:
    """
    Return the experiments with these names, each once, in the order of the papers.

    A name may also be ``all`` or a paper's year, such as ``2005``.
    """
    known = experiments()
    wanted: set[str] = set()
    for name in names:
        found = [each for each in known if name in (ALL, each) or each.split("-")[0] == name]
        if not found:
            raise OptionError(_unknown(name, known))
        wanted.update(found)
    return [known[name] for name in known if name in wanted]


def _unknown(name: str, known: Mapping[str, Experiment]) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    return (
        f"An experiment must be one of those that 'trailprint reproduce --list' shows, a year "
        f"or all, got {name!r} instead. {hint}".strip()
    )
