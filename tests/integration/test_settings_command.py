"""``trailprint audit --settings``: an audit run again from what it wrote."""

import json
import tomllib

import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.simulate.campus import CampusOptions, simulate_campus

pytestmark = pytest.mark.usefixtures("blank_charts")

#: Time for what is asked for, and for nothing else.
LIMIT = ("--time-limit", "0.001s")
QUICK = ("--threads", 1, "--attacks", "histogram", "--protect", "microaggregate:k=3", *LIMIT)


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=30, n_days=14)), path)
    return path


def figures(folder):
    result = json.loads((folder / "result.json").read_text())
    return result["headline"], result["settings"], result["data"]


def test_the_settings_an_audit_wrote_run_it_again(run, campus, tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    typed = (*QUICK, "--at", "median", "--title", "Campus", "--min-events", 2, "--json")
    assert run("audit", campus, "--out", first, *typed).code == 0
    settings = tomllib.loads((first / "settings.toml").read_text())
    assert settings == {
        "data": str(campus),
        "out": str(first),
        "title": "Campus",
        "attacks": "histogram",
        "protect": ["microaggregate:k=3"],
        "time-limit": "0.001s",
        "threads": 1,
        "at": "median",
        "min-events": 2,
    }
    again = run("audit", "--settings", first / "settings.toml", "--out", second)
    assert again.code == 0, again.err
    assert figures(first) == figures(second)
    assert tomllib.loads((second / "settings.toml").read_text()) == {
        **settings,
        "out": str(second),
    }


def test_settings_saved_from_python_run_the_audit_again(run, campus, tmp_path):
    split = tp.SplitOptions(at="median", released_users=20, auxiliary_users=20, seed=7)
    options = tp.AuditOptions(
        attacks="histogram", split=split, protections="microaggregate:k=3", time_limit_s=0.001
    )
    tp.audit(campus, options=options, n_threads=1).save(tmp_path / "a")
    again = run("audit", "--settings", tmp_path / "a/settings.toml", "--out", tmp_path / "b")
    assert again.code == 0, again.err
    assert figures(tmp_path / "a") == figures(tmp_path / "b")


def test_a_source_that_is_not_a_file_or_not_read_as_usual_is_not_named(campus, tmp_path):
    options = tp.AuditOptions(attacks="histogram", time_limit_s=0.001)
    tp.audit(tp.read(campus), options=options, n_threads=1).save(tmp_path / "a")
    reading = tp.ReadOptions(timezone="Europe/Zurich")
    tp.audit(campus, options=options, reading=reading, n_threads=1).save(tmp_path / "b")
    for name in ("a", "b"):
        assert "data" not in tomllib.loads((tmp_path / name / "settings.toml").read_text())


def test_what_is_typed_overrides_the_file(run, campus, tmp_path):
    (tmp_path / "s.toml").write_text(
        'attacks = "histogram"\nusers = 20\nprotect = "microaggregate:k=2"\n'
    )
    typed = ("--users", 10, *LIMIT, "--title", "Ten")
    done = run("audit", campus, "--settings", tmp_path / "s.toml", "--out", tmp_path / "o", *typed)
    assert done.code == 0, done.err
    _, settings, data = figures(tmp_path / "o")
    assert data["sampled"]["users"] == 10
    assert (settings["attacks"], settings["title"]) == (["histogram"], "Ten")
    assert settings["protections"] == ["microaggregate:k=2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user = 5", "--settings must hold only options of the audit, got 'user'. Did you mean"),
        ("users = 'ten'", "In --settings, users must be a whole number, got str instead."),
        ("users = true", "In --settings, users must be a whole number, got bool instead."),
        ("per-user = 1", "In --settings, per-user must be true or false, got int instead."),
        ("at = 2024-01-01", "In --settings, at must be text in quotes, got date instead."),
        ("protect = [1]", "In --settings, protect must be text in quotes, got int instead."),
        ("settings = 'other.toml'", "--settings must hold only options of the audit"),
        ("users = 1", "--users must be at least 2 people, got 1 instead."),
        ("users", "--settings must name a TOML file"),
        ("users = 5", "Missing argument 'DATA'. Try --help."),
        ("data = 'x.csv'", "Missing option '--out'. Try --help."),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence_and_nothing_is_written(run, text, message, tmp_path):
    (tmp_path / "s.toml").write_text(text)
    given = () if "Missing" in message else ("x.csv", "--out", tmp_path / "o")
    done = run("audit", *given, "--settings", tmp_path / "s.toml")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_settings_file_that_is_not_there(run, tmp_path):
    done = run("audit", "x.csv", "--out", tmp_path / "o", "--settings", tmp_path / "none.toml")
    assert done.code == 2
    assert "--settings must name a file that can be read" in done.err
