"""What inspect and audit say of data that is not what it seems."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.events.oddities import describe_oddities
from trailprint.places import StayOptions, to_stays

START = dt.datetime(2024, 5, 13, tzinfo=dt.UTC)


def fixes_every(minutes, *, jitter=0.0, n_days=3):
    """Two people who are somewhere for eight hours, on the move for two, and somewhere else."""
    random = np.random.default_rng(3)
    rows = []
    for user in ("a", "b"):
        offset = random.uniform(0, 60)
        for step in range(int(n_days * 1440 / minutes)):
            minute = offset + step * minutes + random.uniform(-jitter, jitter) * minutes
            phase = minute % 600
            km = 20.0 * (minute // 600) + max(0.0, phase - 480) / 6
            lat = 46 + km / 111 + random.normal(0, 1e-4)
            rows.append(
                (user, lat, 7 + random.normal(0, 1e-4), START + dt.timedelta(0, 60 * minute))
            )
    users, lat, lon, start = zip(*rows, strict=True)
    return tp.read(pa.table({"user": users, "lat": lat, "lon": lon, "start": pa.array(start)}))


@pytest.mark.parametrize(
    ("minutes", "often", "least"),
    [
        (5, "every few minutes or faster", 20),
        (15, "about every 15 minutes", 20),
        (20, "about every 20 minutes", 30),
        (30, "about every 30 minutes", 50),
        (60, "about every 60 minutes", 90),
    ],
)
def test_stays_are_proposed_that_fixes_on_the_way_are_not(minutes, often, least):
    fixes = fixes_every(minutes, jitter=0.05, n_days=6)
    (reported,) = describe_oddities(fixes)
    assert reported == (
        f"Positions come {often}: these are fixes, not visits. "
        f"--stays 200m,{least}min makes visits of them."
    )
    stays = to_stays(fixes, StayOptions.parse(f"200m,{least}min"))
    # In six days people stay 14 or 15 times; a shorter time would make stays of the way.
    assert 2 * 14 <= stays.count() <= 2 * 17


def test_fixes_every_other_hour_or_now_and_then_are_left_alone():
    assert describe_oddities(fixes_every(120, n_days=9)) == ()
    assert describe_oddities(fixes_every(30, jitter=3.0, n_days=9)) == ()


def test_positions_at_zero_are_counted():
    lat, lon = [0.0] * 2 + [46.5, 0.0], [0.0] * 2 + [6.5, 6.5]
    events = tp.read(pa.table({"user": list("abcd"), "lat": lat, "lon": lon}))
    (reported,) = describe_oddities(events)
    assert reported.startswith("2 of 4 positions are at latitude 0 and longitude 0")
    assert "--box" in reported
