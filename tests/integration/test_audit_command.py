"""``trailprint audit`` as a user runs it: what it writes, resumes, refuses."""

import csv
import hashlib
import json
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from trailprint.simulate.campus import CampusOptions, simulate_campus

QUICK = ("--threads", "1", "--attacks", "histogram,trail", "--protect", "microaggregate:k=3")
PROGRAM = (sys.executable, "-c", "from trailprint.cli.main import main; main()")


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=40, n_days=21)), path)
    return path


def untimed(path):
    """A result without what may differ between two runs: how long things took."""
    result = json.loads((Path(path) / "result.json").read_text())
    result.pop("seconds")
    for attack in result["attacks"]:
        attack.pop("seconds")
    return json.dumps(result, sort_keys=True)


@pytest.fixture(scope="module")
def audited(campus, tmp_path_factory):
    """One whole audit, with all attacks and everything that has to be asked for."""
    out = tmp_path_factory.mktemp("audit") / "out"
    links = out.parent / "links.csv"
    arguments = ("audit", campus, "--out", out, "--links", links, "--target-risk", "0.2")
    done = subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out, links, done


def test_what_is_written(audited):
    out, links, _ = audited
    assert {path.name for path in out.iterdir()} == {
        "report.html",
        "result.json",
        "manifest.json",
        "settings.toml",
        "per_user.parquet",
        "tables",
        "work",
    }
    tables = {path.stem for path in (out / "tables").iterdir()}
    assert {"attacks", "coverage", "ranks", "controls", "protections", "risk"} <= tables
    for private in (links, out / "per_user.parquet"):
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE((out / "work").stat().st_mode) == 0o700
    assert not list(out.rglob(".*"))


def test_the_screen(audited):
    out, _, done = audited
    result = json.loads((out / "result.json").read_text())
    assert done.stdout.startswith(result["headline"]["sentence"] + "\n")
    assert len(done.stdout.splitlines()) <= 40
    assert f"The report: {out / 'report.html'}\n" in done.stdout
    assert "parts to do, about" in done.stderr
    label = result["headline"]["protection"]["label"]
    assert f"\n{label[0].lower()}{label[1:]}  " in done.stdout


def mask(n_people):
    """How a result shows a number of people linked."""
    return "<10" if 0 < n_people < 10 else n_people


def test_every_attack_ran_and_the_figures_agree(audited):
    out, _, _ = audited
    result = json.loads((out / "result.json").read_text())
    assert [attack["ran"] for attack in result["attacks"]] == [True] * 4
    assert len({attack["people"] for attack in result["attacks"]}) == 1
    best = max(result["attacks"], key=lambda attack: attack["accuracy"] or 0.0)
    assert result["headline"]["linked"] == best["correct"]
    people = pq.read_table(out / "per_user.parquet").to_pydict()
    worst = result["worst_case"]["linked"]
    assert worst in (
        sum(n > 0 for n in people["attacks"]),
        "hidden",
        f">{len(people['user']) - 10}",
    )
    for attack in result["attacks"]:
        assert mask(sum(people[f"linked_by_{attack['name']}"])) == attack["correct"]
    target = result["protections"]["target"]
    assert (target["accuracy"] or 0.0) <= 0.2
    assert {control["attack"] for control in result["controls"]} == {
        "histogram",
        "combined",
        "trail",
        "sequence",
    }


def test_links_agree_with_the_result(audited):
    out, links, _ = audited
    with open(links, newline="") as file:
        rows = list(csv.DictReader(file))
    result = json.loads((out / "result.json").read_text())
    for attack in result["attacks"]:
        own = [row for row in rows if row["attack"] == attack["name"]]
        assert len(own) == attack["matched"]
        assert mask(sum(row["released"] == row["auxiliary"] for row in own)) == attack["correct"]


def test_the_manifest_says_what_was_read(audited, campus):
    out, _, _ = audited
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["inputs"] == [
        {
            "name": "campus.parquet",
            "files": 1,
            "bytes": campus.stat().st_size,
            "sha256": hashlib.sha256(campus.read_bytes()).hexdigest(),
        }
    ]
    assert manifest["options"]["target_risk"] == 0.2


@pytest.fixture
def copied(audited, tmp_path):
    """The audited folder, to be changed."""
    return shutil.copytree(audited[0], tmp_path / "copied")


@pytest.mark.usefixtures("blank_charts")
def test_again_nothing_is_redone_and_private_files_go(copied, campus, run):
    out = copied
    before = untimed(out)
    kept = out / "work" / "parts"
    parts = {path: path.stat().st_mtime_ns for path in kept.rglob("*")}
    finished = run("audit", campus, "--out", out, "--target-risk", "0.2")
    assert finished.code == 0, finished.err
    n_parts = len(list(kept.iterdir()))
    # A busy machine may take seconds to read the data, which is then said before.
    assert finished.err.endswith(f"Nothing to do: {n_parts} parts are kept.\n")
    assert finished.err.count("\n") <= 2
    assert untimed(out) == before
    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*")} == parts
    assert not (out / "per_user.parquet").exists()


@pytest.mark.usefixtures("blank_charts")
def test_other_options_redo_only_what_depends_on_them(copied, campus, run):
    out = copied
    finished = run("audit", campus, "--out", out, "--protect", "microaggregate:k=4")
    assert finished.code == 0, finished.err
    assert "what depends on them is done again" in " ".join(finished.err.split())
    assert "2 parts to do" in finished.err
    result = json.loads((out / "result.json").read_text())
    points = result["protections"]["points"]
    assert [point["written"] for point in points if point["asked"]] == ["microaggregate:k=4"]
    assert {point["name"] for point in points} == {"none", "microaggregate"}


@pytest.mark.usefixtures("blank_charts")
def test_killed_half_way_it_resumes(campus, tmp_path, run):
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert run("audit", campus, "--out", whole, *QUICK).code == 0
    process = subprocess.Popen(
        [*PROGRAM, "audit", str(campus), "--out", str(out), *QUICK], stderr=subprocess.DEVNULL
    )
    parts = out / "work" / "parts"
    while process.poll() is None and len(list(parts.glob("[!.]*"))) < 2:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in parts.glob("[!.]*")}
    n_all = len(list((whole / "work" / "parts").iterdir()))
    assert 2 <= len(finished) < n_all
    assert not (out / "result.json").exists()
    again = run("audit", campus, "--out", out, *QUICK)
    assert again.code == 0
    assert f"{len(finished)} parts are kept from an earlier run." in again.err
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert untimed(out) == untimed(whole)


def test_interrupted_it_says_so_and_keeps_what_is_finished(campus, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*PROGRAM, "audit", str(campus), "--out", str(out), *QUICK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    parts = out / "work" / "parts"
    while process.poll() is None and not list(parts.glob("[!.]*")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    printed, complained = process.communicate()
    assert process.returncode == 130, complained
    assert "Traceback" not in complained
    assert printed == ""
    assert list(parts.glob("[!.]*"))
    assert not (out / "result.json").exists()


def test_a_disk_that_is_full(campus, tmp_path):
    """A limit on the size of files stands for the disk: the system refuses to write on."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = subprocess.run(
        [*PROGRAM, "audit", str(campus), "--out", str(tmp_path / "out"), *QUICK],
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    message = done.stderr.strip().splitlines()[-1]
    why = "The work folder cannot be used: the system allows no larger files."
    assert message == f"trailprint: {why}"
    assert not (tmp_path / "out" / "result.json").exists()


@pytest.mark.parametrize("content", [None, "a,b\n1,2\n", "user,location\nanna,cafe\n"])
def test_input_that_cannot_be_used_leaves_no_folder(run, tmp_path, content):
    data = tmp_path / "visits.csv"
    if content is not None:
        data.write_text(content)
    before = set(tmp_path.iterdir())
    assert run("audit", data, "--out", tmp_path / "new" / "out").code == 2
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("out", ["file/out", "/proc/trailprint-audit"])
def test_a_folder_that_cannot_be_written_to(run, campus, tmp_path, out):
    (tmp_path / "file").write_text("")
    finished = run("audit", campus, "--out", tmp_path / out)
    assert finished.code == 2
    assert finished.err.startswith("trailprint: The folder ")
    assert "must be one that can be written to" in finished.err
    assert finished.err.count("\n") == 1


@pytest.mark.usefixtures("blank_charts")
def test_a_time_limit_leaves_out_what_does_not_fit(run, campus, tmp_path):
    finished = run("audit", campus, "--out", tmp_path / "out", "--time-limit", "1s", "--threads", 1)
    assert finished.code == 0, finished.err
    assert "do not fit the time limit" in finished.err
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["attacks"][0]["ran"]
    assert result["growth"]["users"] is None
    assert "limit of 1 second" in result["growth"]["left_out"][0]["why"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--attacks", "magic"), "--attacks must name some of"),
        (("--time-limit", "soon"), "--time-limit must be a duration"),
        (("--protect", "magic"), "A protection must be one of"),
        (("--released-users", "5"), "go with a split"),
        (("--truth", "nowhere.csv"), "nowhere.csv"),
        (("--links", "links.txt"), "An output must end in one of"),
    ],
)
def test_what_is_refused(run, campus, tmp_path, arguments, words):
    finished = run("audit", campus, "--out", tmp_path / "out", *arguments)
    assert finished.code == 2
    assert words in finished.err
    assert finished.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
