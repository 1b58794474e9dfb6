"""Top-k curves."""

import numpy as np
import pytest

from trailprint.evaluation.ranks import measure_ranks, rank_curve
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks


def test_ties_count_against_the_attack():
    none = np.empty(0, dtype=np.int64)
    linkage = Linkage(
        released=none,
        auxiliary=none,
        weight=np.empty(0),
        confidence=np.empty(0),
        confidence_is_least=np.empty(0, dtype=bool),
        n_released=3,
        n_auxiliary=30,
        rank=lambda rows, columns: Ranks(n_better=rows * 2, n_tied=columns + 1),
    )
    truth = Truth.from_partner(np.array([0, 1, 9]), "file")
    found = measure_ranks(linkage, truth)  # ranks 1, 4 and 14
    assert found.median == 4
    assert dict(found.points) == pytest.approx(
        {1: 1 / 3, 2: 1 / 3, 3: 1 / 3, 5: 2 / 3, 10: 2 / 3, 20: 1.0, 30: 1.0}
    )


def test_lists_grow_up_to_all_candidates():
    steps = [k for k, _ in rank_curve(np.array([1]), 1234).points]
    assert steps == [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 1234]
    assert [k for k, _ in rank_curve(np.array([1]), 1).points] == [1]
    assert [k for k, _ in rank_curve(np.array([1]), 5).points] == [1, 2, 3, 5]


def test_nobody_has_no_rank():
    nobody = rank_curve(np.empty(0, dtype=np.int64), 9)
    assert (nobody.people, nobody.median, nobody.points) == (0, None, ())
