"""Noise with a guarantee: its size, its bound, and what it says of itself."""

from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse, stats

from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.noise import Noise


def histograms_of(matrix):
    return Histograms(
        matrix=sparse.csr_array(np.asarray(matrix, dtype=float)),
        users=pa.array([f"u{i:04}" for i in range(len(matrix))]),
        locations=pa.array([f"l{i:04}" for i in range(len(matrix[0]))]),
    )


@pytest.mark.parametrize("kind", ["laplace", "geometric"])
def test_what_is_released_are_shares(kind):
    before = histograms_of([[5, 0, 1], [0, 2, 0], [300, 10, 0]])
    done = Noise(epsilon=5, max_events=10, kind=kind).change(before, (0, 0))
    found = done.histograms.matrix.toarray()
    assert (found >= 0).all()
    filled = found.sum(axis=1) > 0
    np.testing.assert_allclose(found.sum(axis=1)[filled], 1.0)
    assert done.events_kept < 0.1  # 318 events were bounded to at most 18


@pytest.mark.parametrize("kind", ["laplace", "geometric"])
def test_nobody_contributes_more_than_the_bound(kind):
    random = np.random.default_rng(1)
    before = histograms_of(random.integers(0, 50, (100, 7)) + np.eye(100, 7))
    step = Noise(max_events=30, kind=kind)
    bounded = step._bound(before).toarray()
    assert (bounded.sum(axis=1) <= 30 + 1e-9).all()
    small = before.totals <= 30
    np.testing.assert_allclose(bounded[small], before.matrix.toarray()[small])
    if kind == "geometric":
        np.testing.assert_array_equal(bounded, np.floor(bounded))


def drawn(step, n=40_000):
    return step._noised_counts(np.zeros((n, 1)), np.random.default_rng(3)).reshape(-1)


def test_the_noise_has_the_scale_that_the_guarantee_needs():
    step = Noise(epsilon=2.0, max_events=10)
    assert step.scale == 10.0
    assert stats.kstest(drawn(step), stats.laplace(0, 10.0).cdf).pvalue > 1e-3


def test_geometric_noise_falls_by_the_same_factor_at_every_step():
    step = Noise(epsilon=2.0, max_events=1, kind="geometric")
    noise = drawn(step)
    np.testing.assert_array_equal(noise, np.round(noise))
    ratio = (noise == 1).sum() / (noise == 0).sum()
    assert ratio == pytest.approx(np.exp(-1.0), rel=0.06)


@pytest.mark.parametrize("kind", ["laplace", "geometric"])
def test_no_outcome_is_much_likelier_for_one_history_than_for_another(kind):
    """Two opposite histories, many draws: the odds of each outcome stay within e^epsilon."""
    step = Noise(epsilon=1.0, max_events=2, kind=kind)
    n = 60_000
    one, other = np.tile([2.0, 0.0], (n, 1)), np.tile([0.0, 2.0], (n, 1))
    outcomes = []
    for seed, counts in enumerate((one, other)):
        noised = step._noised_counts(counts.copy(), np.random.default_rng(seed))
        outcomes.append(np.clip(np.round(noised), -3, 4).astype(int) @ [10, 1])
    values, where = np.unique(np.concatenate(outcomes), return_inverse=True)
    first, second = (
        np.bincount(where[:n], minlength=len(values)),
        np.bincount(where[n:], minlength=len(values)),
    )
    common = (first > 500) & (second > 500)
    assert common.sum() > 10
    assert np.abs(np.log(first[common] / second[common])).max() < 1.0 + 0.2


def test_seeds():
    before = histograms_of(np.random.default_rng(0).integers(1, 9, (20, 5)))
    first, again, other = (
        Noise().change(before, seed).histograms.matrix.toarray()
        for seed in ((1, 0), (1, 0), (2, 0))
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_blocks_change_nothing(monkeypatch):
    before = histograms_of(np.random.default_rng(0).integers(1, 9, (50, 5)))
    whole = Noise(epsilon=9).change(before, (1, 0)).histograms.matrix.toarray()
    monkeypatch.setattr("trailprint.protections.noise._CELLS", 35)
    parts = Noise(epsilon=9).change(before, (1, 0)).histograms.matrix.toarray()
    np.testing.assert_array_equal(whole, parts)


def test_less_noise_with_a_larger_epsilon():
    before = histograms_of(np.random.default_rng(0).integers(0, 30, (50, 5)) + 1)
    errors = []
    for epsilon in (0.1, 10.0, 1e6):
        after = Noise(epsilon=epsilon, max_events=500).change(before, (1, 0)).histograms
        errors.append(np.abs((after.matrix - before.probabilities()).toarray()).sum())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] == pytest.approx(0, abs=0.1)


def test_the_statement_says_what_holds_and_what_does_not():
    text = " ".join(Noise(epsilon=0.5, max_events=20).statement())
    for part in ("0.5-differentially private", "20 events", "scale 80", "Not covered", "the seed"):
        assert part in text


def test_shares_cannot_be_noised():
    shares = Microaggregate(k=2).change(histograms_of([[1, 2], [2, 1], [5, 5]]), (0, 0))
    with pytest.raises(OptionError, match="Noise needs counts, got shares"):
        Noise().change(shares.histograms, (0, 0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Noise(epsilon=-1), "epsilon must be a positive number"),
        (lambda: Noise(epsilon=float("nan")), "epsilon must be a positive number"),
        (lambda: Noise(max_events=0), "max_events must be at least 1"),
        (lambda: Noise(kind=cast(Any, "pink")), "kind must be one of laplace, geometric"),
    ],
)
def test_bad_parameters_get_one_sentence(wrong, message):
    with pytest.raises(OptionError, match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)
