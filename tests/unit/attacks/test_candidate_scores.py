"""Links and ranks from score tables, against plain twins."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.candidate_scores import DenseScores

from trailprint.attacks import candidate_scores
from trailprint.attacks.candidate_scores import LinkChoice, linkage_from_scores


@st.composite
def tables(draw, most=6):
    n_rows, n_columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    cells = st.integers(-3, 3) | st.just(-np.inf)
    rows = st.lists(cells, min_size=n_columns, max_size=n_columns)
    return np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)), dtype=float)


@given(tables())
def test_ranks_equal_counting(table) -> None:
    linkage = linkage_from_scores(DenseScores(table))
    auxiliary, released = (part.ravel() for part in np.indices(table.shape))
    found = linkage.rank(released, auxiliary)
    for a, r, better, tied in zip(auxiliary, released, found.n_better, found.n_tied, strict=True):
        assert better == sum(other > table[a, r] for other in table[a])
        assert tied == sum(other == table[a, r] for other in table[a])
    assert linkage.ranked_among == "released"


@given(tables(), st.integers(0, 5))
def test_everybody_with_a_possible_candidate_gets_a_best_one(table, seed) -> None:
    linkage = linkage_from_scores(DenseScores(table), LinkChoice(seed=seed))
    best = table.max(axis=1)
    possible = np.flatnonzero(np.isfinite(best))
    assert linkage.auxiliary.tolist() == possible.tolist()
    np.testing.assert_array_equal(table[possible, linkage.released], best[possible])
    n_tied = (table == best[:, None]).sum(axis=1)[possible]
    np.testing.assert_allclose(linkage.confidence, 1 / n_tied)


@settings(deadline=None)
@given(tables(most=4))
def test_joint_links_are_as_many_as_possible_and_have_the_greatest_total(table) -> None:
    linkage = linkage_from_scores(DenseScores(table), LinkChoice(joint=True))
    assert len(set(linkage.released.tolist())) == linkage.n_links
    wide = table if table.shape[0] <= table.shape[1] else table.T
    chosen = [
        [wide[i, j] for i, j in enumerate(columns) if np.isfinite(wide[i, j])]
        for columns in permutations(range(wide.shape[1]), wide.shape[0])
    ]
    n_links, total = max((len(scores), sum(scores)) for scores in chosen)
    assert (linkage.n_links, -linkage.weight.sum()) == (n_links, total)


def test_impossible_pairs_are_not_linked() -> None:
    table = np.array([[-np.inf, 1.0], [-np.inf, 5.0]])
    linkage = linkage_from_scores(DenseScores(table), LinkChoice(joint=True))
    assert (linkage.auxiliary.tolist(), linkage.released.tolist()) == ([1], [1])


@pytest.mark.parametrize("joint", [False, True])
def test_ties_favour_nobody(joint) -> None:
    table = DenseScores(np.zeros((4, 4)))
    hits = np.zeros(4)
    for seed in range(400):
        linkage = linkage_from_scores(table, LinkChoice(joint=joint, seed=seed))
        hits += linkage.released == linkage.auxiliary
    # Each of four is right one time in four: 100 of 400, give or take five standard deviations.
    assert (np.abs(hits - 100) < 5 * np.sqrt(400 * 0.25 * 0.75)).all()


def test_scores_that_differ_by_rounding_are_tied() -> None:
    linkage = linkage_from_scores(DenseScores(np.array([[-0.1 - 0.2, -0.3, -1.0]])))
    found = linkage.rank(np.array([0, 1, 2]), np.zeros(3, dtype=np.int64))
    assert (found.n_better.tolist(), found.n_tied.tolist()) == ([0, 0, 2], [2, 2, 1])
    assert linkage.confidence.tolist() == [0.5]


def test_blocks_of_rows_change_nothing(monkeypatch) -> None:
    table = np.random.default_rng(0).integers(0, 4, (23, 7)).astype(float)
    pairs = np.arange(7), np.arange(7)
    whole = linkage_from_scores(DenseScores(table))
    monkeypatch.setattr(candidate_scores, "_CELLS", 20)
    parts = linkage_from_scores(DenseScores(table))
    np.testing.assert_array_equal(whole.released, parts.released)
    np.testing.assert_array_equal(whole.rank(*pairs).n_tied, parts.rank(*pairs).n_tied)
