"""Sequence correlation against its baselines, on a simulated campus and on real visits."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.presence import present

from trailprint import read
from trailprint.attacks.options import CorrelateOptions, Model
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.events.filters import lasting
from trailprint.features.sequences import build_sequences
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore
from trailprint.studies.folds import cut_fold, fold_of_visits
from trailprint.studies.options import FoldOptions
from trailprint.workflows.folds import correlate_folds

DATA = Path(os.environ.get("TRAILPRINT_DATA", "/nowhere")) / "nccu_campus_visits.parquet"


def test_the_crf_beats_the_distance_on_a_campus_and_skips_most_runs() -> None:
    campus = simulate_campus(replace(CampusOptions.paper(), n_users=80))
    sequences = build_sequences(read(campus))
    sides = cut_fold(sequences, fold_of_visits(sequences, 10), 4)
    rows, store = np.arange(80), MemoryStore()

    def mscis(**options):
        linkage = correlate_sequences(*sides, CorrelateOptions(**options), store=store)
        ranks = linkage.rank(rows, rows)
        return ranks.n_better + ranks.n_tied, linkage.facts

    crf, facts = mscis()
    everything, all_facts = mscis(all_pairs=True)
    np.testing.assert_array_equal(crf, everything)
    assert facts["taggings"] < 0.2 * all_facts["taggings"]
    distance, _ = mscis(model="distance")
    assert (crf == 1).mean() > (distance == 1).mean() + 0.1


@pytest.mark.skipif(not DATA.exists(), reason="needs the research data")
def test_campus_visits_are_reported_for_all_models() -> None:
    visits = lasting(read(str(DATA)), 60)
    rounds: dict[Model, int] = {"histogram": 5, "markov": 5, "distance": 5, "crf": 1}
    found = {}
    for model, n_rounds in rounds.items():
        folds = FoldOptions(n_folds=5, n_rounds=n_rounds)
        sets = correlate_folds(visits, CorrelateOptions(model=model), folds).average
        top = {n: present(share) for n, share in sets.top.items()}
        assert sets.chance == pytest.approx(1 / 113, rel=0.05)
        assert top[1] > 10 * present(sets.chance)
        assert top[1] < top[2] < top[5] < top[20]
        found[model] = top
    # On places of 100 m, where visits are short, how often says more than in which order.
    assert found["histogram"][1] > found["crf"][1] > found["distance"][1]
