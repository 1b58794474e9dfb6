"""Fitted curves go through what they are made of."""

import re

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.presence import present

from trailprint.evaluation.intervals import wilson
from trailprint.studies.draws import Draw, Draws, interval_of, pooled_spread
from trailprint.studies.growth.fit import _FORMS, _fit, fit_growth


def draws(size, accuracy, n_runs, n_people, seed=0):
    random = np.random.default_rng([seed, size])
    made = []
    for _ in range(n_runs):
        people = np.sort(random.permutation(n_people)[:size])
        made.append(Draw(people=people, found=random.random(size) < accuracy, n_links=size))
    return Draws(size=size, draws=tuple(made))


def by_odds(n):
    return 0.95 / (1 + (n / 800) ** 0.6)


def test_a_known_curve_is_found_again_beyond_its_data():
    sizes = (50, 120, 300, 700, 1600, 4000)
    groups = tuple(draws(n, by_odds(n), 1 if n == 4000 else 6, 4000) for n in sizes)
    fit = fit_growth(groups, (8000,), n_bootstrap=40, seed=0)
    assert fit is not None
    (point,) = fit.extrapolation
    value, low, high = present(point.accuracy), present(point.low), present(point.high)
    assert value == pytest.approx(by_odds(8000), abs=0.06)
    assert low <= by_odds(8000) <= high


@pytest.mark.parametrize("form", _FORMS, ids=lambda form: form.curve.__name__)
def test_fitting_all_samples_at_once_equals_scipy_one_by_one(form):
    random = np.random.default_rng(0)
    sizes = np.array([10.0, 40.0, 150.0, 600.0])
    error = np.full(4, 0.03)
    samples = np.clip(by_odds(sizes) + random.normal(0, 0.05, (6, 4)), 0, 1)
    typical = np.array([3.0, np.log(600.0), form.third])
    reach = np.array([2.0, 3.0, form.reach])
    found = _fit(form, sizes, samples, error)
    for sample, parameters in zip(samples, found, strict=True):

        def residuals(at, sample=sample):
            off = (form.curve(at[None, :], sizes)[0] - sample) / error
            return np.concatenate([off, (at - typical) / reach])

        best = least_squares(residuals, typical, method="lm")
        assert (residuals(parameters) ** 2).sum() == pytest.approx(2 * best.cost, rel=1e-3)


def test_people_who_are_always_found_stay_so():
    groups = tuple(draws(n, 1.0, 5, 500) for n in (10, 30, 100, 500))
    fit = fit_growth(groups, (1000,), n_bootstrap=20, seed=0)
    assert fit is not None
    (point,) = fit.extrapolation
    value, high = present(point.accuracy), present(point.high)
    assert value > 0.9
    assert high > 0.97


def test_too_few_sizes_make_no_curve():
    groups = tuple(draws(n, 0.5, 5, 100) for n in (10, 30, 100))
    assert fit_growth(groups, (200,), n_bootstrap=20, seed=0) is None


def test_the_formula_gives_the_fitted_numbers():
    groups = tuple(draws(n, by_odds(n), 4, 700) for n in (50, 120, 300, 700))
    fit = fit_growth(groups, (1400,), n_bootstrap=20, seed=0)
    assert fit is not None
    assert len(re.findall(r"n/", fit.formula)) == 3


def test_mistakes_in_pairs_widen_the_interval():
    alone = draws(100, 0.5, 40, 4000)
    random = np.random.default_rng(1)
    twins = Draws(
        size=100,
        draws=tuple(
            Draw(people=draw.people, found=np.repeat(random.random(25) < 0.5, 4), n_links=100)
            for draw in alone.draws
        ),
    )
    assert pooled_spread((alone,)) < 1.6
    assert pooled_spread((twins,)) > 2.4
    narrow, wide = interval_of(alone, 1.0), interval_of(alone, 4.0)
    assert wide[1] - wide[0] == pytest.approx(2 * (narrow[1] - narrow[0]), rel=0.05)


def test_everybody_once_has_wilsons_interval():
    group = draws(200, 0.4, 1, 200)
    n_found = int(group.draws[0].found.sum())
    assert interval_of(group, 1.0) == pytest.approx(wilson(n_found, 200))
