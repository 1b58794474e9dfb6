"""The test with rejection of the 2013 paper."""

import math

import pytest

from trailprint.attacks.options import RejectionOptions
from trailprint.attacks.rejection import decide
from trailprint.errors import OptionError


def test_the_papers_first_experiment_has_a_penalty_of_about_1100_bits() -> None:
    options = RejectionOptions(reject_lambda=1.0, string_length=28_800)
    result = decide(100.0, 1154, 934, options)
    assert result.penalty_bits == pytest.approx(1108, abs=5)
    assert result.vacuous
    assert result.decision == "match"


@pytest.mark.parametrize(("weight_bits", "decision"), [(4.9, "no-match"), (5.1, "match")])
def test_a_second_best_below_the_threshold_rejects(weight_bits, decision) -> None:
    n = 1_000_000
    penalty = 2 * 2 * 3 * math.log2(n + 1) / n
    options = RejectionOptions(reject_lambda=5 + penalty, string_length=n)
    result = decide(weight_bits * math.log(2), 2, 3, options)
    assert result.threshold_bits == pytest.approx(5)
    assert result.decision == decision
    assert not result.vacuous


@pytest.mark.parametrize(("bits", "length"), [(0, 5), (-1, 5), (math.inf, 5), (1, 0), (1, 10**400)])
def test_options_check_themselves(bits, length) -> None:
    with pytest.raises(OptionError):
        RejectionOptions(reject_lambda=bits, string_length=length)
