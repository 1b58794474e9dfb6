"""Risk by share of people known."""

import numpy as np
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.studies.growth.knowledge import ShareKnownOptions, grow_knowledge

Crowd = tuple[Histograms, Histograms, Truth]


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


@pytest.fixture(scope="module")
def crowd(make_population) -> Crowd:
    return make_population(n_users=100, n_places=25, n_visits=10, concentration=0.3)


def test_knowing_everybody_is_the_plain_attack(crowd: Crowd):
    found = grow_knowledge(attack, *crowd, ShareKnownOptions(shares=(0.5, 1.0))).to_finding()
    risk = measure_risk(attack(*crowd[:2]), crowd[2])
    assert found is not None
    assert risk is not None
    last = found.points[-1]
    assert last.x == 1.0
    assert last.accuracy == pytest.approx(risk.accuracy)
    assert last.precision == pytest.approx(risk.precision)
    assert (last.low, last.high) == pytest.approx(risk.accuracy_interval, abs=0.05)


def test_knowing_others_helps(crowd: Crowd):
    found = grow_knowledge(attack, *crowd, ShareKnownOptions(shares=(0.05, 1.0))).to_finding()
    assert found is not None
    first, last = found.points
    assert present(last.accuracy) > present(first.accuracy)
    assert found.reading.startswith(
        f"An adversary who knows 5% of the people finds {first.accuracy:.0%} of them in the "
        f"released data; one who knows 100% finds {last.accuracy:.0%}."
    )


def test_strangers_cost_precision_only(crowd: Crowd):
    released, auxiliary, truth = crowd
    half = Truth(released=truth.released[:50], auxiliary=truth.auxiliary[:50], source="file")
    found = grow_knowledge(attack, released, auxiliary, half, ShareKnownOptions(shares=(1.0,)))
    (point,) = present(found.to_finding()).points
    assert point.precision == pytest.approx(present(point.accuracy) / 2)


def test_shares_of_nobody_are_left_out(crowd: Crowd):
    shares = (0.001, 0.1)
    found = grow_knowledge(attack, *crowd, ShareKnownOptions(shares=shares, n_runs=2))
    assert found.shares == (0.1,)
    nobody = grow_knowledge(attack, *crowd, ShareKnownOptions(shares=(0.001,)))
    assert nobody.to_finding() is None
    none = Truth.from_partner(np.full(3, -1), "none")
    assert grow_knowledge(attack, crowd[0], crowd[1], none).why_not is not None


@pytest.mark.parametrize("shares", [(), (0.0,), (1.5,), (0.5, 0.2)])
def test_bad_shares_get_one_sentence(shares):
    with pytest.raises(OptionError, match="shares must"):
        ShareKnownOptions(shares=shares)
