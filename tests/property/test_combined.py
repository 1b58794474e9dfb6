"""The laws of the combined attack: views side by side are the sum of their weights."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import pair_weights
from tests.presence import present

from trailprint.attacks import combined
from trailprint.attacks.combined import match_views, weights_without
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.view_weights import (
    ViewWeights,
    equal_weights,
    given_weights,
    learn_weights,
)
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import truth_from_ids
from trailprint.features.histograms import Histograms
from trailprint.features.views import VIEWS, Views

NAMES = ("visits", "days", "hour-of-day")
KEYS = (6, 5, 4)


def make_views(rng, n, names=NAMES, keys=KEYS, ids=None) -> Views:
    """People with a place each; some lack a view altogether."""
    matrices = []
    for name, n_keys in zip(names, keys, strict=True):
        counts = rng.integers(0, 4, (n, n_keys)) * (rng.random((n, n_keys)) < 0.5)
        if name == "visits":
            counts[np.arange(n), rng.integers(0, n_keys, n)] += 1
        total = np.maximum(counts.sum(1, keepdims=True), 1)
        matrices.append(sparse.csr_array(counts / total))
    users = pa.array(ids if ids is not None else [f"u{i:03}" for i in range(n)])
    views = tuple(VIEWS[name] for name in names)
    return Views(views=views, matrices=tuple(matrices), users=users, left_out={})


Problem = tuple[tuple[Views, Views], ViewWeights]


@st.composite
def problems(draw) -> Problem:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sides = make_views(rng, draw(st.integers(2, 14))), make_views(rng, draw(st.integers(2, 14)))
    raw = rng.random(3) + 0.05
    shares = dict(zip(NAMES, (raw / raw.sum()).tolist(), strict=True))
    return sides, ViewWeights(shares=shares, source="given")


def js_by_definition(p, q):
    """Weights of all pairs; an empty row shares nothing."""
    both = (p.sum(1) > 0)[:, None] & (q.sum(1) > 0)
    return np.where(both, pair_weights("jensen-shannon", p, q), 2 * np.log(2))


def dense_weights(sides, weights):
    released, auxiliary = sides
    return sum(
        weights.shares[name] * js_by_definition(a.toarray(), b.toarray())
        for name, a, b in zip(NAMES, released.matrices, auxiliary.matrices, strict=True)
    )


@settings(max_examples=80, deadline=None)
@given(problem=problems(), seed=st.integers(0, 3))
def test_views_side_by_side_are_the_sum_of_their_weights(problem: Problem, seed):
    sides, weights = problem
    dense = dense_weights(sides, weights)
    linkage = match_views(*sides, weights, MatchOptions(seed=seed))
    np.testing.assert_allclose(
        linkage.weight, dense[linkage.released, linkage.auxiliary], atol=1e-9
    )
    best = dense[linear_sum_assignment(dense)].sum()
    assert linkage.weight.sum() == pytest.approx(best, abs=1e-9)
    assert linkage.facts["exact"]


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_one_by_one_takes_the_nearest(problem: Problem):
    sides, weights = problem
    dense = dense_weights(sides, weights)
    linkage = match_views(*sides, weights, MatchOptions(method="one-by-one"))
    np.testing.assert_allclose(linkage.weight, dense.min(axis=1), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(problem=problems(), factor=st.floats(0.1, 10))
def test_scaling_a_weight_equals_scaling_the_rows(problem, factor):
    (released, auxiliary), weights = problem
    name = "days"
    shares = {**weights.shares, name: weights.shares[name] * factor}
    by_weight = match_views(released, auxiliary, ViewWeights(shares=shares))
    k = NAMES.index(name)

    def scaled(views):
        matrices = [m * factor if i == k else m for i, m in enumerate(views.matrices)]
        return Views(views=views.views, matrices=tuple(matrices), users=views.users, left_out={})

    by_rows = match_views(scaled(released), scaled(auxiliary), weights)
    assert by_weight.facts["total_gain"] == pytest.approx(by_rows.facts["total_gain"], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["joint", "one-by-one"]))
def test_one_view_of_weight_one_is_the_histogram_attack_to_the_bit(seed, method):
    rng = np.random.default_rng(seed)
    locations = pa.array([f"l{k}" for k in range(6)])
    users = pa.array([f"u{i:03}" for i in range(12)])

    def draw() -> Histograms:
        counts = rng.integers(0, 4, (12, 6)) * 1.0
        counts[np.arange(12), rng.integers(0, 6, 12)] += 1
        return Histograms(matrix=sparse.csr_array(counts), users=users, locations=locations)

    def as_views(own: Histograms) -> Views:
        matrices = (own.probabilities(),)
        return Views(views=(VIEWS["visits"],), matrices=matrices, users=users, left_out={})

    plain = draw(), draw()
    sides = as_views(plain[0]), as_views(plain[1])
    options = MatchOptions(method=method, seed=seed % 7)
    views = match_views(*sides, ViewWeights(shares={"visits": 1.0}), options)
    histograms = match_histograms(*plain, options)
    np.testing.assert_array_equal(views.auxiliary, histograms.auxiliary)
    np.testing.assert_array_equal(views.weight, histograms.weight)


@settings(max_examples=40, deadline=None)
@given(problem=problems(), seed=st.integers(0, 99))
def test_relabelling_keys_or_people_permutes_the_result(problem, seed):
    (released, auxiliary), weights = problem
    rng = np.random.default_rng(seed)
    keys = [rng.permutation(n) for n in KEYS]
    people = rng.permutation(released.n_users)

    def relabel(views):
        matrices = tuple(m[:, order] for m, order in zip(views.matrices, keys, strict=True))
        return Views(views=views.views, matrices=matrices, users=views.users, left_out={})

    options = MatchOptions(margins=True)
    plain = match_views(released, auxiliary, weights, options)
    moved = match_views(relabel(released).select(people), relabel(auxiliary), weights, options)
    assert moved.facts["total_gain"] == pytest.approx(plain.facts["total_gain"], abs=1e-9)
    is_sure = plain.confidence > 1e-6
    sure = zip(plain.released[is_sure], plain.auxiliary[is_sure], strict=True)
    found = set(zip(people[moved.released], moved.auxiliary, strict=True))
    assert set(sure) <= found


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_behind_the_gate_rhythm_counts_only_for_pairs_that_share_a_place(problem: Problem):
    sides, weights = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(combined, "GATE_FROM", 0)
        gated = match_views(*sides, weights)
    released, auxiliary = sides
    shares = sum(
        (a.toarray() > 0).astype(int) @ (b.toarray() > 0).astype(int).T
        for a, b in zip(released.matrices[:2], auxiliary.matrices[:2], strict=True)
    )
    dense = dense_weights(sides, weights)
    dense = np.where(shares > 0, dense, 2 * np.log(2))
    assert gated.weight.sum() == pytest.approx(dense[linear_sum_assignment(dense)].sum(), abs=1e-9)


def habits(rng, n, informative) -> tuple[Views, Views]:
    """Two looks at people whose habits show in some views only."""
    first: list[sparse.csr_array] = []
    second: list[sparse.csr_array] = []
    for is_informative in informative:
        habit = rng.dirichlet(np.full(8, 0.4), n)
        other = habit if is_informative else rng.dirichlet(np.full(8, 0.4), n)
        for side, source in ((first, habit), (second, other)):
            counts = np.array([rng.multinomial(60, p) for p in source])
            side.append(sparse.csr_array(counts / counts.sum(1, keepdims=True)))
    users = pa.array([f"u{i:03}" for i in range(n)])
    views = tuple(VIEWS[name] for name in ("visits", "days", "moves"))
    return (
        Views(views=views, matrices=tuple(first), users=users, left_out={}),
        Views(views=views, matrices=tuple(second), users=users, left_out={}),
    )


def test_learning_finds_the_view_that_identifies():
    rng = np.random.default_rng(0)
    weights = learn_weights(*habits(rng, 150, (False, True, False)))
    assert weights.source == "learnt"
    assert weights.n_people == 150
    assert weights.shares["days"] > 0.8
    sides = habits(np.random.default_rng(1), 150, (False, True, False))
    truth = truth_from_ids(sides[0].users, sides[1].users)
    learnt, equal = (
        present(present(measure_risk(match_views(*sides, chosen), truth)).accuracy)
        for chosen in (weights, equal_weights(sides[0].names))
    )
    assert learnt > equal + 0.05


def test_learning_is_the_same_again_for_any_threads_and_order_of_people():
    sides = habits(np.random.default_rng(3), 60, (True, True, False))
    once = learn_weights(*sides, seed=1)
    assert learn_weights(*sides, seed=1, n_threads=1) == once
    order = np.random.default_rng(4).permutation(60)
    moved = learn_weights(sides[0].select(order), sides[1].select(order), seed=1)
    assert moved.shares == pytest.approx(once.shares, abs=1e-4)


def test_learnt_weights_are_the_maximum_of_the_penalised_likelihood():
    from trailprint.attacks.view_weights import _gains, _loss, _maximise, _Shrinkage

    gains = _gains(*habits(np.random.default_rng(5), 40, (True, True, False)), None)
    shrinkage = _Shrinkage(2.0, np.full(3, 3**-0.5))
    best = _maximise(gains, shrinkage)
    loss, gradient = _loss(best, gains, shrinkage)
    rng = np.random.default_rng(0)
    for _ in range(50):
        near = np.maximum(best + rng.normal(0, 0.3, 3), 0)
        assert _loss(near, gains, shrinkage)[0] >= loss - 1e-5
    step = 1e-6
    for k in range(3):
        bumped = best.copy()
        bumped[k] += step
        slope = (_loss(bumped, gains, shrinkage)[0] - loss) / step
        assert slope == pytest.approx(gradient[k], abs=3e-3)


@pytest.mark.parametrize("seed", range(4))
def test_views_that_only_add_noise_leave_the_first_one_alone(seed):
    sides = habits(np.random.default_rng(seed), 120, (True, False, False))
    assert learn_weights(*sides, seed=seed).shares == {"visits": 1.0}


def test_held_out_losses_add_up_to_the_likelihood():
    from trailprint.attacks.view_weights import _gains, _loss, _losses, _Shrinkage

    gains = _gains(*habits(np.random.default_rng(6), 30, (True, True, False)), None)
    weights = np.array([3.0, 1.0, 0.5])
    whole = _loss(weights, gains, _Shrinkage(0.0, np.full(3, 3**-0.5)))[0]
    everybody = np.arange(30)
    assert _losses(weights[None], gains, everybody).sum() == pytest.approx(whole)
    some = np.array([7, 3, 20])
    both = _losses(np.stack([weights, 2 * weights]), gains, some)
    assert both[0] == pytest.approx(_losses(weights[None], gains, everybody)[0, some])
    assert both[1] == pytest.approx(_losses(2 * weights[None], gains, some)[0])


def test_too_few_people_get_equal_weights_and_a_reason():
    weights = learn_weights(*habits(np.random.default_rng(0), 12, (False, True, True)))
    assert weights.source == "equal"
    assert weights.shares == pytest.approx(dict.fromkeys(("visits", "days", "moves"), 1 / 3))
    assert "at least 20 people must be in both halves" in weights.note
    assert "All views count the same" in weights.note


def test_few_people_leave_the_first_view_alone_where_the_others_only_disturb():
    noisy = learn_weights(*habits(np.random.default_rng(0), 12, (True, False, False)))
    assert noisy.shares == {"visits": 1.0}
    assert (noisy.source, noisy.n_people) == ("learnt", 12)
    assert "counts alone" in noisy.note


@pytest.mark.parametrize("n_people", [0, 1])
def test_with_nobody_to_distinguish_all_views_count_the_same(n_people):
    first, second = habits(np.random.default_rng(0), 12, (True, False, False))
    few = np.arange(n_people)
    weights = learn_weights(first.select(few), second.select(few))
    assert (weights.source, len(weights.shares)) == ("equal", 3)
    assert f"there are {n_people}" in weights.note


def test_a_gain_of_few_people_must_be_larger_to_be_clear():
    from trailprint.attacks.view_weights import _is_clear

    spread = np.array([-1.0, 1.0])
    for n, least in ((4, 3.31), (9 + 1, 2.32), (600, 2.003)):
        gains = np.tile(spread, n // 2)
        unit = gains.std(ddof=1) / n**0.5
        assert _is_clear(gains + 1.01 * least * unit)
        assert not _is_clear(gains + 0.99 * least * unit)
    assert not _is_clear(np.zeros(5))


def test_views_that_are_light_beside_the_heaviest_are_dropped():
    from trailprint.attacks.view_weights import _drop_light

    weights = np.array([10.0, 1.9, 2.0, 0.2])
    many, few = (_drop_light(weights, is_large=is_large) for is_large in (True, False))
    assert many == pytest.approx([10 / 12, 0.0, 2 / 12, 0.0])
    assert few == pytest.approx([10 / 13.9, 1.9 / 13.9, 2 / 13.9, 0.0])
    assert _drop_light(np.full(19, 3.0), is_large=True) == pytest.approx(np.full(19, 1 / 19))


def test_shuffled_truth_scores_at_chance():
    sides = habits(np.random.default_rng(8), 300, (True, True, True))
    order = np.random.default_rng(9).permutation(300)
    users = sides[1].users.take(pa.array(order))
    shuffled = Views(views=sides[1].views, matrices=sides[1].matrices, users=users, left_out={})
    truth = truth_from_ids(sides[0].users, shuffled.users)
    linkage = match_views(sides[0], shuffled, equal_weights(sides[0].names))
    assert present(measure_risk(linkage, truth)).n_correct <= 8


def test_given_weights_are_checked_and_brought_to_one():
    assert given_weights({"visits": 3, "days": 1}, NAMES).shares == {"visits": 0.75, "days": 0.25}
    assert given_weights({"visits": 1e308, "days": 1e308}, NAMES).shares["days"] == 0.5
    with pytest.raises(OptionError, match=r"which are visits, days.*got 'moves'"):
        given_weights({"moves": 1}, NAMES)
    with pytest.raises(OptionError, match="zero or more, got -1"):
        given_weights({"visits": -1}, NAMES)
    with pytest.raises(OptionError, match="At least one view"):
        given_weights({"visits": 0}, NAMES)


def test_without_a_view_the_others_keep_their_proportion():
    weights = ViewWeights(shares={"visits": 0.5, "days": 0.25, "hour-of-day": 0.25})
    left = weights_without(weights, "visits")
    assert left is not None
    assert left.shares == {"days": 0.5, "hour-of-day": 0.5}
    assert weights_without(ViewWeights(shares={"visits": 1.0}), "visits") is None


def test_a_metric_that_is_not_homogeneous_is_refused():
    sides = habits(np.random.default_rng(0), 20, (True, True, True))
    with pytest.raises(OptionError, match="one of jensen-shannon, l1 with several views"):
        match_views(*sides, equal_weights(sides[0].names), MatchOptions(metric="cosine"))


def test_views_that_show_nobody_say_so():
    first, second = habits(np.random.default_rng(0), 5, (True, True, True))
    nobody = tuple(matrix * 0 for matrix in first.matrices)
    for matrix in nobody:
        matrix.eliminate_zeros()
    empty = Views(views=first.views, matrices=nobody, users=first.users, left_out={})
    with pytest.raises(InputError, match=r"must show somebody on both sides.*views all"):
        match_views(empty, second, equal_weights(NAMES))
