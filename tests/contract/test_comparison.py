"""What a comparison must never do: name anyone, or let others find out who was linked."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import stat
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from trailprint.audit.outcomes import find_outcomes
from trailprint.report.schema import load_comparison_schema

CANARY = re.compile(r"CANARYUSER|CANARYPLACE")
N_USERS = 60


def rows():
    random = np.random.default_rng(4)
    habits = random.dirichlet(np.full(25, 0.2), N_USERS)
    for day in range(21):
        for user, habit in enumerate(habits):
            for hour, place in zip((8, 12, 17), random.choice(25, 3, p=habit), strict=True):
                start = f"2024-01-{1 + day:02}T{hour:02}:00:00"
                yield f"CANARYUSER{user}", f"CANARYPLACE{place % 6}.r{place}", start


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("data") / "data.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("user", "location", "start"), *rows()])
    return path


@pytest.fixture(scope="module")
def audits(data, tmp_path_factory) -> list[Path]:
    from trailprint.cli.main import main

    folder = tmp_path_factory.mktemp("audits")
    for name, more in (("before", ()), ("after", ("--truncate", "1"))):
        command = ["audit", str(data), "--out", str(folder / name), "--attacks", "histogram,trail"]
        with pytest.raises(SystemExit) as stopped:
            main([*command, "--protect", "top-locations:n=3", *more])
        assert not stopped.value.code
    return [folder / "before", folder / "after"]


@pytest.fixture
def compared(run, audits, tmp_path):
    finished = run("compare", *audits, "--out", tmp_path / "out", "--json")
    assert finished.code == 0, finished.err
    return finished


def test_the_same_people_are_paired_and_nobody_is_named(compared, tmp_path):
    (versus,) = compared.json["versus"]
    assert versus["why_unpaired"] is None
    assert [row["pairs"]["people"] for row in versus["families"]] == [N_USERS] * 2
    jsonschema.Draft202012Validator(load_comparison_schema()).validate(compared.json)
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(texts) > 4
    for text in [compared.out, compared.err, *texts]:
        assert not CANARY.search(text)


def test_small_counts_are_not_shown(compared):
    for row in compared.json["versus"][0]["families"]:
        for name in ("both", "only_first", "only_second", "neither"):
            n = row["pairs"][name]
            assert n == "hidden" or n == 0 or n >= 10


def test_what_is_kept_of_people_is_theirs_alone_and_names_nobody(audits):
    path = audits[0] / "work" / "people" / "outcomes"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    sealed = path.read_bytes()
    with np.load(io.BytesIO(sealed[sealed.index(b"PK\x03\x04") :])) as arrays:
        kept = b"".join(arrays[name].tobytes() for name in arrays.files)
        assert len(arrays["people"]) == N_USERS
    assert not CANARY.search(kept.decode("latin-1"))


def test_the_hashes_are_keyed(audits, tmp_path, monkeypatch):
    """Another user, who knows every id, neither opens the file nor gets the same hashes."""
    from trailprint.audit.outcomes import hash_people

    plain = json.loads((audits[0] / "result.json").read_text())
    ids = [f"CANARYUSER{i}" for i in range(N_USERS)]
    own, found = hash_people(ids), find_outcomes(audits[0], plain)
    assert found is not None
    assert set(found.people) == set(own)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not set(hash_people(ids)) & set(own)
    assert find_outcomes(audits[0], plain) is None


def test_outcomes_of_another_result_are_not_taken(run, audits, tmp_path):
    mixed = tmp_path / "mixed"
    shutil.copytree(audits[0], mixed)
    shutil.copytree(audits[1] / "work" / "people", mixed / "work" / "people", dirs_exist_ok=True)
    finished = run("compare", mixed, audits[1], "--out", tmp_path / "out", "--json")
    assert finished.code == 0, finished.err
    assert "mixed" in finished.json["versus"][0]["why_unpaired"]


def test_without_the_work_folder_people_are_not_paired(run, audits, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(audits[0], bare, ignore=shutil.ignore_patterns("work"))
    finished = run("compare", bare, audits[1], "--out", tmp_path / "out")
    assert finished.code == 0, finished.err
    assert "People are not paired" in finished.out


def test_nothing_is_written_for_what_is_no_audit(run, audits, tmp_path):
    finished = run("compare", audits[0], tmp_path, "--out", tmp_path / "out")
    assert finished.code == 2
    assert finished.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
