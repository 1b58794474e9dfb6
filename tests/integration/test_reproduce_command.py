"""``trailprint reproduce`` as a user runs it."""

import json
import re

import pytest

QUICK = "2005-figure-11"


def one_sentence(finished) -> str:
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
    arguments = ("reproduce", "2005-figure-15", "--json")
    first, second = (run(*arguments).json["experiments"][0] for _ in range(2))
    threads = run(*arguments, "--threads", 1).json["experiments"][0]
    other = run(*arguments, "--seed", 1).json["experiments"][0]
    assert first["rows"] == second["rows"] == threads["rows"]
    assert first["rows"] != other["rows"]


def test_an_unknown_name_is_refused(run) -> None:
    assert "Did you mean 2005-figure-1" in one_sentence(run("reproduce", "2005-figure-1"))
    assert "--list" in one_sentence(run("reproduce"))


def test_out_must_be_a_folder(run, tmp_path) -> None:
    (tmp_path / "file").touch()
    assert "--out" in one_sentence(run("reproduce", QUICK, "--out", tmp_path / "file"))


@pytest.mark.parametrize("names", [(QUICK,), ("2005", "2013")])
def test_a_wrong_data_folder_is_refused(run, tmp_path, names) -> None:
    assert "--data" in one_sentence(run("reproduce", *names, "--data", tmp_path / "nowhere"))
    message = one_sentence(run("reproduce", *names, "--data", tmp_path))
    assert "clickstreams-2005" in message or "visits" in message


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
