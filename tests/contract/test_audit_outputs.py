"""What others rely on in an audit's folder: no identifiers, its schema, the same bytes twice."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.contract.test_disclosure import assert_nothing_follows

from trailprint.audit.result_schema import describe_result
from trailprint.cli.main import main

jsonschema = pytest.importorskip("jsonschema")

#: What must never be seen unless it is asked for; the positions are as distinctive as the names.
USER = re.compile(r"SECRETUSER|987654")
PLACE = re.compile(r"SECRETPLACE|12\.3456|98\.7654")
PUBLIC = ("report.html", "result.json", "manifest.json", "settings.toml", "tables")


def rows():
    random = np.random.default_rng(4)
    habits = random.dirichlet(np.full(15, 0.2), 25)
    for day in range(21):
        for user, habit in enumerate(habits):
            for hour, place in zip((8, 12, 17), random.choice(15, 3, p=habit), strict=True):
                yield (
                    f"SECRETUSER{987654000 + user}",
                    f"SECRETPLACE{place % 4}.room{place}",
                    f"2024-01-{1 + day:02}T{hour:02}:00:00",
                    f"2024-01-{1 + day:02}T{hour + 2:02}:00:00",
                )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("user", "location", "start", "end"), *rows()])
    return path


def audit(data: Path, out: Path, *arguments: str) -> Path:
    with pytest.raises(SystemExit) as stopped:
        main(["audit", str(data), "--out", str(out), *arguments])
    assert not stopped.value.code
    return out


@pytest.fixture(scope="module")
def audited(data, tmp_path_factory):
    return audit(data, tmp_path_factory.mktemp("audit") / "a", "--threads", "1")


def read_all(folder: Path, names: tuple[str, ...] = PUBLIC) -> dict[str, str]:
    paths = [p for name in names for p in (folder / name, *(folder / name).rglob("*"))]
    return {str(p.relative_to(folder)): p.read_text() for p in paths if p.is_file()}


def test_nobody_and_no_place_is_named(audited):
    written = read_all(audited)
    assert len(written) > 10
    for name, text in written.items():
        assert not USER.search(text), name
        assert not PLACE.search(text), name


def assert_kept_work_names_nobody(folder):
    paths = [path for path in (folder / "work/parts").iterdir() if path.is_file()]
    assert len(paths) > 2
    for path in paths:
        # A seal stands before the arrays.
        sealed = path.read_bytes()
        with np.load(io.BytesIO(sealed[sealed.index(b"PK\x03\x04") :])) as arrays:
            kept = b"".join(arrays[name].tobytes() for name in arrays.files)
        assert not USER.search(kept.decode("latin-1")), path.name
        assert not PLACE.search(kept.decode("latin-1")), path.name


def test_what_is_kept_meanwhile_names_nobody(audited):
    assert_kept_work_names_nobody(audited)


def test_nothing_is_said_on_the_way(data, tmp_path, capsys):
    capsys.readouterr()
    audit(data, tmp_path / "a", "--threads", "1", "--attacks", "trail", "--time-limit", "1s")
    printed = capsys.readouterr()
    assert not USER.search(printed.out + printed.err)
    assert not PLACE.search(printed.out + printed.err)


def test_places_are_named_when_that_is_asked_for(data, audited, tmp_path):
    arguments = ("--threads", "1", "--attacks", "histogram", "--protect", "top-locations:n=3")
    written = read_all(audit(data, tmp_path / "a", *arguments, "--name-locations"))
    assert PLACE.search(written["result.json"])
    assert PLACE.search(written["report.html"])
    assert not any(USER.search(text) for text in written.values())
    # Names are put in at the end: what is kept for the next run never holds them.
    assert_kept_work_names_nobody(tmp_path / "a")
    again = read_all(audit(data, tmp_path / "a", *arguments))
    assert not any(PLACE.search(text) for text in again.values())


def test_no_time_of_an_event_is_shown(data, audited, tmp_path, capsys):
    """At most days are shown: a time of day is that of a person's event."""
    quick = ("--threads", "1", "--attacks", "trail", "--protect", "top-locations:n=3")
    out = audit(data, tmp_path / "a", *quick, "--at", "median")
    for folder in (audited, out):
        for name, text in read_all(folder).items():
            assert not re.search(r"2024-01-\d\d[T ]\d", text), name
    sides = [f"--{side}={tmp_path / side}.csv" for side in ("released", "auxiliary")]
    for command in (
        ["split", str(data), "--at", "median", *sides],
        ["split", str(data), "--at", "median", *sides, "--json"],
        ["protect", str(data), "--apply", "top-locations", "--sweep", "n=3,5"],
    ):
        with pytest.raises(SystemExit):
            main(command)
    printed = capsys.readouterr().out
    assert "the median event (on 2024-01-" in printed
    assert not re.search(r"\d\d:\d\d:\d\d", printed)


def test_people_are_named_when_that_is_asked_for(data, tmp_path):
    arguments = ("--threads", "1", "--attacks", "histogram", "--protect", "top-locations:n=3")
    out = audit(data, tmp_path / "a", *arguments, "--per-user", "--time-limit", "0.001s")
    people = pq.read_table(out / "per_user.parquet")
    assert people.num_rows == 25
    assert all(USER.search(user) for user in people["user"].to_pylist())
    assert (out / "per_user.parquet").stat().st_mode & 0o077 == 0
    assert not any(USER.search(text) for text in read_all(out).values())


def schema_violations(folder):
    result = json.loads((folder / "result.json").read_text())
    found = jsonschema.Draft202012Validator(describe_result()).iter_errors(result)
    return [violation.json_path for violation in found]


def test_the_result_obeys_its_schema(audited):
    assert schema_violations(audited) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--attacks", "trail", "--time-limit", "0.001s"),
        ("--attacks", "histogram", "--protect", "coarsen-grid", "--users", "3"),
    ],
)
@pytest.mark.usefixtures("blank_charts")
def test_a_meagre_result_obeys_its_schema(data, tmp_path, arguments):
    out = audit(data, tmp_path / "a", "--threads", "1", *arguments)
    assert schema_violations(out) == []


@pytest.mark.usefixtures("blank_charts")
def test_the_same_seed_gives_the_same_bytes(data, audited, tmp_path):
    other = audit(data, tmp_path / "a", "--threads", "2")
    texts = []
    for folder in (audited, other):
        result = json.loads((folder / "result.json").read_text())
        result["seconds"] = None
        for attack in result["attacks"]:
            attack["seconds"] = None
        texts.append(json.dumps(result, indent=1))
    assert texts[0] == texts[1]


def test_small_counts_are_not_shown(audited):
    result = json.loads((audited / "result.json").read_text())
    counts = [
        *(row["people"] for row in result["worst_case"]["by_attacks"]),
        *(row["people"] for row in result["per_user"]["bins"]),
        *(row[key] for row in result["agreement"] for key in ("both", "only_first", "neither")),
        *(row["users"] for row in result["why"]["locations"]),
        *(row[key] for row in result["controls"] for key in ("people", "links")),
        *(point["links"] for attack in result["attacks"] for point in attack["coverage"]),
        *(attack["correct"] for attack in result["attacks"]),
        result["why"]["one_rare_location"]["people"],
    ]
    assert "<10" in counts
    # How many an attack does not link follows from how many it does.
    follows = {attack["people"] - attack["correct"] for attack in result["attacks"]}
    assert not any(isinstance(n, int) and 0 < n < 10 and n not in follows for n in counts)


def test_small_counts_cannot_be_worked_out_from_shares(audited):
    result = json.loads((audited / "result.json").read_text())
    n_people = result["data"]["common_users"]
    for control in result["controls"]:
        if "<10" in (control["people"], control["links"]):
            assert control["share"] is None
            assert control["interval"] is None
        counts = re.findall(r"\b\d[\d,]*\b(?![.%]| %)", control["reading"])
        assert all(int(n.replace(",", "")) >= 10 or n == "0" for n in counts), control["reading"]
    changes = [row["leave_one_out"] for row in result["why"]["locations"]]
    assert not any(isinstance(c, float) and 0 < abs(c * n_people) < 9.5 for c in changes)


def test_nothing_small_follows_from_the_rest(audited):
    """As `tests/contract/test_disclosure.py` checks it for generated counts."""
    result = json.loads((audited / "result.json").read_text())
    assert_nothing_follows(result)
    assert isinstance(result["headline"]["linked"], int)


def read_table(folder, name):
    with open(folder / "tables" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_mask_what_the_result_masks(audited):
    result = json.loads((audited / "result.json").read_text())
    for row, reported in zip(read_table(audited, "agreement"), result["agreement"], strict=True):
        assert row == {name: str(n) for name, n in reported.items()}
    numbers = [row["people"] for row in read_table(audited, "worst_case")]
    assert numbers == [str(row["people"]) for row in result["worst_case"]["by_attacks"]]
    bins = [row["people"] for row in read_table(audited, "risk")]
    assert bins == [str(row["people"]) for row in result["per_user"]["bins"]]
    for row, reported in zip(read_table(audited, "attacks"), result["attacks"], strict=True):
        for name in ("correct", "accuracy", "precision"):
            assert row[name] == ("" if reported[name] is None else str(reported[name]))
    curves = [point for attack in result["attacks"] for point in (attack["ranks"] or {})["curve"]]
    assert [float(row["share"]) for row in read_table(audited, "ranks")] == [
        p["share"] for p in curves
    ]
