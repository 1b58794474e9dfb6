"""
The worst case against scikit-mobility itself, for every kind of knowledge it has.

``tests/examples/scikit_mobility.json`` holds visits of synthetic people and the risks that
scikit-mobility 1.3.1 found; ``benchmarks/scikit_mobility.py --example`` writes it.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.options import PointsOptions

FOUND = json.loads(
    (Path(__file__).parents[2] / "examples" / "scikit_mobility.json").read_text(encoding="utf-8")
)
BEGIN = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
CASES = [
    (one["visits"], *name.split(), risks) for one in FOUND for name, risks in one["risks"].items()
]


def table_of(visits: list[list[int]]) -> pa.Table:
    return pa.table(
        {
            "user": [f"u{user}" for user, _, _ in visits],
            "location": [f"p{place}" for _, place, _ in visits],
            "start": [BEGIN + dt.timedelta(hours=hour) for _, _, hour in visits],
        }
    )


def options_for(kind: str, k: str) -> PointsOptions:
    reported: dict[str, Any] = {"worst_case": int(k), "grid": False, "time_resolution": "1d"}
    if kind in ("frequency", "probability", "proportion"):
        reported["tolerance"] = 0.4
    if kind == "home-work":
        reported["home_work"] = "least-visited"
    return PointsOptions(knowledge=kind, **reported)  # type: ignore[arg-type]


@pytest.mark.parametrize(("visits", "kind", "k", "risks"), CASES)
def test_risks_are_those_of_scikit_mobility(visits, kind, k, risks):
    """Days, as its hours are none; the two least visited places, as it ranks them."""
    found = tp.points(table_of(visits), options_for(kind, k))
    column = f"candidates_{2 if kind == 'home-work' else k}"
    assert (1 / found.per_user()[column].to_numpy()).tolist() == pytest.approx(risks)


def test_every_kind_is_tried():
    kinds = {kind for _, kind, _, _ in CASES}
    others = {"place", "unique-place", "place-time", "sequence", "home-work"}
    assert kinds == others | {"frequency", "probability", "proportion"}
