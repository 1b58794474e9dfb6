"""Risk by number of people: draws, intervals, and the curve through them."""

import json

import numpy as np
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.errors import OptionError
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import trails_of
from trailprint.plain import to_plain
from trailprint.studies.growth.users import GrowthOptions, grow_users

QUICK = GrowthOptions(n_points=4, n_runs=3, n_bootstrap=20)

Crowd = tuple[Histograms, Histograms, Truth]


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


@pytest.fixture(scope="module")
def crowd(make_population) -> Crowd:
    return make_population(n_users=120, n_places=25, n_visits=12, concentration=0.3)


def test_everybody_at_last_as_the_plain_attack(crowd: Crowd):
    released, auxiliary, truth = crowd
    found = grow_users(attack, released, auxiliary, truth, QUICK)
    risk = measure_risk(attack(released, auxiliary), truth)
    assert risk is not None
    last = found.groups[-1]
    assert last.size == truth.n_common
    assert len(last.draws) == 1
    assert last.accuracies[0] == pytest.approx(risk.accuracy)


def test_a_larger_crowd_hides_better(crowd: Crowd):
    found = grow_users(attack, *crowd, GrowthOptions(n_bootstrap=20)).to_finding()
    assert found is not None
    points = found.points
    sizes = [point.x for point in points]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (10, 120)
    assert present(points[0].accuracy) > present(points[-1].accuracy) + 0.1
    for point in points:
        assert 0 <= present(point.low) <= present(point.accuracy) <= present(point.high) <= 1
    assert [point.runs for point in points][:2] == [20, 16]
    first, last = found.points[0], found.points[-1]
    assert found.reading.startswith(
        f"Among {first.x} people {first.accuracy:.0%} are linked correctly, among all 120 "
        f"{last.accuracy:.0%}."
    )


def test_beyond_the_data_accuracy_falls_and_doubt_grows(crowd: Crowd):
    found = grow_users(attack, *crowd, GrowthOptions(n_bootstrap=40))
    assert found.fit is not None
    beyond = found.fit.extrapolation
    assert [point.x for point in beyond] == [240, 600, 1200]
    curve = np.array([(point.low, point.accuracy, point.high) for point in beyond], dtype=float)
    assert np.all(np.diff(curve[:, 1]) <= 0)
    assert np.all(np.diff(curve, axis=1) >= 0)
    assert np.all(np.diff((curve[:, 2] - curve[:, 0]) / curve[:, 1]) >= 0)
    assert "extrapolation" in found.fit.caution


def test_a_part_of_the_people_foretells_all_of_them(make_population):
    released, auxiliary, truth = make_population(
        n_users=600, n_places=40, n_visits=15, concentration=0.3, seed=3
    )
    everybody = measure_risk(attack(released, auxiliary), truth)
    part = np.sort(np.random.default_rng(1).permutation(600)[:150])
    some = Truth(released=truth.released[part], auxiliary=truth.auxiliary[part], source="file")
    found = grow_users(
        attack, released, auxiliary, some, GrowthOptions(extrapolate=(4,), n_bootstrap=40)
    )
    assert everybody is not None
    assert found.fit is not None
    (point,) = found.fit.extrapolation
    low, high = present(point.low), present(point.high)
    assert point.x == 600
    assert low <= present(everybody.accuracy) <= high
    assert high - low < 0.5


def test_trails_grow_too(crowd: Crowd):
    released, auxiliary, truth = crowd

    def trails(first, second):
        options = TrailOptions(algorithm="incomplete", reserved="auxiliary")
        return match_trails(first, second, options)

    found = grow_users(trails, trails_of(released), trails_of(auxiliary), truth, QUICK)
    assert len(found.groups) == 4


def test_same_seed_same_answer_and_another_seed_another(crowd: Crowd):
    first, second, other = (
        grow_users(
            attack, *crowd, GrowthOptions(n_points=4, n_runs=3, n_bootstrap=20, seed=seed)
        ).to_finding()
        for seed in (1, 1, 2)
    )
    assert json.dumps(to_plain(first)) == json.dumps(to_plain(second))
    assert json.dumps(to_plain(first)) != json.dumps(to_plain(other))


def test_few_sizes_get_no_curve_and_one_person_no_study(crowd: Crowd):
    released, auxiliary, truth = crowd
    few = Truth(released=truth.released[:4], auxiliary=truth.auxiliary[:4], source="file")
    found = grow_users(attack, released, auxiliary, few, QUICK)
    assert len(found.groups) < 4
    assert found.fit is None
    one = Truth(released=truth.released[:1], auxiliary=truth.auxiliary[:1], source="file")
    alone = grow_users(attack, released, auxiliary, one, QUICK)
    assert alone.to_finding() is None
    assert alone.why_not is not None


def test_progress_is_reported(crowd: Crowd):
    reported = []
    grow_users(attack, *crowd, QUICK, progress=lambda what, done: reported.append(done))
    assert reported == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_points": 1}, "n_points must be at least 2"),
        ({"n_runs": 0}, "n_runs must be at least 1"),
        ({"extrapolate": (1,)}, "above 1"),
    ],
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(OptionError, match=message):
        GrowthOptions(**options)
