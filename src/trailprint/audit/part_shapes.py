"""
Validation of stored outcomes: whether they have the shape that their readers rely on.

A store is untrusted and may return anything. A part whose outcome is not valid is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trailprint.audit.attacks.registry import find_attack, find_release_families
from trailprint.audit.context import Sizes
from trailprint.audit.parts import Outcome
from trailprint.audit.results.kept import (
    STUDIES,
    attack_of,
    controls_of,
    protections_of,
    study_of,
    why_of,
)
from trailprint.errors import OptionError
from trailprint.plain import ShapeError, from_plain

Check = Callable[[str, Outcome, Sizes], bool]


def fits_shape(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    """Return whether a part of this name can have this outcome, for data of these sizes."""
    kind, _, rest = name.partition("/")
    check = _CHECKS.get(kind, partial(_fits_step, kind))
    try:
        return check(rest, outcome, sizes)
    except ShapeError:
        return False


def _fits_attack(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    kept, family = attack_of(outcome), find_attack(name)
    return (
        kept.entry.name == name
        and _can_choose(family.choice, kept.chosen)
        and _fit_people(outcome.arrays, sizes)
        and family.fits(outcome, sizes)
    )


def _can_choose(kind: type, chosen: Mapping[str, Any]) -> bool:
    """Whether a family's choice can be read; it may check more than types."""
    try:
        from_plain(kind, chosen)
    except (ShapeError, OptionError):
        return False
    return True


def _fit_people(arrays: Mapping[str, NDArray[Any]], sizes: Sizes) -> bool:
    """Whether flags and risks are valid for each person, and links are rows of both sides."""
    if not set(arrays) >= {"linked", "risk", "released", "auxiliary", "confidence"}:
        return False
    n_people, n_links = (sizes.n_people,), arrays["released"].shape
    risk = arrays["risk"]
    return (
        _is_array(arrays["linked"], np.bool_, n_people)
        and _is_array(risk, np.float64, n_people)
        and not np.any((risk < 0) | (risk > 1))
        and _are_rows(arrays["released"], sizes.n_released)
        and _are_rows(arrays["auxiliary"], sizes.n_auxiliary)
        and arrays["auxiliary"].shape == n_links
        and _is_array(arrays["confidence"], np.float64, n_links)
    )


def _are_rows(array: NDArray[Any], n_rows: int) -> bool:
    return (
        array.ndim == 1 and array.dtype == np.int64 and not np.any((array < 0) | (array >= n_rows))
    )


def _is_array(array: NDArray[Any], kind: type[np.generic], shape: tuple[int, ...]) -> bool:
    return array.dtype == kind and array.shape == shape


def _fits_control(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    return all(control.attack == name for control in controls_of(outcome))


def _fits_protection(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    protections_of(outcome)
    return True


def _fits_search(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    return protections_of(outcome).search is not None


def _fits_growth(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    study_of(outcome, STUDIES[name])
    return True


def _fits_why(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    why, rows = why_of(outcome), outcome.arrays.get("locations")
    return (
        rows is not None and _are_rows(rows, sizes.n_locations) and len(rows) == len(why.locations)
    )


def _fits_step(kind: str, name: str, outcome: Outcome, sizes: Sizes) -> bool:
    """Ask the family that looks at the release alone; outcomes of unknown kinds do not fit."""
    return any(family.fits(name, outcome, sizes) for family in find_release_families([kind]))


_CHECKS: Mapping[str, Check] = {
    "attack": _fits_attack,
    "control": _fits_control,
    "protect": _fits_protection,
    "search": _fits_search,
    "growth": _fits_growth,
    "why": _fits_why,
}
