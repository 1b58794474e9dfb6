"""
Whether what was kept of a part has the shape that its readers rely on.

A store may be anybody's, and give back anything. A part that does not fit is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from trailprint.audit.attack_parts import did_not_run
from trailprint.audit.bench import Sizes
from trailprint.audit.parts import Outcome

Check = Callable[[str, Outcome, Sizes], bool]

_CHOSEN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "histogram": {"method": ("joint", "one-by-one")},
    "trail": {
        "algorithm": ("complete", "incomplete", "multiple"),
        "reserved": ("none", "identified", "deidentified"),
    },
    "sequence": {"model": ("crf", "markov")},
}
_POINT = ("label", "name", "parameters", "loss", "accuracy", "interval", "chance", "attack")
_WHY = ("locations", "one_rare_location", "reading")


def fits_shape(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    """Whether a part of this name can have this outcome, for data of these sizes."""
    kind, _, rest = name.partition("/")
    check = _CHECKS.get(kind)
    return check is None or check(rest, outcome, sizes)


def _fits_attack(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    entry, chosen = outcome.data.get("entry"), outcome.data.get("chosen")
    known = _CHOSEN[name]
    return (
        _is_dict_of(entry, did_not_run(name, ""))
        and entry["name"] == name
        and entry["ran"] is True
        and all(isinstance(entry[key], int) for key in ("people", "matched", "correct"))
        and _is_dict_of(chosen, known)
        and all(chosen[key] in values for key, values in known.items())
        and _fit_people(outcome.arrays, sizes)
    )


def _fit_people(arrays: Mapping[str, NDArray[Any]], sizes: Sizes) -> bool:
    """Flags and risks for each person; links in rows of either side."""
    if set(arrays) != {"linked", "risk", "released", "auxiliary", "confidence"}:
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
    return _is_list_of_dicts(outcome.data.get("controls"), ())


def _fits_protection(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    data = outcome.data
    points, target = data.get("points"), data.get("target")
    return (
        _is_list_of_dicts(points, _POINT)
        and all(_is_number(point[key]) for point in points for key in ("loss", "accuracy"))
        and _is_list_of_dicts(data.get("left_out"), ("label", "why"))
        and (target is None or target in points)
    )


def _fits_growth(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    study, why_not = outcome.data.get("study", ""), outcome.data.get("why_not", 0)
    return (study is None or isinstance(study, dict)) and (
        why_not is None or isinstance(why_not, str)
    )


def _fits_why(name: str, outcome: Outcome, sizes: Sizes) -> bool:
    why, rows = outcome.data.get("why"), outcome.arrays.get("locations")
    return (
        _is_dict_of(why, _WHY)
        and _is_list_of_dicts(why["locations"], ())
        and rows is not None
        and _are_rows(rows, sizes.n_locations)
        and len(rows) == len(why["locations"])
    )


def _is_dict_of(value: Any, keys: Iterable[str]) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and all(key in value for key in keys)


def _is_list_of_dicts(value: Any, keys: tuple[str, ...]) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(_is_dict_of(item, keys) for item in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_CHECKS: Mapping[str, Check] = {
    "attack": _fits_attack,
    "control": _fits_control,
    "protect": _fits_protection,
    "growth": _fits_growth,
    "why": _fits_why,
}
