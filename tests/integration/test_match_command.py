"""``trailprint match`` as a user runs it."""

import json
import stat
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.presence import present

import trailprint
from trailprint.cli.main import main
from trailprint.simulate.campus import CampusOptions, simulate_campus

FIELDS = {
    "released_users",
    "auxiliary_users",
    "common_users",
    "locations",
    "metric",
    "method",
    "truth",
    "matched",
    "correct",
    "accuracy",
    "precision",
    "accuracy_interval",
    "chance",
    "total_weight",
    "total_gain",
    "optimality_gap",
    "rounds",
    "overlapping_pairs",
    "seconds",
    "peak_memory_mb",
    "periods_overlap",
}


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=60, conformity=0.1)), path)
    return str(path)


Printed = pytest.CaptureFixture[str]


def run(capsys: Printed, *arguments) -> dict[str, Any]:
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--json"])
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    found: dict[str, Any] = json.loads(printed.out)
    return found


def fails(capsys: Printed, *arguments) -> str:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_one_dataset_is_split_and_matched(capsys, campus) -> None:
    found = run(capsys, "match", campus, "--at", "median", "--active-both")
    assert found.keys() >= FIELDS
    assert found["truth"] == "same-ids"
    assert found["accuracy"] > 0.9 > 0.2 > found["chance"]
    assert found["accuracy"] == found["correct"] / found["common_users"]
    assert found["accuracy_interval"][0] < found["accuracy"] <= found["accuracy_interval"][1]
    assert found["optimality_gap"] <= 1e-6 * found["total_gain"]
    assert found["periods_overlap"] is False
    assert found["seconds"].keys() >= {"read", "weights", "solve", "total"}


def test_two_files_are_matched_as_the_split_is(capsys, campus, tmp_path) -> None:
    sides = [str(tmp_path / f"{name}.csv") for name in ("released", "auxiliary")]
    cut = ("--at", "median", "--active-both")
    run(capsys, "split", campus, *cut, "--released", sides[0], "--auxiliary", sides[1])
    from_files = run(capsys, "match", *sides)
    from_split = run(capsys, "match", campus, *cut)
    for name in ("correct", "total_weight", "overlapping_pairs", "locations"):
        assert from_files[name] == pytest.approx(from_split[name])


def test_the_same_seed_gives_the_same_links_whatever_the_threads(capsys, campus, tmp_path) -> None:
    written = []
    for threads in ("1", "2"):
        links = str(tmp_path / f"links{threads}.parquet")
        run(capsys, "match", campus, "--at", "median", "--links", links, "--threads", threads)
        written.append(pq.read_table(links))
    assert written[0] == written[1]


def test_links_are_written_for_their_owner_only(capsys, campus, tmp_path) -> None:
    for name in ("links.csv", "links.parquet"):
        path = tmp_path / name
        run(capsys, "match", campus, "--at", "median", "--margins", "--links", str(path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        columns = present(duckdb.sql(f"SELECT * FROM '{path}'")).columns
        assert columns[:4] == ["released", "auxiliary", "weight", "margin"]


def test_a_truth_file_scores_other_names(capsys, campus, tmp_path) -> None:
    events = trailprint.read(campus)
    sides = trailprint.split(events, trailprint.SplitOptions(at="median", active_both=True))
    renamed = tmp_path / "renamed.parquet"
    query = sides.released.query
    sides.released.engine.run(
        f'COPY (SELECT \'anon\' || "user" AS "user", location, "start" FROM ({query})) '
        f"TO '{renamed}'"
    )
    auxiliary = tmp_path / "auxiliary.parquet"
    sides.auxiliary.engine.run(f"COPY ({sides.auxiliary.query}) TO '{auxiliary}'")
    users = [row[0] for row in events.engine.rows(f'SELECT DISTINCT "user" FROM ({events.query})')]
    truth = tmp_path / "truth.csv"
    truth.write_text("released,auxiliary\n" + "".join(f"anon{u},{u}\n" for u in users))

    without = run(capsys, "match", str(renamed), str(auxiliary))
    scored = run(capsys, "match", str(renamed), str(auxiliary), "--truth", str(truth))

    assert without["truth"] == "none"
    assert without["accuracy"] is None
    assert scored["truth"] == "file"
    assert scored["accuracy"] > 0.9


def test_margins_give_a_curve_and_a_margin_for_a_precision(capsys, campus) -> None:
    found = run(
        capsys, "match", campus, "--at", "median", "--min-events", "2", "--precision", "0.99"
    )
    curve = found["precision_at_coverage"]
    assert curve[-1]["coverage"] == 1.0
    assert curve[-1]["precision"] == pytest.approx(found["precision"])
    assert found["margin_for_precision"]["precision"] >= 0.99


def test_margins_go_with_a_fixed_size(capsys, campus, tmp_path) -> None:
    path = tmp_path / "links.parquet"
    found = run(
        capsys, "match", campus, "--at", "median", "--size", "20", "--margins", "--links", str(path)
    )
    assert found["matched"] == 20
    assert found["second_best_weight"] >= found["total_weight"]
    curve = found["precision_at_coverage"]
    assert curve[-1]["links"] == 20
    assert curve[-1]["precision"] == pytest.approx(found["precision"])
    margins = pq.read_table(path)["margin"].to_numpy()
    assert len(margins) == 20
    least = found["second_best_weight"] - found["total_weight"]
    assert margins.min() == pytest.approx(least, abs=1e-9)


def test_margins_do_not_go_with_a_gap(capsys, campus) -> None:
    message = fails(capsys, "match", campus, "--at", "median", "--gap", "0.1", "--margins")
    assert message.startswith("trailprint: --margins needs an exact matching")


def test_a_vacuous_rejection_is_said(capsys, campus) -> None:
    options = ("--reject-lambda", "1", "--string-length", "100")
    found = run(capsys, "match", campus, "--at", "median", *options)
    assert found["decision"] == "match"
    assert found["threshold"] < 0
    assert found["threshold_is_vacuous"] is True
    assert found["second_best_weight"] >= found["total_weight"]


def test_a_strict_rejection_rejects(capsys, campus) -> None:
    options = ("--reject-lambda", "1e9", "--string-length", "100000000")
    found = run(capsys, "match", campus, "--at", "median", *options)
    assert found["decision"] == "no-match"
    assert found["threshold_is_vacuous"] is False


@pytest.mark.parametrize("weight", ["visits", "duration", "day-balanced"])
@pytest.mark.parametrize("slots", ["none", "weekday", "weekend", "four-hour"])
def test_weights_and_slots_find_people(capsys, campus, weight, slots) -> None:
    found = run(capsys, "match", campus, "--at", "median", "--weight", weight, "--slots", slots)
    assert found["accuracy"] > 0.5


@pytest.mark.parametrize("metric", ["jensen-shannon", "l1", "cosine", "dot", "likelihood"])
def test_metrics_find_people(capsys, campus, metric) -> None:
    found = run(capsys, "match", campus, "--at", "median", "--active-both", "--metric", metric)
    assert found["accuracy"] > 0.5
    assert found["optimality_gap"] <= 1e-6 * found["total_gain"]


def test_the_same_period_twice_is_noticed(capsys, campus) -> None:
    found = run(capsys, "match", campus, campus)
    assert found["periods_overlap"] is True
    assert found["accuracy"] == 1.0


def test_sources_of_the_same_days_must_have_days_in_common(capsys, campus) -> None:
    views = ("--views", "visits,calendar-days", "--view-weights", "equal", "--same-period")
    for sides, is_said in (((campus, "--at", "median"), True), ((campus, campus), False)):
        with pytest.raises(SystemExit):
            main(["match", *sides, *views])
        assert ("periods do not overlap" in capsys.readouterr().out) is is_said


@pytest.mark.parametrize("cut", [("--halves-of-weeks",), ("--fold", "2/4")])
def test_periods_apart_for_each_person_do_not_overlap(capsys, campus, cut) -> None:
    assert run(capsys, "match", campus, *cut)["periods_overlap"] is False


def test_counts_without_times_are_matched(capsys, tmp_path) -> None:
    random = np.random.default_rng(0)
    habits = random.dirichlet(np.full(20, 0.3), 40)
    paths = []
    for name in ("released", "auxiliary"):
        counts = np.array([random.multinomial(200, habit) for habit in habits])
        user, location = np.nonzero(counts)
        table = pa.table({"user": user, "location": location, "count": counts[user, location]})
        paths.append(str(tmp_path / f"{name}.parquet"))
        pq.write_table(table, paths[-1])
    found = run(capsys, "match", *paths)
    assert found["periods_overlap"] is None
    assert found["accuracy"] > 0.9


def test_a_user_with_zero_counts_is_reported_not_matched(capsys, tmp_path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("user,location,count\na,x,3\nb,y,2\nc,x,0\n")
    found = run(capsys, "match", str(path), str(path))
    assert (found["released_users"], found["released_without_data"]) == (3, 1)
    assert found["matched"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--string-length", "5"), "--reject-lambda must be given with --string-length."),
        (("--reject-lambda", "1"), "--reject-lambda without --string-length, the length that all"),
        (("--reject-lambda", "1", "--string-length", "5", "--metric", "l1"), "needs --metric jens"),
    ],
)
def test_what_a_test_with_rejection_needs(capsys, campus, options, says) -> None:
    assert says in fails(capsys, "match", campus, "--at", "median", *options)


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ("--at", "median", "--metric", "euclid"),
        ("--at", "median", "--size", "100000"),
        ("--at", "median", "--size", "0"),
        ("--at", "median", "--gap", "2"),
        ("--at", "median", "--slots", "month"),
        ("--at", "median", "--weight", "mass"),
        ("--at", "median", "--reject-lambda", "1"),
        ("--at", "median", "--reject-lambda", "1", "--string-length", "9", "--size", "3"),
        ("--at", "median", "--precision", "2"),
        ("--at", "median", "--links", "nowhere/links.csv"),
        ("--at", "median", "--links", "links.xlsx"),
        ("--at", "median", "--truth", "nothing.csv"),
        ("--at", "median", "--method", "one-by-one", "--margins"),
        ("--at", "median", "--direction", "auxiliary"),
        ("--at", "median", "--knows", "top:0"),
        ("--at", "median", "--knows", "points"),
        ("--at", "median", "--knows", "friends"),
        ("--at", "median", "--knows", "everything:2"),
        ("--at", "median", "--knows", "points:1000000"),
        ("--at", "median", "--knows", "days:1000000"),
    ],
)
def test_wrong_options_get_one_sentence(capsys, campus, wrong) -> None:
    message = fails(capsys, "match", campus, *wrong)
    assert message.startswith("trailprint: ")


def test_no_identifier_is_printed(capsys, campus) -> None:
    with pytest.raises(SystemExit):
        main(["match", campus, "--at", "median", "--margins"])
    as_text = capsys.readouterr()
    as_json = json.dumps(run(capsys, "match", campus, "--at", "median", "--margins"))
    for printed in (as_text.out, as_text.err, as_json):
        assert "user0" not in printed


def test_python_says_the_same_as_the_command(capsys, campus) -> None:
    sides = trailprint.split(trailprint.read(campus), trailprint.SplitOptions(at="median"))
    result = trailprint.match(sides.released, sides.auxiliary).to_dict()
    printed = run(capsys, "match", campus, "--at", "median")
    for name in FIELDS - {"seconds", "peak_memory_mb"}:
        assert result[name] == printed[name]


def test_what_is_found_of_each_person_goes_to_a_file_for_its_owner(run, campus, tmp_path):
    path = tmp_path / "people.parquet"
    found = run(
        *("match", campus, "--at", "median", "--active-both", "--views", "visits,moves"),
        *("--view-weights", "equal", "--per-user", path),
    )
    assert found.code == 0, found.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    people = pq.read_table(path)
    assert people.column_names == ["user", "linked", "weight", "margin", "deciding_view"]
    assert set(people["deciding_view"].to_pylist()) <= {"visits", "moves", None}
    assert "What was found of each person written to" in found.out
    assert not any(user in found.out for user in people["user"].to_pylist())


def test_people_and_links_need_files_of_their_own(run, campus, tmp_path):
    path = tmp_path / "same.csv"
    found = run("match", campus, "--at", "median", "--links", path, "--per-user", path)
    assert found.code == 2
    assert "different files" in found.err
    assert not path.exists()
    found = run("match", campus, "--at", "median", "--per-user", campus)
    assert found.code == 2
    assert "must not overwrite" in found.err
