"""``trailprint reproduce`` as a user runs it."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from tests.conftest import Finished

QUICK = "2005-figure-11"
PROGRAM = (sys.executable, "-c", "from trailprint.cli.main import main; main()")


def one_sentence(finished: Finished) -> str:
    assert finished.code == 2
    assert finished.out == ""
    assert finished.err.count("\n") == 1
    return finished.err


def test_the_list_names_experiments_and_data(run) -> None:
    finished = run("reproduce", "--list")
    assert finished.code == 0
    assert QUICK in finished.out
    assert "geolife" in finished.out
    listed = run("reproduce", "--list", "--json").json
    assert QUICK in [each["name"] for each in listed["experiments"]]


def test_one_experiment_prints_the_papers_number_beside_ours(run) -> None:
    finished = run("reproduce", QUICK)
    assert finished.code == 0, finished.err
    for text in ("Zipf exponent", "paper", "ours", "difference", "(simulated)"):
        assert text in finished.out
    for text in ("forced", "tuned", "Built into the recipe", "note", "100 most visited"):
        assert text in finished.out


def test_out_gets_page_tables_and_json(run, tmp_path) -> None:
    folder = tmp_path / "new" / "papers"
    found = run("reproduce", QUICK, "--out", folder, "--json").json
    assert found["out"] == str(folder)
    assert found["experiments"][0]["population"] == "simulated"
    assert {path.name for path in folder.iterdir()} == {
        f"{QUICK}.csv",
        f"{QUICK}-compared.csv",
        f"{QUICK}-1.svg",
        "papers.html",
        "papers.json",
    }
    page = (folder / "papers.html").read_text()
    assert "simulated people" in page
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert "@import" not in page
    kept = json.loads((folder / "papers.json").read_text())
    assert kept["experiments"] == found["experiments"]


def test_same_seed_same_numbers(run) -> None:
    arguments = ("reproduce", "2005-figure-13", "--json")
    first, threads, other = (
        run(*arguments, *more).json["experiments"][0]
        for more in ((), ("--threads", 1), ("--seed", 1))
    )
    assert first["rows"] == threads["rows"]
    assert first["rows"] != other["rows"]


def test_an_unknown_name_is_refused(run) -> None:
    assert "Did you mean 2005-figure-1" in one_sentence(run("reproduce", "2005-figure-1"))
    assert "--list" in one_sentence(run("reproduce"))


def test_out_must_be_a_folder(run, tmp_path) -> None:
    (tmp_path / "file").touch()
    assert "--out" in one_sentence(run("reproduce", QUICK, "--out", tmp_path / "file"))


@pytest.mark.parametrize(
    ("names", "wanted"), [((QUICK,), "visits"), (("2005", "2013"), "clickstreams-2005")]
)
def test_a_wrong_data_folder_is_refused(run, tmp_path, names, wanted) -> None:
    assert "--data" in one_sentence(run("reproduce", *names, "--data", tmp_path / "nowhere"))
    message = one_sentence(run("reproduce", *names, "--data", tmp_path))
    assert wanted in message


def test_what_cannot_be_used_is_refused_before_anything_runs(run, tmp_path) -> None:
    out = tmp_path / "papers"
    asked = ("reproduce", "all", "--out", out)
    for option, value in (
        ("--set", "cell-m=wide"),
        ("--set", "box=1,2,3"),
        ("--set", "timezone=Mars/Phobos"),
        ("--set", "weight=heavy"),
        ("--threads", 0),
        ("--memory", "much"),
        ("--window", "09:00-17:00"),
        ("--end-column", "until"),
    ):
        one_sentence(run(*asked, option, value))
    assert not out.exists()
    assert "--out" in one_sentence(run("reproduce", QUICK, "--out", ""))


def test_the_list_can_be_of_some_experiments(run) -> None:
    listed = run("reproduce", "--list", "2013", "--json").json["experiments"]
    assert [each["name"].split("-")[0] for each in listed] == ["2013"] * 3
    assert "geolife" not in run("reproduce", "--list", "2013").out
    one_sentence(run("reproduce", "--list", "1999"))


def test_data_that_does_not_suit_one_experiment_does_not_stop_the_others(run, tmp_path) -> None:
    one_week = "user,location,start\na,p,2012-03-05T08:00:00Z\nb,q,2012-03-05T08:00:00Z\n"
    (tmp_path / "associations-2013.csv").write_text(one_week)
    out = tmp_path / "papers"
    asked = ("reproduce", QUICK, "2013-table-1", "--data", tmp_path, "--out", out)
    finished = run(*asked)
    assert finished.code == 0
    assert "two weeks" in finished.out
    kept = json.loads((out / "papers.json").read_text())["experiments"]
    assert [(each["name"], each["refused"] is None) for each in kept] == [
        (QUICK, True),
        ("2013-table-1", False),
    ]
    assert "two weeks" in (out / "papers.html").read_text()
    alone = run("reproduce", "2013-table-1", "--data", tmp_path)
    assert "two weeks" in one_sentence(alone)


def test_a_stopped_run_leaves_whole_files_and_says_so(tmp_path) -> None:
    out = tmp_path / "papers"
    asked = [*PROGRAM, "reproduce", QUICK, "2005-figure-14", "--full"]
    process = subprocess.Popen([*asked, "--out", out], stderr=subprocess.PIPE, text=True)
    try:
        while process.poll() is None and not (out / "papers.html").exists():
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 130
    assert message.endswith("trailprint: Stopped.\n")
    kept = json.loads((out / "papers.json").read_text())
    assert [each["name"] for each in kept["experiments"]] == [QUICK]
    assert {path.name for path in out.iterdir()} == {
        f"{QUICK}.csv",
        f"{QUICK}-compared.csv",
        f"{QUICK}-1.svg",
        "papers.html",
        "papers.json",
    }


def test_own_columns_can_be_named(run, tmp_path) -> None:
    lines = [
        f"{device};{place};2012-03-{day} {hour}:30:00"
        for day in ("05", "06", "12", "13")
        for device, place in (("a", "p"), ("b", "q"))
        for hour in ("00", "07")
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["mac;ap;when", *lines]) + "\n")
    columns = ("--user-column", "mac", "--location-column", "ap", "--start-column", "when")
    asked = ("reproduce", "2013-table-1", "--data", path, *columns, "--json")
    rows = run(*asked).json["experiments"][0]["rows"]
    assert {(row["users"], row["accuracy"]) for row in rows} == {(2, 1.0)}


def test_settings_must_be_known(run) -> None:
    assert "--set" in one_sentence(run("reproduce", QUICK, "--set", "colour=red"))


def test_own_data_is_used_and_said(run, tmp_path) -> None:
    folder = tmp_path / "clickstreams-2005"
    folder.mkdir()
    (folder / "visits.csv").write_text("user,location\na,s\na,t\nb,t\nc,u\nc,s\n")
    (folder / "purchases.csv").write_text("user,location\na,s\nb,t\n")
    (folder / "households.csv").write_text("user,household\na,h1\nb,h1\nc,h2\n")
    found = run("reproduce", "2005-section-4.1.1", "--data", tmp_path, "--json").json
    (experiment,) = found["experiments"]
    assert experiment["population"] == "your data"
    assert experiment["rows"][0]["identified"] == 2


@pytest.mark.parametrize("kind", ["households", "weekday-campus"])
def test_the_populations_can_be_simulated(run, tmp_path, kind) -> None:
    out = tmp_path / "people.parquet"
    assert run("simulate", kind, "--users", 30, "--out", out, "--json").json["users"] == 30
    assert run("inspect", out, "--json").json["users"] <= 30
