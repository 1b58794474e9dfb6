"""Where nothing more can be written: one sentence, nothing half-written, nothing left over."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from trailprint.simulate.campus import CampusOptions, simulate_campus

PROGRAM = [sys.executable, "-P", "-m", "trailprint"]
#: Time for the attack that is asked for, and for nothing else.
QUICK = ("--attacks", "histogram", "--time-limit", "0.001s")


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=30, n_days=14)), path)
    return path


@pytest.fixture
def run_limited(tmp_path):
    """
    Run the program where no file may grow beyond a size: to it, that is a disk that is full.

    Temporary files go to a folder of their own, which must be empty at the end.
    """
    own = tmp_path / "temporary"
    own.mkdir()

    def run(n_bytes, *arguments, **more):
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": str(own)},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes)),
            **{"stdout": subprocess.PIPE, **more},
        )
        assert not list(own.iterdir())
        return done

    return run


def check(done, tmp_path, outputs):
    assert done.returncode == 2, done.stderr
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("trailprint:")]
    assert "the system allows no larger files" in message
    assert not done.stdout
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(outputs)


def test_both_parts_of_a_split_or_none(run_limited, campus, tmp_path):
    (tmp_path / "a.csv").write_text("before\n")
    outputs = ("--released", tmp_path / "a.csv", "--auxiliary", tmp_path / "b.parquet")
    done = run_limited(20_000, "split", campus, "--at", "median", *outputs)
    check(done, tmp_path, [tmp_path / "a.csv"])
    assert (tmp_path / "a.csv").read_text() == "before\n"


def test_links(run_limited, campus, tmp_path):
    arguments = ("match", campus, "--at", "median", "--links", tmp_path / "links.csv")
    check(run_limited(500, *arguments), tmp_path, [])


def test_models(run_limited, campus, tmp_path):
    done = run_limited(1_000, "correlate", campus, "--at", "median", "--threads", 1)
    assert done.returncode == 2
    assert "A model must be written to the folder of temporary files" in done.stderr


def test_a_report(run_limited, campus, tmp_path):
    """Finished parts stay, for the next run; outputs do not."""
    out = tmp_path / "out"
    done = run_limited(20_000, "audit", campus, "--out", out, *QUICK)
    parts = {path for path in (out / "work").rglob("*") if path.is_file()}
    check(done, tmp_path, parts)
    assert not [path for path in parts if path.name.startswith(".")]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_screen(run_limited, campus, tmp_path, monkeypatch, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with (tmp_path / "result.json").open("w") as file:
        done = run_limited(100, "match", campus, "--at", "median", "--json", stdout=file)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the system allows no larger files" in done.stderr


def test_no_file_at_all(run_limited, campus):
    done = run_limited(0, "match", campus, "--at", "median")
    assert done.returncode == 2
    assert "There must be a folder of temporary files that can be written to" in done.stderr
