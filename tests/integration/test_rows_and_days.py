"""What an audit says of rows and days is what it means."""

from __future__ import annotations

import pytest

import trailprint as tp
from trailprint.report.html import render_report


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
    wanted = tp.AuditOptions(attacks=("histogram",), protections=())
    return tp.audit(events, options=wanted).to_dict()


def test_dropped_duplicates_are_not_unreadable(audited) -> None:
    assert audited["data"]["rows_skipped"] == 0
    assert audited["data"]["rows_left_out"] == {"duplicate rows": 7}
    page = render_report(audited)
    assert "could not be read" not in page
    assert "7 rows were left out on purpose: duplicate rows." in page


def test_the_first_day_is_that_of_the_time_zone(audited) -> None:
    released = audited["data"]["released"]
    assert released["first"] == "2024-01-01T01:30:00+09:00"
    assert "2023-12-31" not in render_report(audited)


def test_unreadable_rows_are_not_left_out_on_purpose(write) -> None:
    rows = [*_rows(), "u1,,2024-01-01 01:00:00"]
    path = write("visits.csv", "\n".join(["user,location,start", *rows]) + "\n")
    events = tp.read(path, tp.ReadOptions(allow_bad_rows=True))
    wanted = tp.AuditOptions(attacks=("histogram",), protections=())
    data = tp.audit(events, options=wanted).to_dict()["data"]
    assert (data["rows_skipped"], data["rows_left_out"]) == (1, {})


@pytest.mark.parametrize(
    ("zone", "first"),
    [
        ("UTC", "2024-01-01T00:30:00Z"),
        ("America/New_York", "2024-01-01T00:30:00-05:00"),
        ("Asia/Kathmandu", "2024-01-01T00:30:00+05:45"),
    ],
)
def test_the_first_event_is_shown_with_its_offset(write, run, zone, first) -> None:
    path = write("v.csv", "user,location,start\na,x,2024-01-01 00:30:00\n")
    assert run("inspect", path, "--timezone", zone, "--json").json["first"] == first
