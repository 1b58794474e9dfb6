"""The maps of the 2016 paper's Figures 4 and 10: only where asked for, and never of few people."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.errors import InputError
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016.gps import run_figure_10
from trailprint.papers.naini_2016.maps import (
    CELL_M,
    MAP_SQUARE_M,
    N_COLOURS,
    colour_regions,
    run_figure_4,
)
from trailprint.reproduce import reproduce
from trailprint.studies.small_counts import SMALL

METRES_A_DEGREE = 111_195.0
MIDDLE = (39.905, 116.391)


def write_calls(folder, *, has_positions: bool = True):
    """Three antennas of enough people in two regions, and one of two people."""
    rows = [
        (f"p{person}", antenna, week)
        for antenna, people in (("a", SMALL), ("b", SMALL), ("c", SMALL), ("rare", 2))
        for person in range(people)
        for week in (2, 9)
    ]
    place = {"a": (5.1, -4.0), "b": (5.2, -4.1), "c": (9.4, -5.6), "rare": (7.7, -3.3)}
    region = {"a": "south", "b": "south", "c": "north", "rare": "north"}
    columns: dict[str, list[str] | list[float]] = {
        "user": [user for user, _, _ in rows],
        "location": [antenna for _, antenna, _ in rows],
        "region": [region[antenna] for _, antenna, _ in rows],
        "start": [f"2012-04-{week:02}T08:00:00Z" for _, _, week in rows],
    }
    if has_positions:
        columns["lat"] = [place[antenna][0] for _, antenna, _ in rows]
        columns["lon"] = [place[antenna][1] for _, antenna, _ in rows]
    pyarrow.csv.write_csv(pa.table(columns), folder / "call-records.csv")
    return folder / "call-records.csv"


def write_fixes(folder):
    """Everybody is often in two squares of 100 m side by side; one person is elsewhere too."""
    lines = ["user,lat,lon,start"]
    step = CELL_M / METRES_A_DEGREE
    for person in range(SMALL):
        for week in ("02", "09"):
            for at in (0, step):
                lines.append(f"p{person},{MIDDLE[0] + at:.6f},{MIDDLE[1]},2009-03-{week}T10:00:00Z")
    lines.append(f"p0,{MIDDLE[0] + 0.05},{MIDDLE[1]},2009-03-02T11:00:00Z")
    path = folder / "geolife.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_antennas_are_drawn_by_region_and_those_of_few_people_are_not(tmp_path) -> None:
    data = {"call-records": write_calls(tmp_path)}
    outcome = run_figure_4(Context(data=data, name_locations=True, n_threads=1))
    drawn = {(row["lat"], row["lon"]): row["colour"] for row in outcome.rows if row["lat"]}
    assert set(drawn) == {(5.1, -4.0), (5.2, -4.1), (9.4, -5.6)}
    assert drawn[5.1, -4.0] == drawn[5.2, -4.1] != drawn[9.4, -5.6]
    assert [row["antennas"] for row in outcome.rows if row["part"] == "regions"] == [2, 2]
    assert [chart.kind for chart in outcome.charts] == ["line", "map"]
    assert all(row.keys() == outcome.rows[0].keys() for row in outcome.rows)


def test_without_being_asked_nothing_shows_a_position(tmp_path) -> None:
    data = {"call-records": write_calls(tmp_path), "geolife": write_fixes(tmp_path)}
    for run in (run_figure_4, run_figure_10):
        outcome = run(Context(data=data, n_threads=1))
        assert not any("lat" in row for row in outcome.rows)
        assert "map" not in {chart.kind for chart in outcome.charts}
        assert any("--name-locations" in note for note in outcome.notes)


def test_without_positions_there_is_no_map_of_antennas_and_it_says_so(tmp_path) -> None:
    data = {"call-records": write_calls(tmp_path, has_positions=False)}
    for context in (Context(data=data, name_locations=True), Context(name_locations=True)):
        outcome = run_figure_4(context)
        assert [chart.kind for chart in outcome.charts] == ["line"]
        assert "lat and lon" in outcome.notes[0]


def test_call_records_without_regions_are_refused_in_plain_words(tmp_path) -> None:
    path = write_calls(tmp_path)
    pyarrow.csv.write_csv(pyarrow.csv.read_csv(path).drop_columns("region"), path)
    with pytest.raises(InputError, match="2016-figure-4 needs call records with a column 'region'"):
        run_figure_4(Context(data={"call-records": path}, n_threads=1))


def test_antennas_of_few_people_only_make_no_map(tmp_path) -> None:
    path = write_calls(tmp_path)
    rare = pyarrow.csv.read_csv(path)
    rare = rare.filter(pa.compute.equal(rare["location"], "rare"))
    pyarrow.csv.write_csv(rare, path)
    outcome = run_figure_4(Context(data={"call-records": path}, name_locations=True, n_threads=1))
    assert [chart.kind for chart in outcome.charts] == ["line"]


def test_simulated_antennas_and_regions_are_as_many_as_the_papers() -> None:
    outcome = run_figure_4(Context(seed=3))
    assert [(each.paper, each.standing) for each in outcome.comparisons] == [
        (1_211, "forced"),
        (237, "forced"),
    ]
    assert [each.ours for each in outcome.comparisons] == pytest.approx([1_211, 237], abs=4)


def test_squares_are_as_dark_as_they_are_full_and_lie_where_the_fixes_are(tmp_path) -> None:
    data = {"geolife": write_fixes(tmp_path)}
    outcome = run_figure_10(Context(data=data, name_locations=True, n_threads=1))
    squares = [row for row in outcome.rows if row["part"] == "map"]
    assert sum(square["amount"] for square in squares) * 25 == pytest.approx(2)
    for square in squares:
        assert abs(square["lat"] - MIDDLE[0]) * METRES_A_DEGREE < MAP_SQUARE_M
        assert abs(square["lon"] - MIDDLE[1]) * METRES_A_DEGREE < 1.4 * MAP_SQUARE_M
    assert outcome.charts[-1].kind == "map"


def test_page_and_files_show_the_map_only_when_asked(tmp_path) -> None:
    write_calls(tmp_path)
    for asked in (False, True):
        out = tmp_path / f"out-{asked}"
        reproduce("2016-figure-4", data=tmp_path, out=out, name_locations=asked)
        (found,) = json.loads((out / "papers.json").read_text())["experiments"]
        assert (out / "2016-figure-4-2.svg").exists() is asked
        written = (out / "papers.html").read_text() + (out / "2016-figure-4.csv").read_text()
        assert ("5.1" in written and "-5.6" in written) is asked
        assert any(row.get("lat") for row in found["rows"]) is asked


@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30, unique=True
    )
)
def test_regions_that_are_each_others_nearest_have_different_colours(places) -> None:
    position = np.array(places, dtype=np.float64).reshape(-1, 2)
    n = len(position)
    colour = colour_regions(position, np.arange(n))
    assert np.all((colour >= 0) & (colour < N_COLOURS))
    away = np.linalg.norm(position[:, None] - position[None], axis=2) + np.diag(np.full(n, np.inf))
    is_nearest = away == away.min(axis=1, initial=np.inf, keepdims=True)
    alone = is_nearest.sum(axis=1) == 1
    for first, second in zip(*np.nonzero(is_nearest & is_nearest.T), strict=True):
        if alone[first] and alone[second]:
            assert colour[first] != colour[second]
    if n <= N_COLOURS:
        assert len(set(colour.tolist())) == n
