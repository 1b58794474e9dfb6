"""Leave-one-out rounds: bins against a plain twin, and what one round hands to the attack."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.errors import OptionError
from trailprint.features.sequences import build_sequences
from trailprint.store import MemoryStore
from trailprint.studies.folds import cut_fold, fold_of_visits, run_folds
from trailprint.studies.options import FoldOptions

START = dt.datetime(2024, 3, 4)


@pytest.fixture
def log(make_events):
    """Days of visits as sequences, from (user, day, place) or (user, day, place, hours)."""

    def make(rows):
        visits = [
            (
                user,
                place,
                START + dt.timedelta(days=day, hours=9 + 2 * (len(place) % 3)),
                START + dt.timedelta(days=day, hours=10 + 2 * (len(place) % 3) + sum(more)),
            )
            for user, day, place, *more in rows
        ]
        return build_sequences(make_events(visits, "user", "location", "start", "end"))

    return make


def days_of(side):
    return set(zip(side.users.take(side.user).to_pylist(), side.day.tolist(), strict=True))


@pytest.fixture
def people(log):
    """Six people of fixed habits over twenty days; all but one are there every day."""
    return log(
        [
            (f"u{user}", day, place)
            for user in range(6)
            for day in range(20)
            if user != 5 or day % 3 == 0
            for place in (f"{user}", f"{(user + day) % 7}x", f"{user % 3}yy")
        ]
    )


@pytest.mark.parametrize("n_folds", [2, 3, 7, 10])
def test_bins_are_of_about_equal_length_for_each_user(log, n_folds) -> None:
    spans = {"a": range(20), "b": range(5, 9), "c": [3], "d": [0, 19]}
    sequences = log([(user, day, "x") for user, days in spans.items() for day in days])
    fold = fold_of_visits(sequences, n_folds)
    first = (START - dt.datetime(1970, 1, 1)).days
    for user, day, found in zip(sequences.user, sequences.day, fold, strict=True):
        days = list(spans["abcd"[user]])
        length = days[-1] - days[0] + 1
        assert found == int((day - first - days[0]) * n_folds / length)
    sizes = np.bincount(fold[sequences.user == 0], minlength=n_folds)
    assert sizes.sum() == 20
    assert sizes.max() - sizes.min() <= 1


def test_a_round_parts_every_visit_and_no_stay_reaches_both_sides(log) -> None:
    sequences = log([("a", day, "home", 14) for day in range(10)] + [("b", 0, "x"), ("b", 9, "x")])
    fold = fold_of_visits(sequences, 5)
    for k in range(5):
        released, auxiliary = cut_fold(sequences, fold, k)
        assert released.n_visits + auxiliary.n_visits == sequences.n_visits
        if auxiliary.n_visits:
            shared = days_of(released) & days_of(auxiliary)
            assert not shared
    assert cut_fold(sequences, fold, 2)[1].users.to_pylist() == ["a"]


def test_rounds_equal_the_attack_on_their_sides(people) -> None:
    options = CorrelateOptions()
    rounds = run_folds(people, options, FoldOptions(n_folds=4, n_rounds=2), n_threads=1)
    assert [one.number for one in rounds] == [0, 1]
    sides = cut_fold(people, fold_of_visits(people, 4), 1)
    linkage = correlate_sequences(*sides, options)
    ranks = linkage.rank(np.arange(6), np.arange(6))
    np.testing.assert_array_equal(rounds[1].sets.mscis, ranks.n_better + ranks.n_tied)
    assert rounds[1].risk.n_correct == (linkage.released == linkage.auxiliary).sum()
    assert rounds[0].n_released == 6


def test_rounds_keep_their_models_apart(people) -> None:
    store, reported = MemoryStore(), []
    protocol = FoldOptions(n_folds=4, n_rounds=2)
    first = run_folds(
        people, CorrelateOptions(), protocol, store=store, progress=lambda *s: reported.append(s[0])
    )
    again = run_folds(people, CorrelateOptions(), protocol, store=store)
    assert [one.facts["models_trained"] for one in (*first, *again)] == [6, 6, 0, 0]
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.sets.mscis, two.sets.mscis)
    assert any(what.startswith("Round 2 of 2: training") for what in reported)


def test_nobody_in_two_bins_makes_no_round(log) -> None:
    sequences = log([("a", 0, "x"), ("b", 4, "y")])
    assert run_folds(sequences, CorrelateOptions(), FoldOptions(n_folds=3)) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_folds": 1}, "n_folds must be from 2"),
        ({"n_folds": 5, "n_rounds": 6}, "n_rounds must be from 1 to the 5 folds"),
        ({"n_rounds": 0}, "n_rounds must be"),
    ],
)
def test_wrong_protocols_are_explained(wrong, words) -> None:
    with pytest.raises(OptionError, match=words):
        FoldOptions(**wrong)
