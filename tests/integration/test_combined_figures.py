"""The combined attack on the research data: what its views add, and that weights are learnt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.presence import present

import trailprint as tp
from trailprint.workflows.options import ViewOptions

DATA = Path(os.environ.get("TRAILPRINT_DATA", "missing"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="TRAILPRINT_DATA names no folder")

VIEWS = ViewOptions(contributions=False)


def sides(name, **options):
    halves = tp.split(tp.read(DATA / name), tp.SplitOptions(active_both=True, **options))
    return halves.released.materialise(), halves.auxiliary.materialise()


@pytest.mark.parametrize(
    ("name", "options", "least"),
    [
        ("nccu_campus_visits.parquet", {"at": "median"}, 0.84),
        ("wikipedia_edits.parquet", {"at": "median", "min_events": 10}, 0.84),
        ("foursquare_nyc_checkins.parquet", {"at": "median"}, 0.93),
    ],
)
def test_views_together_reach_what_was_measured(name, options, least):
    pair = sides(name, **options)
    combined = tp.match(*pair, views=VIEWS)
    assert present(combined.view_weights).source == "learnt"
    assert combined.linkage.facts["exact"]
    accuracy, alone = (
        present(present(result.risk).accuracy) for result in (combined, tp.match(*pair))
    )
    assert accuracy >= least
    assert accuracy >= alone - 0.01
