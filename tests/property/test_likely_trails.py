"""Likely trails: scores by definition, links that are mutual, and laws of what is expected."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import trails as oracle

from trailprint.attacks.likely_trail import (
    Rates,
    Scores,
    draw_wrong_margins,
    expect_precision,
    learn_agreement,
    match_likely,
)
from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.features.trails import Trails

N_PLACES = 6
Sets = list[frozenset[int]]

sides = st.lists(st.frozensets(st.integers(0, N_PLACES - 1)), min_size=1, max_size=8)
agreements = st.sampled_from([0.05, 0.5, 0.95])


def make(sets: Sets, n_places: int = N_PLACES) -> Trails:
    return Trails(
        indptr=np.concatenate([[0], np.cumsum([len(s) for s in sets])]).astype(np.int64),
        indices=np.array([place for s in sets for place in sorted(s)], dtype=np.int32),
        users=pa.array([f"u{i}" for i in range(len(sets))], pa.string()),
        locations=pa.array([f"l{place}" for place in range(n_places)]),
    )


def all_scores(released: Sets, auxiliary: Sets, agreement: float) -> np.ndarray:
    first, second = make(released), make(auxiliary)
    weights = Rates.of(first, second).weights(agreement)
    return Scores(first, second, weights).of(np.arange(len(released)))


def definition(released: Sets, auxiliary: Sets, agreement: float) -> list[list[float]]:
    unseen = N_PLACES - len(frozenset().union(*released, *auxiliary))
    n, m = (sum(map(bool, side)) for side in (released, auxiliary))
    f, g = 0.5 / (m + 1), 0.5 / (n + 1)
    both = f * g + agreement * (min(f, g) - f * g)
    nowhere = math.log(1 - f - g + both) - math.log(1 - f) - math.log(1 - g)
    return [
        [
            oracle.likelihood_ratio(released, auxiliary, (i, j), agreement) + unseen * nowhere
            if one and other
            else -math.inf
            for j, other in enumerate(auxiliary)
        ]
        for i, one in enumerate(released)
    ]


@settings(deadline=None)
@given(sides, sides, agreements)
def test_scores_are_those_of_the_definition(
    released: Sets, auxiliary: Sets, agreement: float
) -> None:
    wanted = np.array(definition(released, auxiliary, agreement))
    assert all_scores(released, auxiliary, agreement) == pytest.approx(wanted, abs=1e-9)


@settings(deadline=None)
@given(sides, sides, agreements, st.lists(st.floats(0, 5), min_size=N_PLACES, max_size=N_PLACES))
def test_weights_multiply_the_evidence_of_a_place(
    released: Sets, auxiliary: Sets, agreement: float, worth: list[float]
) -> None:
    first, second = make(released), make(auxiliary)
    weights = Rates.of(first, second, np.array(worth)).weights(agreement)
    found = Scores(first, second, weights).of(np.arange(len(released)))
    # Places that nobody has add the same to every pair.
    unseen = [p for p in range(N_PLACES) if not any(p in s for s in (*released, *auxiliary))]
    alone = np.zeros(N_PLACES)
    alone[unseen] = np.array(worth)[unseen]
    constant = Rates.of(first, second, alone).weights(agreement).neither
    for i, one in enumerate(released):
        for j, other in enumerate(auxiliary):
            if one and other:
                wanted = oracle.likelihood_ratio(released, auxiliary, (i, j), agreement, worth)
                assert found[i, j] == pytest.approx(wanted + constant, abs=1e-9)


@settings(deadline=None)
@given(sides, sides, agreements, st.sampled_from([0.5, 2.0]))
def test_equal_weights_link_the_same_people(
    released: Sets, auxiliary: Sets, agreement: float, worth: float
) -> None:
    options = TrailOptions(algorithm="likely", agreement=agreement)
    plain, weighted = (
        match_likely(make(released), make(auxiliary), options, own)
        for own in (None, np.full(N_PLACES, worth))
    )
    assert plain.released.tolist() == weighted.released.tolist()
    assert plain.auxiliary.tolist() == weighted.auxiliary.tolist()


def test_a_place_of_no_weight_is_as_if_it_were_not_there() -> None:
    released = [frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})]
    auxiliary = [frozenset({0, 3}), frozenset({2, 1}), frozenset({4, 5})]
    worth = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    options = TrailOptions(algorithm="likely", agreement=0.9)
    linkage = match_likely(make(released), make(auxiliary), options, worth)
    assert linkage.auxiliary.tolist() == [0, 1, 2]
    swapped = match_likely(make(released), make(auxiliary), options, 1.0 - worth)
    assert swapped.auxiliary.tolist()[:2] == [1, 0]


def has_no_ties(scores: np.ndarray) -> bool:
    some = np.unique(scores[np.isfinite(scores)])
    return len(some) == np.isfinite(scores).sum() and bool((np.diff(some) > 1e-9).all())


def test_lots_decide_between_equals() -> None:
    """Two people each with the same trail: of the links made, half are right."""
    bits = [f"{k:010b}" for k in range(1, 400)]
    twins = [frozenset(p for p in range(10) if b[p] == "1") for b in bits for _ in range(2)]
    side = make(twins, 10)
    linkage = match_likely(side, side, TrailOptions(algorithm="likely", agreement=0.9))
    right = (linkage.released == linkage.auxiliary).mean()
    assert linkage.n_links >= 300
    assert 0.4 < right < 0.6
    assert (linkage.confidence <= 1e-9).all()


@settings(deadline=None)
@given(sides, sides, agreements)
def test_links_are_each_others_best(released: Sets, auxiliary: Sets, agreement: float) -> None:
    linkage = match_likely(
        make(released), make(auxiliary), TrailOptions(algorithm="likely", agreement=agreement)
    )
    found = set(zip(linkage.released.tolist(), linkage.auxiliary.tolist(), strict=True))
    scores = all_scores(released, auxiliary, agreement)
    assert sorted(found) == list(zip(linkage.released, linkage.auxiliary, strict=True))
    for i, j in found:
        assert scores[i, j] == pytest.approx(scores[i].max(), abs=1e-9)
        assert scores[i, j] == pytest.approx(scores[:, j].max(), abs=1e-9)
    if has_no_ties(scores):
        assert found == oracle.mutual_best(scores.tolist())


@settings(deadline=None)
@given(sides, sides, agreements, st.randoms(use_true_random=False))
def test_the_order_of_places_changes_no_score(
    released: Sets, auxiliary: Sets, agreement: float, random
) -> None:
    new = list(range(N_PLACES))
    random.shuffle(new)
    renamed = [[frozenset(new[p] for p in s) for s in side] for side in (released, auxiliary)]
    before = all_scores(released, auxiliary, agreement)
    assert all_scores(renamed[0], renamed[1], agreement) == pytest.approx(before, abs=1e-9)


MARGINS = st.lists(st.integers(-5, 5).map(float), max_size=40)


@given(MARGINS, MARGINS)
def test_expected_precision_is_that_of_links_known_to_be_wrong(
    margins: list[float], known: list[float]
) -> None:
    margin = np.array(margins)
    expected = expect_precision(margin, np.array(known))
    order = np.argsort(margin, kind="stable")
    assert (np.diff(expected[order]) >= 0).all()
    assert (expected[margin <= 0] == 0).all()
    n_lost = sum(m < 0 for m in margins)
    best = 0.0
    for t in sorted({m for m in margins if m > 0}):
        per_loss = (sum(k >= t for k in known) + 1) / (sum(k < 0 for k in known) + 1)
        n_wrong = max(1.0, (n_lost + 1) * per_loss)
        best = max(best, 1 - n_wrong / sum(m >= t for m in margins))
        assert expected[margin == t] == pytest.approx(max(0.0, best))


def test_halves_of_one_side_are_strangers() -> None:
    rng = np.random.default_rng(9)
    side = make(to_sets(drawn(rng, 200, 40)), 40)
    weights = Rates.of(side, side).weights(0.9)
    wrong = draw_wrong_margins((side, side), weights)
    assert len(wrong) > 50
    assert (wrong > 0).any()
    assert (wrong < 0).any()
    assert draw_wrong_margins((make([frozenset()], 40),), weights).tolist() == []


def drawn(rng: np.random.Generator, n: int, n_places: int) -> np.ndarray:
    popularity = np.linspace(0.05, 0.4, n_places)
    return rng.random((n, n_places)) < popularity


def to_sets(bits: np.ndarray) -> Sets:
    return [frozenset(np.flatnonzero(row).tolist()) for row in bits]


def test_agreement_is_learnt_without_truth() -> None:
    rng = np.random.default_rng(5)
    whole = drawn(rng, 300, 60)
    noisy = whole ^ (rng.random(whole.shape) < 0.05)
    other = drawn(rng, 300, 60)
    auxiliary = make(to_sets(whole), 60)

    def learnt(bits: np.ndarray) -> float:
        released = make(to_sets(bits), 60)
        return learn_agreement(released, auxiliary, Rates.of(released, auxiliary))

    assert learnt(whole) == 0.99
    assert 0.7 < learnt(noisy) < 0.95
    assert learnt(other) < learnt(noisy) - 0.2


@pytest.mark.parametrize("flips", [0.02, 0.05, 0.1])
def test_the_precision_asked_for_is_kept(flips: float) -> None:
    """Both sides lack a few visits and have a few false ones: REIDIT finds next to nobody."""
    rng = np.random.default_rng(11)
    whole = drawn(rng, 500, 40)
    released, auxiliary = (
        make(to_sets(whole ^ (rng.random(whole.shape) < flips)), 40) for _ in range(2)
    )
    options = TrailOptions(algorithm="likely", precision=0.9)
    linkage = match_trails(released, auxiliary, options)
    right = (linkage.released == linkage.auxiliary).mean()
    # Four standard errors below what was asked for would be chance no longer.
    assert linkage.n_links > 100
    assert right >= 0.9 - 4 * np.sqrt(0.09 / linkage.n_links)
    assert linkage.facts["expected_precision"] >= 0.9


def test_strangers_are_not_linked_with_confidence() -> None:
    rng = np.random.default_rng(3)
    released, auxiliary = (make(to_sets(drawn(rng, 400, 40)), 40) for _ in range(2))
    linkage = match_trails(released, auxiliary, TrailOptions(algorithm="likely", precision=0.9))
    assert linkage.n_links == 0
