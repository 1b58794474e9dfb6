"""MSCIS on hand-made score tables, ties and all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.candidate_scores import DenseScores
from tests.presence import present

from trailprint.attacks.candidate_scores import linkage_from_scores
from trailprint.errors import InputError
from trailprint.evaluation.candidates import CandidateSets, average_sets, measure_candidates
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks


def identity(n):
    rows = np.arange(n)
    return Truth(released=rows, auxiliary=rows, source="same-ids")


@pytest.mark.parametrize(
    ("scores", "mscis"),
    [
        pytest.param([3, 1, 2, 0], 1, id="alone at the top"),
        pytest.param([3, 3, 2, 0], 2, id="a tie counts"),
        pytest.param([2, 3, 2, 2], 4, id="better and tied"),
        pytest.param([0, 0, 0, 0], 4, id="nothing known: everybody"),
        pytest.param([0, 5, 0, 9], 4, id="zero ties with zero"),
        pytest.param([1, 5, 0, 9], 3, id="third of four"),
    ],
)
def test_mscis_counts_scores_that_are_no_smaller(scores, mscis) -> None:
    linkage = linkage_from_scores(DenseScores(np.array([scores], dtype=float)))
    truth = Truth(released=np.array([0]), auxiliary=np.array([0]), source="file")
    found = present(measure_candidates(linkage, truth))
    assert found.mscis.tolist() == [mscis]
    assert (found.n_candidates, found.chance) == (4, 0.25)


def test_rates_count_sets_up_to_a_size() -> None:
    sets = CandidateSets(mscis=np.array([1, 1, 2, 5, 21]), n_candidates=100)
    assert [sets.top(k) for k in (1, 2, 5, 20)] == [0.4, 0.6, 0.8, 0.8]
    assert sets.median == 2
    assert sets.top_interval(1) == wilson(2, 5)


def test_nobody_to_look_up_has_no_rate() -> None:
    sets = CandidateSets(mscis=np.empty(0, dtype=np.int64), n_candidates=3)
    assert (sets.top(1), sets.median, sets.top_interval(1)) == (None, None, None)
    assert average_sets([sets]).top[1] is None
    assert CandidateSets(mscis=sets.mscis, n_candidates=0).chance is None


def test_without_truth_there_is_nothing_to_measure() -> None:
    linkage = linkage_from_scores(DenseScores(np.eye(3)))
    nobody = np.empty(0, dtype=np.int64)
    assert (
        measure_candidates(linkage, Truth(released=nobody, auxiliary=nobody, source="none")) is None
    )


def test_an_attack_that_ranks_the_other_side_is_refused() -> None:
    none, nobody = np.empty(0), np.empty(0, dtype=np.int64)
    linkage = Linkage(
        released=nobody,
        auxiliary=nobody,
        weight=none,
        confidence=none,
        confidence_is_least=np.empty(0, dtype=np.bool_),
        n_released=1,
        n_auxiliary=1,
        rank=lambda released, auxiliary: Ranks(n_better=nobody, n_tied=nobody),
    )
    with pytest.raises(InputError, match="ranks released candidates"):
        measure_candidates(linkage, identity(1))


def test_averages_weigh_rounds_alike_and_their_interval_covers_both_kinds() -> None:
    rounds = [
        CandidateSets(mscis=np.array([1] * right + [9] * (10 - right)), n_candidates=10)
        for right in (4, 6, 8)
    ]
    found = average_sets(rounds)
    assert found.top[1] == pytest.approx(0.6)
    low, high = present(found.top_interval[1])
    # Student's with two degrees of freedom: 4.303 × 0.2 / √3 on either side.
    assert low == pytest.approx(0.6 - 0.49686, abs=1e-4)
    assert high == 1.0
    assert found.mscis_median == pytest.approx((9 + 1 + 1) / 3)


def test_the_chance_is_the_mean_over_rounds() -> None:
    rounds = [CandidateSets(mscis=np.array([1]), n_candidates=n) for n in (2, 4, 4)]
    assert average_sets(rounds).chance == pytest.approx((1 / 2 + 1 / 4 + 1 / 4) / 3)


def test_rounds_that_agree_do_not_make_a_rate_certain() -> None:
    sets = CandidateSets(mscis=np.array([1, 1, 1, 9]), n_candidates=10)
    assert average_sets([sets, sets]).top_interval[1] == wilson(6, 8)
    assert average_sets([sets]).top_interval[1] == wilson(3, 4)
