"""What an audit says of rows and days is what it means."""

from __future__ import annotations

import re

import pytest

import trailprint as tp
from trailprint.audit.results.findings import Findings
from trailprint.report.audit_page import render_report

pytestmark = pytest.mark.usefixtures("blank_charts")

#: Time for the attack that is asked for, and for nothing else.
QUICK = tp.AuditOptions(attacks=("histogram",), time_limit_s=0.001)


def _rows() -> list[str]:
    """Four people in Tokyo, two weeks; every day begins before midnight in UTC."""
    return [
        f"u{user},p{(user * day) % 5},2024-01-{day:02d} 0{user}:30:00"
        for user in range(1, 5)
        for day in range(1, 15)
    ]


@pytest.fixture
def audited(write):
    rows = _rows()
    path = write("visits.csv", "\n".join(["user,location,start", *rows, *rows[:7]]) + "\n")
    options = tp.ReadOptions(timezone="Asia/Tokyo", drop_duplicates=True)
    events = tp.read(path, options)
    return tp.audit(events, options=QUICK).to_dict()


def test_dropped_duplicates_are_not_unreadable(audited) -> None:
    assert audited["data"]["rows_skipped"] == 0
    assert audited["data"]["rows_left_out"] == {"duplicate rows": 7}
    page = render_report(Findings.from_dict(audited))
    assert "could not be read" not in page
    assert "7 rows were left out on purpose: duplicate rows." in page


def test_the_first_day_is_that_of_the_time_zone(audited) -> None:
    released = audited["data"]["released"]
    assert released["first"] == "2024-01-01"
    assert "2023-12-31" not in render_report(Findings.from_dict(audited))


def test_unreadable_rows_are_not_left_out_on_purpose(write) -> None:
    rows = [*_rows(), "u1,,2024-01-01 01:00:00"]
    path = write("visits.csv", "\n".join(["user,location,start", *rows]) + "\n")
    events = tp.read(path, tp.ReadOptions(allow_bad_rows=True))
    data = tp.audit(events, options=QUICK).to_dict()["data"]
    assert (data["rows_skipped"], data["rows_left_out"]) == (1, {})


@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("UTC", "2023-12-31", "2024-01-01"),
        ("America/New_York", "2023-12-31", "2023-12-31"),
        ("Asia/Kathmandu", "2024-01-01", "2024-01-01"),
    ],
)
def test_days_are_shown_and_never_times_of_events(write, run, zone, first, last) -> None:
    rows = "a,x,2023-12-31T18:30:00Z\na,x,2024-01-01T04:45:00Z\n"
    path = write("v.csv", f"user,location,start\n{rows}")
    found = run("inspect", path, "--timezone", zone, "--json").json
    assert (found["first"], found["last"]) == (first, last)
    shown = run("inspect", path, "--timezone", zone).out
    assert first in shown
    assert not re.search(r"\d:\d\d", shown)


def test_a_stay_until_midnight_ends_the_day_before(write, run) -> None:
    path = write("v.csv", "user,location,start,end\na,x,2024-01-01 20:00,2024-01-02 00:00\n")
    assert run("inspect", path, "--json").json["last"] == "2024-01-01"
