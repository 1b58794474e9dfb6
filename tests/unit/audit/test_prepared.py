"""Events are prepared once: private, found again, and gone at the end unless they are kept."""

from __future__ import annotations

import stat
from contextlib import nullcontext
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.presence import present

from trailprint.audit import AuditOptions, audit, prepared
from trailprint.audit.outcomes import WORK_MANIFEST
from trailprint.audit.prepared import PreparedEvents
from trailprint.audit.sides import make_sides
from trailprint.errors import OptionError
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import FolderStore

OPTIONS = AuditOptions(attacks=("trail",), protections=("top-locations:n=5",))


@pytest.fixture(scope="module")
def campus():
    return simulate_campus(CampusOptions(n_users=20, n_days=14, seed=2))


@pytest.fixture
def path(campus, tmp_path):
    pq.write_table(campus, tmp_path / "campus.parquet")
    return tmp_path / "campus.parquet"


@pytest.fixture(scope="module")
def sides(campus, engine):
    events = read(campus, engine=engine)
    ids = events.engine.arrow(f'SELECT DISTINCT "user" AS u FROM ({events.query}) ORDER BY u')["u"]
    ids = ids.cast(pa.string())
    truth = pa.table({"released": ids[:12], "auxiliary": ids[1:13]})
    return make_sides([events, events], truth, AuditOptions(knows="points:4", users=10))


def rows_of(events):
    columns = ", ".join(f'"{name}"' for name in sorted(events.columns))
    return events.engine.rows(f"SELECT {columns} FROM ({events.query}) ORDER BY ALL")


def test_what_was_prepared_is_found_as_it_was(sides, engine, tmp_path):
    work = tmp_path / "work"
    with (
        PreparedEvents(work, engine, {"a": 1}, keep=True) as first,
        PreparedEvents(work, engine, {"a": 1}) as second,
    ):
        for again in (first.write(sides), present(second.found)):
            for name in ("released", "auxiliary"):
                own, other = getattr(sides, name), getattr(again, name)
                assert rows_of(own) == rows_of(other)
                assert replace(own, query=other.query, raw_query="") == other
            assert again.own_ids == sides.own_ids
            assert again.tallies == sides.tallies
            assert replace(again, released=sides.released, auxiliary=sides.auxiliary) == sides


def test_what_was_found_is_not_swept_as_left_behind(sides, engine, tmp_path):
    work = tmp_path / "work"
    with PreparedEvents(work, engine, {"a": 1}, keep=True) as first:
        first.write(sides)
    with PreparedEvents(work, engine, {"a": 1}) as second:
        found = present(second.found)
        FolderStore(work, WORK_MANIFEST)  # It removes what nobody will finish.
        assert rows_of(found.released) == rows_of(sides.released)
    assert not list((work / "prepared").glob(".*"))


def test_only_what_fits_and_is_whole_is_found(sides, engine, tmp_path):
    work = tmp_path / "work"
    with PreparedEvents(work, engine, {"a": 1}, keep=True) as own:
        own.write(sides)
    assert PreparedEvents(work, engine, {"a": 2}).found is None
    file = work / "prepared" / "released.parquet"
    file.write_bytes(file.read_bytes()[:-1] + b"\0")
    assert PreparedEvents(work, engine, {"a": 1}).found is None
    assert PreparedEvents(tmp_path / "nowhere", engine, {"a": 1}).found is None


def test_prepared_events_are_for_their_owner_only(sides, engine, tmp_path):
    with PreparedEvents(tmp_path / "work", engine, {}, keep=True) as own:
        own.write(sides)
    folder = tmp_path / "work" / "prepared"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("fails", [False, True])
def test_they_are_gone_at_the_end_unless_they_are_kept(sides, engine, tmp_path, monkeypatch, fails):
    monkeypatch.setattr(prepared, "LEAST_ROWS", 0)
    folder = tmp_path / "work" / "prepared"
    with (
        pytest.raises(ZeroDivisionError) if fails else nullcontext(),
        PreparedEvents(tmp_path / "work", engine, {}) as own,
    ):
        own.write(sides)
        assert len(list(folder.iterdir())) == 3
        if fails:
            raise ZeroDivisionError
    assert not folder.exists()


def test_audits_in_one_folder_do_each_other_no_harm(sides, engine, tmp_path):
    with (
        PreparedEvents(tmp_path, engine, {"a": 1}, keep=True) as first,
        PreparedEvents(tmp_path, engine, {"a": 2}, keep=True) as second,
    ):
        own, swapped = first.write(sides), replace(sides, released=sides.auxiliary)
        with PreparedEvents(tmp_path, engine, {"a": 1}) as third:
            found = present(third.found)
            second.write(swapped)
            assert rows_of(own.released) == rows_of(found.released) == rows_of(sides.released)
    assert not list(tmp_path.rglob(".unfinished-*"))
    assert PreparedEvents(tmp_path, engine, {"a": 2}).found is not None


def test_little_data_stays_in_memory(sides, engine, tmp_path):
    with PreparedEvents(tmp_path / "work", engine, {}) as own:
        assert own.write(sides) is sides
    assert not (tmp_path / "work").exists()


def test_after_the_plan_the_source_is_not_needed(path):
    result = audit(path, options=OPTIONS, on_plan=lambda plan: path.unlink(), n_threads=1)
    assert len(result.to_dict()["protections"]["points"]) == 2


def test_a_second_audit_reads_no_source(path, tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    first = audit(path, options=OPTIONS, prepared=folder, n_threads=1).to_dict()
    reads: list[object] = []
    monkeypatch.setitem(audit.__globals__, "open_places", reads.append)
    again = audit(path, options=OPTIONS, prepared=folder, n_threads=1).to_dict()
    assert not reads
    for result in (first, again):
        del result["seconds"]
        for attack in result["attacks"]:
            attack.pop("seconds", None)
    assert first == again


def test_tables_are_at_hand_already(campus, tmp_path):
    with pytest.raises(OptionError, match="prepared from files"):
        audit(campus, options=OPTIONS, prepared=tmp_path / "kept")
