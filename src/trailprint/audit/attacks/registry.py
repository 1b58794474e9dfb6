"""
Registry of attack families: those that link two sides, and those that look at one release.

Names are available at once, for options and help; a family is imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trailprint.audit.attacks.family import AttackFamily
    from trailprint.audit.attacks.release_family import ReleaseFamily

_FAMILIES: dict[str, str | type[AttackFamily]] = {
    "histogram": "trailprint.audit.attacks.histogram:HistogramFamily",
    "combined": "trailprint.audit.attacks.combined:CombinedFamily",
    "trail": "trailprint.audit.attacks.trail:TrailFamily",
    "sequence": "trailprint.audit.attacks.sequence:SequenceFamily",
}
"""Attacks that link two sides, in run order: a class, or its import path."""

_OF_ONE_RELEASE: dict[str, str] = {
    "points": "trailprint.audit.attacks.points:PointsFamily",
}
"""Families that single out within the release; never part of results about linking."""


def family_names() -> tuple[str, ...]:
    """Return all names that ``--attacks`` accepts."""
    return (*_FAMILIES, *_OF_ONE_RELEASE)


def attack_names() -> tuple[str, ...]:
    """Return the names of the attacks that link two sides, in run order."""
    return tuple(_FAMILIES)


def release_family_names() -> tuple[str, ...]:
    """Return the names of the families that look at one release."""
    return tuple(_OF_ONE_RELEASE)


def find_attack(name: str) -> AttackFamily:
    """Return the attack of this name."""
    found: AttackFamily = _load(_FAMILIES[name])()
    return found


def find_family(name: str) -> AttackFamily | ReleaseFamily:
    """Return the family of this name, whether it links or not."""
    found: AttackFamily | ReleaseFamily = _load({**_FAMILIES, **_OF_ONE_RELEASE}[name])()
    return found


def find_attacks(names: Iterable[str]) -> list[AttackFamily]:
    """Return those of the named families that link two sides."""
    return [find_attack(name) for name in names if name in _FAMILIES]


def find_release_families(names: Iterable[str]) -> list[ReleaseFamily]:
    """Return those of the named families that look at one release."""
    return [_load(_OF_ONE_RELEASE[name])() for name in names if name in _OF_ONE_RELEASE]


def _load(found: str | type[Any]) -> Any:
    if not isinstance(found, str):
        return found
    module, _, kind = found.partition(":")
    return getattr(import_module(module), kind)


def register_attack(family: type[AttackFamily]) -> None:
    """Register an attack from another package; it runs after the existing ones."""
    _FAMILIES[family.name] = family
