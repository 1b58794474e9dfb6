"""The combined attack on the research data: what its views add, and that weights are learnt."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from tests.presence import present

import trailprint as tp
from trailprint.workflows.options import ViewOptions

DATA = Path(os.environ.get("TRAILPRINT_DATA", "missing"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="TRAILPRINT_DATA names no folder")

VIEWS = ViewOptions(contributions=False)
N_SEEDS = 3


def sides(name, **options):
    halves = tp.split(tp.read(DATA / name), tp.SplitOptions(active_both=True, **options))
    return halves.released.materialise(), halves.auxiliary.materialise()


def accuracy(pair, views=None, seed=0):
    released, auxiliary = pair
    result = tp.match(released, auxiliary, tp.MatchOptions(seed=seed), views=views)
    assert result.linkage.facts["exact"]
    if views is not None:
        assert present(result.view_weights).source == "learnt"
    return present(present(result.risk).accuracy)


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
    combined = fmean(accuracy(pair, VIEWS, seed) for seed in range(N_SEEDS))
    assert combined >= least
    # Nothing is learnt for histograms alone: a seed changes nothing.
    assert combined >= accuracy(pair) - 0.01


def test_halves_of_weeks_of_edits_link_three_in_ten():
    pair = sides("wikipedia_edits.parquet", halves_of_weeks=True)
    result = tp.match(*pair, views=replace(VIEWS, cut="halves-of-weeks"))
    assert result.truth.n_common == 3_192
    assert present(present(result.risk).accuracy) >= 0.30
