"""``trailprint correlate`` as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from trailprint.simulate.campus import CampusOptions, simulate_campus

FIELDS = {
    "model",
    "released_users",
    "auxiliary_users",
    "folds",
    "top",
    "mscis_median",
    "top1_interval",
    "chance",
    "models_trained",
    "taggings",
    "taggings_all_pairs",
    "seconds",
}


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=30, n_days=21, seed=1)), path)
    return path


def test_two_halves_of_a_campus(run, campus, tmp_path) -> None:
    links = tmp_path / "links.csv"
    finished = run("correlate", campus, "--at", "median", "--links", links, "--json")
    assert finished.code == 0, finished.err
    found = finished.json
    assert found.keys() >= FIELDS
    assert found["top"].keys() == {"1", "2", "5", "20"}
    assert found["seconds"].keys() >= {"train", "score", "total"}
    assert (found["model"], found["folds"], found["truth"]) == ("crf", None, "same-ids")
    assert found["chance"] == pytest.approx(1 / found["released_users"])
    assert found["top"]["1"] > 5 * found["chance"]
    shares = list(found["top"].values())
    assert shares == sorted(shares)
    low, high = found["top1_interval"]
    assert low <= found["top"]["1"] <= high
    assert 0 < found["taggings"] <= found["taggings_all_pairs"]
    assert found["models_trained"] == found["released_users"]
    with links.open() as file:
        rows = list(csv.DictReader(file))
    assert sum(row["released"] == row["auxiliary"] for row in rows) == found["correct"]
    assert stat.S_IMODE(links.stat().st_mode) == 0o600


def test_folds_pruned_and_of_all_pairs_say_the_same(run, campus, tmp_path) -> None:
    protocol = ("--folds", 4, "--rounds", 2, "--work", tmp_path / "work", "--json")
    quick = run("correlate", campus, *protocol).json
    slow = run("correlate", campus, *protocol, "--all-pairs").json
    assert (quick["folds"], len(quick["rounds"])) == (4, 2)
    for name in ("top", "mscis_median", "top1_interval", "rounds", "accuracy"):
        assert quick[name] == slow[name]
    assert slow["taggings"] == slow["taggings_all_pairs"] > quick["taggings"]
    assert (quick["models_trained"], slow["models_trained"]) == (60, 0)
    assert quick["top"]["1"] == pytest.approx(sum(one["top"]["1"] for one in quick["rounds"]) / 2)


def test_fewer_days_and_joint_links(run, campus, tmp_path) -> None:
    work = ("--at", "median", "--work", tmp_path / "work", "--json")
    whole = run("correlate", campus, *work, "--joint").json
    short = run("correlate", campus, *work, "--days", 1).json
    assert whole["matched"] == min(whole["released_users"], whole["auxiliary_users"])
    assert whole["accuracy"] >= short["accuracy"]
    assert (short["days"], short["models_trained"]) == (1, 0)


def test_damaged_and_forged_models_are_trained_again(run, campus, tmp_path) -> None:
    """CRFsuite would crash on them."""
    work = ("--at", "median", "--work", tmp_path / "work", "--threads", 1, "--json")
    first = run("correlate", campus, *work).json
    random = np.random.default_rng(0)
    models = sorted((tmp_path / "work" / "models").iterdir())
    for number, path in enumerate(models):
        whole = np.frombuffer(path.read_bytes(), dtype=np.uint8).copy()
        if number % 2:
            whole[random.integers(0, whole.size, 20)] ^= 255
            path.write_bytes(whole.tobytes())
        else:
            start = whole.tobytes().index(b"lCRF")
            path.write_bytes(whole[start:].tobytes())
    again = run("correlate", campus, *work)
    assert again.code == 0
    assert again.json["models_trained"] == len(models) == first["models_trained"]
    for name in ("top", "accuracy", "matched"):
        assert again.json[name] == first[name]


def test_the_table_names_no_person_and_no_place(run, campus) -> None:
    finished = run("correlate", campus, "--folds", 3, "--rounds", 1)
    assert finished.code == 0
    assert "pinned down to one" in finished.out
    assert "user0" not in finished.out + finished.err
    assert "by chance" in finished.out


def test_work_on_other_data_or_options_is_refused(run, campus, tmp_path) -> None:
    work = ("--work", tmp_path / "work")
    assert run("correlate", campus, "--at", "median", *work).code == 0
    mode = (tmp_path / "work" / "models" / "0").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    for other in (
        ("--at", "median", "--min-duration", "3600"),
        ("--at", "median", "--duration-edges", "600"),
        ("--folds", "3"),
    ):
        finished = run("correlate", campus, *other, *work)
        assert finished.code == 2
        assert "holds work on other data or options" in finished.err
        assert finished.err.count("\n") == 1


def test_without_truth_links_are_made_and_nothing_is_scored(run, write, tmp_path) -> None:
    day = "2024-05-{:02}T09:00,2024-05-{:02}T10:00"
    released = write(
        "released.csv",
        "user,location,start,end\n"
        + "".join(f"a,x,{day.format(d, d)}\nb,y,{day.format(d, d)}\n" for d in range(1, 6)),
    )
    auxiliary = write("auxiliary.csv", f"user,location,start,end\nq,y,{day.format(9, 9)}\n")
    links = tmp_path / "links.csv"
    found = run("correlate", released, auxiliary, "--links", links, "--json").json
    assert (found["truth"], found["top"]["1"], found["mscis_median"]) == ("none", None, None)
    assert links.read_text().splitlines()[1].startswith("b,q,")
    truth = write("truth.csv", "released,auxiliary\nb,q\n")
    scored = run("correlate", released, auxiliary, "--truth", truth, "--json").json
    assert (scored["truth"], scored["top"]["1"], scored["correct"]) == ("file", 1.0, 1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--model", "oracle", "--at", "median"), "--model must be one of"),
        (("--folds", "1"), "--folds must be"),
        (("--folds", "3", "--at", "median"), "--folds takes one dataset"),
        (("--rounds", "1", "--at", "median"), "--rounds goes with --folds"),
        (("--folds", "3", "--rounds", "4"), "--rounds must be"),
        (("--at", "median", "--days", "0"), "--days must be"),
        (("--at", "median", "--duration-edges", "many"), "--duration-edges must be"),
        (("--at", "median", "--duration-edges", "9,3"), "growing order"),
        (("--at", "median", "--min-duration", "-1"), "--min-duration must be"),
        (
            ("--at", "median", "--min-duration", "1e10"),
            "from 0 to 1,000,000,000 seconds",
        ),
        (("--folds", "3", "--active-both"), "--folds takes one dataset"),
        (("--folds", "3", "--released-users", "5"), "--folds takes one dataset"),
        (("--folds", "3", "--model", "markov", "--duration-edges", "60"), "goes with --model crf"),
        ((), "Two sides are needed"),
    ],
)
def test_wrong_options_get_one_sentence(run, campus, wrong, words) -> None:
    finished = run("correlate", campus, *wrong)
    assert (finished.code, finished.out) == (2, "")
    assert words in finished.err
    assert finished.err.count("\n") == 1


def test_a_log_without_times_or_ends_is_explained(run, write) -> None:
    path = write("visits.csv", "user,location\na,x\n")
    assert "needs a column 'start'" in run("correlate", path, "--folds", "3").err
    path = write("starts.csv", "user,location,start\na,x,2024-05-01\n")
    finished = run("correlate", path, "--folds", "3", "--min-duration", "60")
    assert "needs a column 'end'" in finished.err
    finished = run("correlate", path, "--folds", "3", "--model", "distance")
    assert "needs a column 'end'" in finished.err


@pytest.mark.parametrize("model", ["distance", "markov", "histogram", "mobility-markov"])
def test_models_that_keep_nothing_take_no_work_folder(run, campus, tmp_path, model) -> None:
    work = tmp_path / "work"
    for protocol in (("--folds", "3"), ("--at", "median")):
        finished = run("correlate", campus, *protocol, "--model", model, "--work", work)
        assert (finished.code, finished.out) == (2, "")
        assert "--work goes with --model crf" in finished.err
    assert not work.exists()


@pytest.fixture
def positions(write: Callable[[str, str], str]) -> str:
    """Six people who go from one of their three places to the next, twelve days long."""
    random = np.random.default_rng(0)
    lines = ["user,start,lat,lon"]
    for user in range(6):
        places = 46.9 + 0.2 * random.random((3, 2))
        for day, hour in np.ndindex(12, 12):
            lat, lon = places[hour // 4] + random.normal(0, 5e-5, 2)
            lines.append(f"u{user},2024-05-{day + 1:02}T{8 + hour:02}:00,{lat:.6f},{lon:.6f}")
    return write("positions.csv", "\n".join([*lines, ""]))


@pytest.mark.parametrize("protocol", [("--folds", "4"), ("--at", "median", "--days", "2")])
def test_positions_are_compared_by_mobility_chains(run, positions, protocol) -> None:
    found = run("correlate", positions, "--model", "mobility-markov", *protocol, "--json").json
    assert (found["model"], found["released_users"]) == ("mobility-markov", 6)
    assert found["top"]["1"] > 3 * found["chance"]
    assert (found["models_trained"], found["locations"]) == (0, None)


def test_rounds_without_positions_are_left_out(run, positions) -> None:
    rounds = ("--model", "mobility-markov", "--folds", "14", "--json")
    found = run("correlate", positions, *rounds).json
    assert len(found["rounds"]) == 12


@pytest.mark.parametrize("model", ["distance", "markov", "histogram"])
def test_simpler_models_take_the_same_options(run, campus, model) -> None:
    found = run("correlate", campus, "--folds", 3, "--model", model, "--json").json
    assert found["top"]["1"] > 3 * found["chance"]
    joint = run("correlate", campus, "--at", "median", "--model", model, "--joint", "--json").json
    assert joint["matched"] == min(joint["released_users"], joint["auxiliary_users"])


def test_the_histogram_beside_the_crf_is_the_histogram_model(run, campus) -> None:
    crf, histogram = (
        run("correlate", campus, "--at", "median", "--model", model, "--json").json
        for model in ("crf", "histogram")
    )
    assert crf["histogram_top1"] == histogram["top"]["1"]
    assert histogram["histogram_top1"] is None


def test_a_log_without_positions_has_no_mobility_chains(run, campus) -> None:
    finished = run("correlate", campus, "--folds", 3, "--model", "mobility-markov")
    assert finished.code == 2
    assert "needs a column 'lat'" in finished.err


def _models(work: Path) -> int:
    return len(list(work.glob("models/[0-9]*")))


def test_a_killed_run_resumes_and_leaves_no_process(run, campus, tmp_path) -> None:
    work = tmp_path / "work"
    split = [str(campus), "--at", "median", "--threads", "2", "--json"]
    # So few models would be trained in the process itself.
    program = (
        "from trailprint.attacks.sequence import models; models._WORTH_PROCESSES = 0; "
        "from trailprint.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, "correlate"]
    process = subprocess.Popen(
        [*command, *split, "--work", str(work)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "TRAILPRINT_DEBUG": "1"},
    )
    while _models(work) < 4 and process.poll() is None:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    n_kept = _models(work)
    deadline = time.monotonic() + 30
    while _group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _group_lives(process.pid)
    assert 4 <= n_kept < 30
    whole = run("correlate", *split).json
    resumed = run("correlate", *split, "--work", work).json
    assert resumed["models_trained"] == whole["models_trained"] - n_kept
    assert {**resumed, "models_trained": 0, "seconds": 0, "peak_memory_mb": 0} == {
        **whole,
        "models_trained": 0,
        "seconds": 0,
        "peak_memory_mb": 0,
    }


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_python_verb_says_the_same(run, campus) -> None:
    from trailprint import SplitOptions, read, split
    from trailprint.workflows.correlate import correlate

    sides = split(read(str(campus)), SplitOptions(at="median"))
    result = correlate(sides.released, sides.auxiliary).to_dict()
    printed = run("correlate", campus, "--at", "median", "--json").json
    measured = {"seconds": 0, "peak_memory_mb": 0}
    assert json.loads(json.dumps({**result, **measured})) == {**printed, **measured}
