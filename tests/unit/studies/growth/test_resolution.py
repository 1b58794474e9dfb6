"""Risk by resolution: grids, names, blocks of cells, or a reason why not."""

import datetime as dt

import numpy as np
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.studies.growth.resolution import ResolutionOptions, grow_resolution
from trailprint.studies.repeated import prepare_histograms

N_USERS = 40


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


@pytest.fixture(scope="module")
def make_sides(make_events):
    def make(columns, place):
        habits = np.random.default_rng(2).dirichlet(np.full(64, 0.2), N_USERS)
        sides = []
        for period in range(2):
            random = np.random.default_rng(period)
            rows = [
                (f"u{user:02}", *place(int(k)), dt.datetime(2024, 1, 1 + period, tzinfo=dt.UTC))
                for user, habit in enumerate(habits)
                for k in random.choice(64, 25, p=habit)
            ]
            sides.append(make_events(rows, "user", *columns, "start"))
        return sides[0], sides[1]

    return make


def test_positions_are_put_on_grids(make_sides):
    sides = make_sides(("lat", "lon"), lambda k: (40 + 0.01 * (k // 8), 10 + 0.01 * (k % 8)))
    options = ResolutionOptions(cells_m=(20_000, 500))
    found = present(
        grow_resolution(prepare_histograms(attack), sides[0], sides[1], options).to_finding()
    )
    fine, coarse = found.points
    assert (fine.x, fine.label) == (500, "500 m")
    assert (coarse.label, coarse.locations) == ("20 km", 1)
    assert present(fine.accuracy) > 0.8
    assert (coarse.accuracy, coarse.low, coarse.high) == (None, None, None)
    assert present(coarse.at_most) < 0.25  # fewer than ten people, so how many is not shown
    assert found.reading.startswith(
        "Resolution at which most people are linked correctly: 500 m "
        f"({fine.accuracy:.0%}); fewest: 20 km (at most {coarse.at_most:.0%})."
    )


def test_default_cells_do_not_hold_everybody(make_sides):
    sides = make_sides(("lat", "lon"), lambda k: (40 + 0.01 * (k // 8), 10 + 0.01 * (k % 8)))
    found = present(grow_resolution(prepare_histograms(attack), *sides).to_finding())
    assert [point.x for point in found.points] == [100, 250, 500, 1000, 2500, 5000]


@pytest.mark.parametrize("separator", [".", "/"])
def test_names_made_of_parts_are_cut(make_sides, separator):
    parts = make_sides(
        ("location",), lambda k: (separator.join((f"b{k // 32}", f"f{k // 4}", f"r{k}")),)
    )
    grown = grow_resolution(prepare_histograms(attack), *parts)
    found = present(grown.to_finding())
    assert [p.label for p in found.points] == [
        "whole names",
        "first 2 parts of names",
        "first part of names",
    ]
    assert [p.x for p in found.points] == [3, 2, 1]
    assert [p.locations for p in found.points] == [64, 16, 2]
    n_found = [outcome.n_found for _, _, outcome in grown.points]
    assert n_found == sorted(n_found, reverse=True)


def test_cells_of_a_grid_are_joined(make_sides):
    sides = make_sides(("location",), lambda k: (f"x{k // 8 - 4}_y{k % 8}",))
    found = present(grow_resolution(prepare_histograms(attack), *sides).to_finding())
    assert [p.locations for p in found.points] == [64, 16, 4]
    assert found.points[1].label == "2 × 2 cells"


def test_other_locations_have_a_reason(make_sides):
    sides = make_sides(("location",), lambda k: (f"shop {k}",))
    found = grow_resolution(prepare_histograms(attack), *sides)
    assert found.to_finding() is None
    assert "coarser" in present(found.why_not)


def test_strangers_have_a_reason(make_sides, make_events):
    sides = make_sides(("location",), lambda k: (f"x{k // 8}_y{k % 8}",))
    stranger = make_events([("z", "x1_y1"), ("y", "x2_y2")], "user", "location")
    assert "two people" in present(
        grow_resolution(prepare_histograms(attack), sides[0], stranger).why_not
    )


@pytest.mark.parametrize("options", [{"cells_m": (0.0,)}, {"levels": (0,)}])
def test_bad_options_get_one_sentence(options):
    with pytest.raises(OptionError, match="must be"):
        ResolutionOptions(**options)
