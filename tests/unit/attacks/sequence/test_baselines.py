"""Baselines on campus days: they find people, agree with the histogram attack, and say no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from trailprint import read
from trailprint.attacks.candidate_scores import CandidateScores, linkage_from_scores
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.sequence.baselines import (
    score_distance,
    score_histogram,
    score_markov,
)
from trailprint.errors import OptionError
from trailprint.events.split import SplitOptions, split
from trailprint.features.histograms import build_histogram_pair
from trailprint.features.sequences import Sequences, build_sequence_pair
from trailprint.simulate.campus import CampusOptions, simulate_campus

Pair = tuple[Sequences, Sequences]
SCORES: dict[str, Callable[[Sequences, Sequences], CandidateScores]] = {
    "distance": score_distance,
    "markov": score_markov,
    "histogram": score_histogram,
}


@pytest.fixture(scope="module")
def halves(engine):
    campus = simulate_campus(CampusOptions(n_users=40, n_days=14, conformity=0.3))
    sides = split(read(campus, engine=engine), SplitOptions(at="median", active_both=True))
    return sides.released, sides.auxiliary


@pytest.fixture(scope="module")
def sequences(halves) -> Pair:
    return build_sequence_pair(*halves)


def share_on_the_diagonal(scores) -> float:
    table = scores.rows(np.arange(scores.shape[0]))
    return float(np.mean(table.argmax(axis=1) == np.arange(len(table))))


@pytest.mark.parametrize("name", SCORES)
def test_every_baseline_finds_more_people_than_chance(sequences: Pair, name):
    assert share_on_the_diagonal(SCORES[name](*sequences)) > 5 / 40


def test_the_order_of_places_reveals_more_than_time_vectors(sequences: Pair):
    found = {name: share_on_the_diagonal(score(*sequences)) for name, score in SCORES.items()}
    assert found["markov"] > found["distance"]


def test_histogram_scores_rank_like_the_histogram_attack(halves):
    inside = [side.having('"end"::DATE = "start"::DATE') for side in halves]
    scores = score_histogram(*build_sequence_pair(*inside))
    options = MatchOptions(method="one-by-one", direction="auxiliary")
    linkage = match_histograms(*build_histogram_pair(*inside), options)
    ours = linkage_from_scores(scores)
    agreeing = ours.released[linkage.auxiliary] == linkage.released
    assert agreeing.mean() > 0.95
    gains = scores.rows(linkage.auxiliary)[np.arange(len(linkage.released)), linkage.released]
    np.testing.assert_allclose(gains, linkage.confidence, rtol=1e-9)


def test_histograms_may_count_time(sequences: Pair):
    visits = score_histogram(*sequences, weight="visits")
    time = score_histogram(*sequences, weight="duration")
    assert not np.allclose(visits.rows(np.arange(3)), time.rows(np.arange(3)))


@pytest.mark.parametrize("smoothing", [0.0, -1.0, float("nan"), float("inf")])
def test_a_chain_needs_some_smoothing(sequences: Pair, smoothing):
    with pytest.raises(OptionError, match="positive number"):
        score_markov(*sequences, smoothing)


def test_a_histogram_counts_visits_or_time(sequences: Pair):
    with pytest.raises(OptionError, match="visits, duration"):
        score_histogram(*sequences, weight=cast(Any, "steps"))


def test_a_person_who_was_never_seen_is_ruled_out_by_distance(sequences: Pair):
    released, auxiliary = sequences
    scores = score_distance(released.at_days(released.user != 0), auxiliary).rows(np.arange(4))
    assert np.all(np.isneginf(scores[:, 0]))
    assert np.all(np.isfinite(scores[:, 1:]))
