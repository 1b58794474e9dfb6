"""What a linear-chain CRF predicts, against the best of all ways to label a day."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.sequences import count_correct_labels

from trailprint.kernels.chains import Chain, DayRecords, count_predicted

N_COLUMNS, N_CODES = 6, 3


def draw_problem(seed: int, n_labels: int) -> tuple[Chain, DayRecords]:
    """A model with any weights, and days of one to four records of three people."""
    rng = np.random.default_rng(seed)
    n_states = 5
    chain = Chain(
        label=rng.permutation(n_labels + 2)[:n_labels].astype(np.int64),
        place=rng.integers(0, n_states, (N_COLUMNS, N_CODES + 2)).astype(np.int32),
        state=rng.normal(size=(n_states, n_labels)),
        step=rng.normal(size=(n_labels, n_labels)),
    )
    user_starts = np.array([0, 2, 2, 5])
    day_starts = np.concatenate([[0], np.cumsum(rng.integers(1, 5, 5))])
    n_records = int(day_starts[-1])
    label = rng.integers(0, n_labels + 2, n_records).astype(np.int32)
    context = rng.integers(-1, N_CODES + 1, (n_records, N_COLUMNS)).astype(np.int32)
    return chain, DayRecords(label, context, day_starts, user_starts)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), n_labels=st.integers(1, 4))
def test_counts_are_those_of_the_best_of_all_labellings(seed, n_labels):
    chain, days = draw_problem(seed, n_labels)
    known = np.isin(np.arange(n_labels + 2), chain.label)
    rows = np.array([2, 0, 1])
    found, is_exact = count_predicted(chain, days, known, rows, np.full(3, -1))
    assert found.tolist() == [count_correct_labels(chain, days, user) for user in rows]
    assert is_exact.all()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), floor=st.integers(0, 12))
def test_below_the_floor_a_bound_is_enough(seed, floor):
    chain, days = draw_problem(seed, 3)
    known = np.isin(np.arange(5), chain.label)
    rows = np.arange(3)
    whole, _ = count_predicted(chain, days, known, rows, np.full(3, -1))
    found, is_exact = count_predicted(chain, days, known, rows, np.full(3, floor))
    assert (found[is_exact] == whole[is_exact]).all()
    assert (whole[~is_exact] <= found[~is_exact]).all()
    assert (found[~is_exact] < floor).all()
