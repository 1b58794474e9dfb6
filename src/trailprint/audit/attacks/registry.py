"""
Every attack of an audit by name.

Names are known at once, for options and help; an attack is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trailprint.audit.attacks.family import AttackFamily

_FAMILIES: dict[str, str | type[AttackFamily]] = {
    "histogram": "trailprint.audit.attacks.histogram:HistogramFamily",
    "combined": "trailprint.audit.attacks.combined:CombinedFamily",
    "trail": "trailprint.audit.attacks.trail:TrailFamily",
    "sequence": "trailprint.audit.attacks.sequence:SequenceFamily",
}
"""In the order they are run: a class, or where it is found."""


def attack_names() -> tuple[str, ...]:
    """Every attack, in the order they are run."""
    return tuple(_FAMILIES)


def find_attack(name: str) -> AttackFamily:
    """The attack of this name."""
    found = _FAMILIES[name]
    if isinstance(found, str):
        module, _, kind = found.partition(":")
        found = getattr(import_module(module), kind)
    family: type[AttackFamily] = found
    return family()


def register_attack(family: type[AttackFamily]) -> None:
    """Add an attack that another package brings; it is run after those that are there."""
    _FAMILIES[family.name] = family
