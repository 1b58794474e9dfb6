"""``trailprint points`` as a user runs it."""

from __future__ import annotations

import csv
import stat

import pytest

import trailprint as tp
from trailprint.options import PointsOptions
from trailprint.simulate.campus import CampusOptions, simulate_campus

HEADER = "user,location,start\n"


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    path = tmp_path_factory.mktemp("points") / "campus.parquet"
    import pyarrow.parquet as pq

    pq.write_table(simulate_campus(CampusOptions(n_users=40, n_days=14)), path)
    return str(path)


def test_json_says_what_it_promises(run, campus):
    found = run("points", campus, "--points", "1-4", "--draws", 2, "--json")
    assert found.code == 0, found.err
    result = found.json
    assert [row["points"] for row in result["unicity"]] == [1, 2, 3, 4]
    for row in result["unicity"]:
        low, high = row["interval"]
        assert low <= row["share"] <= high
        assert row["candidates_median"] >= 1
        assert set(row["fewer_than"]) == {"2", "5", "10", "20"}
    assert [row["k"] for row in result["worst_case"]] == [1, 2]
    assert {"mean_risk", "share_at_one"} <= set(result["worst_case"][0])
    assert {"share", "place", "cell_m", "time_s"} <= set(result["grid"][0])
    assert {row["what"] for row in result["singling_out"]} >= {"trace", "places", "top-2"}
    assert "not a measurement" in result["extrapolation"]["warning"]


@pytest.mark.parametrize(
    "kind", ["unique-place", "sequence", "frequency", "probability", "proportion", "home-work"]
)
def test_every_other_kind_has_a_worst_case_only(run, campus, kind):
    found = run("points", campus, "--knowledge", kind, "--worst-case", 2, "--json")
    assert found.code == 0, found.err
    assert found.json["unicity"] == []
    assert 0 < found.json["worst_case"][-1]["mean_risk"] <= 1


def test_python_gives_the_same(run, campus):
    options = PointsOptions(points=(1, 2), draws=2, worst_case=1, seed=3)
    python = tp.points(campus, options).to_dict()
    command = run(
        *("points", campus, "--points", "1-2", "--draws", 2, "--worst-case", 1),
        *("--seed", 3, "--json"),
    ).json
    for part in ("unicity", "grid", "singling_out", "people"):
        assert python[part] == command[part]


def test_risks_go_to_a_file_for_its_owner(run, campus, tmp_path):
    path = tmp_path / "risks.csv"
    found = run("points", campus, "--points", "4", "--draws", 1, "--per-user", path)
    assert found.code == 0, found.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    rows = list(csv.DictReader(path.open()))
    assert len(rows) == 40
    assert {"user", "unique_4", "candidates_1", "candidates_2", "sharing_places"} <= set(rows[0])


def test_protections_let_people_share_more(run, campus):
    found = run(
        *("points", campus, "--points", "1", "--draws", 1, "--worst-case", 0, "--json"),
        *("--apply", "top-locations:n=2", "--apply", "microaggregate:k=5"),
    )
    assert found.code == 0, found.err
    own = {row["what"]: row["unique_share"] for row in found.json["singling_out"]}
    few, grouped = found.json["protections"]
    after = {row["what"]: row["unique_share"] for row in few["singling_out"]}
    assert after["places"] < own["places"]
    for row in grouped["singling_out"]:
        assert row["fewer_than"]["5"] == 0


def test_the_text_names_no_one(run, campus):
    found = run("points", campus, "--points", "1-2", "--draws", 1)
    assert found.code == 0, found.err
    assert "Points drawn at random" in found.out
    assert "Nothing is linked across two periods" in found.out


BAD = {
    "no times": (("--knowledge", "place-time"), "needs a column 'start'"),
    "no order": (("--knowledge", "sequence"), "needs a column 'start'"),
    "too many points": (("--knowledge", "place", "--points", "9"), "must not exceed the 2"),
    "points of another kind": (("--knowledge", "sequence", "--points", "3"), "--points goes with"),
    "no range": (("--points", "a-b"), "--points must be a number or a range"),
    "unknown": (("--knowledge", "shoes"), "--knowledge must be one of"),
    "tolerance": (("--knowledge", "frequency", "--tolerance", "7"), "--tolerance must be from 0"),
    "fewer people": (("--populations", "2"), "must be at least the 3 people of the data, got 2"),
    "resolution": (("--time-resolution", "soon"), "--time-resolution must be"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(run, write, case):
    arguments, words = BAD[case]
    path = write("data.csv", "user,location\nSECRETa,x\nSECRETa,y\nSECRETb,x\nSECRETc,x\n")
    found = run("points", path, *arguments)
    assert found.code == 2
    assert words in found.err
    assert "SECRET" not in found.err
    assert found.out == ""


def test_a_file_that_cannot_be_written_stops_at_once(run, campus, tmp_path):
    found = run("points", campus, "--per-user", tmp_path / "risks.docx")
    assert found.code == 2
    assert not list(tmp_path.iterdir())


def test_one_person_and_one_event(run, write):
    found = run(
        *("points", write("one.csv", HEADER + "a,x,2024-01-01T10:00:00\n")),
        *("--points", "1", "--json"),
    )
    assert found.code == 0, found.err
    assert found.json["unicity"][0]["share"] == 1.0


def test_people_whose_rows_count_nothing_are_left_out(run, write):
    rows = "a,x,2024-01-01T10:00,1\nb,x,2024-01-01T10:00,0\nc,x,2024-01-01T11:00,2\n"
    path = write("counts.csv", "user,location,start,count\n" + rows)
    found = run("points", path, "--knowledge", "sequence", "--json")
    assert found.code == 0, found.err
    assert found.json["people"] == 2
    assert [row["share_at_one"] for row in found.json["worst_case"]] == [0.0, 0.5]


def test_times_alone(run, write):
    rows = "a,x,2024-01-01T10:00:00\nb,y,2024-01-01T10:30:00\nb,x,2024-01-02T10:00:00\n"
    path = write("times.csv", HEADER + rows)
    found = run("points", path, "--knowledge", "time", "--points", "1", "--json")
    assert found.code == 0, found.err
    assert found.json["worst_case"][0]["share_at_one"] == 0.5
    assert found.json["places"] == 2


def test_a_result_shows_tables_and_charts(campus):
    options = PointsOptions(points=(1, 4), draws=1, worst_case=1)
    result = tp.points(campus, options)
    assert result.table("unicity").to_arrow().num_rows == 2
    assert result.plots == ("unicity", "worst_case", "grid")
    for name in result.plots:
        assert "<svg" in result.plot(name).to_svg()
    assert "PointsResult" in repr(result)
    assert "<table>" in result.to_html()


def test_one_protection_needs_no_list(campus):
    known = PointsOptions(worst_case=1, points=(2,), draws=2)
    written = tp.points(campus, known, protections="microaggregate:k=5")
    listed = tp.points(campus, known, protections=["microaggregate:k=5"])
    assert written.protections == listed.protections
    assert len(written.protections) == 1


@pytest.mark.parametrize("protections", [None, 5, b"microaggregate:k=5", {"k": 5}, [5]])
def test_what_are_no_protections(campus, protections):
    with pytest.raises(tp.TrailprintError, match=r"rotections? must be .* such as"):
        tp.points(campus, protections=protections)


def test_times_alone_are_enough_to_ask_when(run, campus, tmp_path):
    """Who asks only when is answered as if the places were there."""
    whole = tp.read(campus)
    path = tmp_path / "times.csv"
    whole.engine.run(f'COPY (SELECT "user", "start" FROM ({whole.query})) TO \'{path}\'')
    asked = ("--knowledge", "time", "--points", 2, "--draws", 2, "--json")
    found, known = (run("points", data, *asked) for data in (path, campus))
    assert found.code == 0, found.err
    for name in ("unicity", "worst_case"):
        rows = ([{**row, "seconds": 0} for row in one.json[name]] for one in (found, known))
        assert next(rows) == next(rows)
    refused = run("points", path)
    assert refused.code == 2
    assert "Times alone are enough for 'trailprint points --knowledge time'." in refused.err
