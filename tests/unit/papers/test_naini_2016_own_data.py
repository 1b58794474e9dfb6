"""The 2016 paper's protocol on a user's own files: GeoLife's folders, web histories, calls."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from trailprint.errors import InputError, OptionError
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016 import calls as paper_calls
from trailprint.papers.naini_2016 import gps as paper_gps
from trailprint.papers.naini_2016 import web as paper_web
from trailprint.papers.naini_2016.people import call_sides, web_sides
from trailprint.papers.naini_2016.positions import position_events, position_halves, position_sides
from trailprint.papers.run import run_experiment
from trailprint.simulate.call_records import call_records
from trailprint.simulate.calls import simulate_calls

HEADER = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0\n0\n"
MONDAY = dt.datetime(2009, 3, 2, 9)


def write_trajectory(folder: Path, person: int, week: int, points: list[tuple[float, float]]):
    """One .plt file as in the original download: a burst of fixes in a week."""
    start = MONDAY + dt.timedelta(weeks=week, days=person % 5)
    path = folder / "Data" / f"{person:03}" / "Trajectory" / f"{start:%Y%m%d%H%M%S}.plt"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (lat, lon) in enumerate(points):
        when = start + dt.timedelta(seconds=5 * number)
        days = (when - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)
        lines.append(f"{lat:.6f},{lon:.6f},0,492,{days:.10f},{when:%Y-%m-%d,%H:%M:%S}\n")
    path.write_text(HEADER + "".join(lines))


@pytest.fixture(scope="module")
def geolife(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six people with places of their own over four weeks, one with a week, one far away."""
    folder = tmp_path_factory.mktemp("geolife")
    rng = np.random.default_rng(0)
    home = {person: (39.80 + 0.03 * person, 116.25 + 0.05 * person) for person in range(8)}
    home[7] = (31.2, 121.5)
    for person, (lat, lon) in home.items():
        for week in range(1 if person == 6 else 4):
            points = [(lat + e[0], lon + e[1]) for e in rng.normal(0, 2e-3, (30, 2))]
            write_trajectory(folder, person, week, points)
    return folder


def test_geolife_is_read_in_its_own_layout_and_cut_as_in_the_paper(geolife):
    context = Context(data={"geolife": geolife}, n_threads=1)
    halves = position_halves(context)
    counts = [side.count() for side in (halves.released, halves.auxiliary)]
    assert counts == [6 * 2 * 30, 6 * 2 * 30]
    sides = position_sides(context)
    # The one with a single week and the one outside the box are left out.
    assert sides[0].users.to_pylist() == [f"{person:03}" for person in range(6)]
    assert sides[0].users == sides[1].users


def test_an_experiment_on_geolife_says_that_it_is_the_users_own(geolife, monkeypatch):
    monkeypatch.setattr(paper_gps, "CELLS_M", (300.0, 1_000.0))
    figure_11 = next(e for e in paper_gps.EXPERIMENTS if e.name == "2016-figure-11")
    result = run_experiment(figure_11, Context(data={"geolife": geolife}, n_threads=1))
    assert result.population == "your data"
    best = {
        row["cell_m"]: row["accuracy"] for row in result.outcome.rows if row["metric"] == "proposed"
    }
    assert best[1_000.0] == 1


def test_figure_10_shows_no_position_of_geolife(geolife):
    outcome = paper_gps.run_figure_10(Context(data={"geolife": geolife}, n_threads=1))
    assert all(set(row) == {"part", "at", "amount"} for row in outcome.rows)
    assert [comparison.ours for comparison in outcome.comparisons] == [6, 4]


def test_the_protocol_can_be_set(geolife):
    data = {"geolife": geolife}
    north = Context(data=data, settings={"box": "39.88,116.2,40.08,116.6"}, n_threads=1)
    assert position_sides(north)[0].n_users == 3
    fine = Context(data=data, settings={"cell-m": "100"}, n_threads=1)
    assert len(position_sides(fine)[0].locations) > len(position_sides(north)[0].locations)
    daily = Context(data=data, settings={"weight": "day-balanced"}, n_threads=1)
    np.testing.assert_allclose(position_sides(daily)[0].totals, 2)
    for min_weeks, n_people in (("4", 6), ("5", 0)):
        active = Context(data=data, settings={"min-weeks": min_weeks}, n_threads=1)
        assert position_events(active).count() == n_people * 4 * 30


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cell-m": "large"}, "cell-m must be a number of metres"),
        ({"min-weeks": "1"}, "min-weeks must be a number of weeks from 2 on"),
        ({"min-weeks": "two"}, "min-weeks must be a number of weeks from 2 on"),
        ({"cell-m": "-5"}, "cell-m must be a number of metres"),
        ({"box": "here"}, "south,west,north,east"),
        ({"weight": "gold"}, "weight must be one of"),
    ],
)
def test_settings_that_break_their_rule(settings, message):
    with pytest.raises(OptionError, match=message):
        position_sides(Context(settings=settings))


def test_no_position_in_the_box_is_said(tmp_path):
    write_trajectory(tmp_path, 1, 0, [(31.2, 121.5)] * 3)
    with pytest.raises(InputError, match="must lie in the box"):
        position_sides(Context(data={"geolife": tmp_path}, n_threads=1))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people in three weeks, two of them in the busiest two; some URLs have no favicon."""
    lines = ["user,url,favicon,time"]
    for person in range(4):
        for week in range(3):
            if (person, week) in ((3, 1), (0, 0)):
                continue
            for visit in range(5):
                when = dt.datetime(2011, 2, 7, 8) + dt.timedelta(weeks=week, hours=visit)
                favicon = "" if visit == 4 else f"f{person}{visit % 2}"
                lines.append(f"p{person},u{visit},{favicon},{when.isoformat()}")
    path = tmp_path_factory.mktemp("web") / "web-history.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_favicons_are_the_sites_of_the_busiest_two_weeks(web):
    sides = web_sides(Context(data={"web-history": web}, n_threads=1))
    assert sides[0].users.to_pylist() == ["p0", "p1", "p2"]
    assert sides[0].locations.to_pylist() == ["f00", "f01", "f10", "f11", "f20", "f21"]
    assert sides[0].totals.tolist() == [4, 4, 4]


def test_figure_8_runs_on_a_web_history_of_ones_own(web):
    outcome = paper_web.run_figure_8(Context(data={"web-history": web}, n_threads=1))
    assert [comparison.ours for comparison in outcome.comparisons] == [3, 6, 6]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calls") / "call-records.csv"
    population = simulate_calls(150, n_cities=3, n_antennas=60, seed=2)
    pyarrow.csv.write_csv(call_records(population, seed=2), path)
    return path


def test_own_call_records_are_cut_into_two_weeks_and_grouped_by_region(calls):
    context = Context(data={"call-records": calls}, n_threads=1)
    antennas, regions = (call_sides(context, by=place) for place in ("location", "region"))
    assert antennas[0].n_users == regions[0].n_users == 150
    assert len(regions[0].locations) < len(antennas[0].locations) / 3
    antenna, region = paper_calls.run_section_4a6(context).rows
    assert region["accuracy"] < antenna["accuracy"]


def test_table_3_keeps_its_proportions_with_fewer_people(calls):
    a2, a1 = paper_calls.run_table_3(Context(data={"call-records": calls}, n_threads=1)).rows
    assert (a1["matches"], a2["matches"]) == (120, 90)


def test_call_records_without_regions_are_refused_in_one_sentence(calls, tmp_path):
    table = pyarrow.csv.read_csv(calls).drop_columns("region")
    path = tmp_path / "call-records.csv"
    pyarrow.csv.write_csv(table, path)
    with pytest.raises(InputError, match="region"):
        paper_calls.run_section_4a6(Context(data={"call-records": path}, n_threads=1))


def test_two_sides_without_anyone_in_common_are_refused():
    from trailprint.papers.naini_2016.people import choose_users, pair_up

    sides = call_sides(Context(data={}, n_threads=1), large=False)
    first, second = (
        choose_users(side, pa.array(users))
        for side, users in zip(sides, (["1"], ["2"]), strict=True)
    )
    with pytest.raises(InputError, match="in common"):
        pair_up((first, second))
