"""A command's time counts from its start, and some of its limit is kept for the end."""

import datetime as dt
import time

import pytest

from trailprint.audit.options import AuditOptions
from trailprint.audit.run import Asked
from trailprint.cli import audit, main, stopwatch
from trailprint.cli.running import RunOptions

DAY = dt.timedelta(days=1)
FIRST = dt.datetime(2024, 1, 1, 9)


@pytest.fixture(autouse=True)
def put_back(monkeypatch):
    monkeypatch.setattr(stopwatch, "_started", None)


def test_without_a_start_time_begins_now():
    before = time.perf_counter()
    assert before <= stopwatch.started() <= time.perf_counter()


def test_the_start_of_the_program_starts_it(capsys):
    before = time.perf_counter()
    with pytest.raises(SystemExit):
        main.main(["--version"])
    assert before <= stopwatch.started() <= time.perf_counter()
    assert capsys.readouterr().out


@pytest.mark.parametrize(("loading_s", "limit_s", "expected"), [(3, 40, 3), (30, 40, 8)])
def test_as_long_as_loading_took_is_reserved_up_to_a_fifth(
    loading_s, limit_s, expected, monkeypatch
):
    monkeypatch.setattr(stopwatch, "_started", time.perf_counter() - loading_s)
    assert stopwatch.reserve(limit_s) == pytest.approx(expected, abs=0.5)
    assert stopwatch.reserve(None) == 0


def test_an_audit_counts_from_the_start_of_the_program(monkeypatch, tmp_path, make_events):
    """What was spent before reading is gone: nothing but the first attack fits."""
    rows = [(f"p{i}", f"l{i % 7}", FIRST + d * DAY) for i in range(12) for d in range(20)]
    monkeypatch.setattr(stopwatch, "_started", time.perf_counter() - 100)
    options = AuditOptions(time_limit_s=90, attacks=("histogram", "trail"))
    events = make_events(rows, "user", "location", "start")
    asked = Asked(sides=[events], truth=None, options=options)
    result = audit.audit_to_folder(asked, str(tmp_path), RunOptions(json=True))
    done = result.to_dict()["seconds"]["parts"]
    assert list(done) == ["attack/histogram"]
