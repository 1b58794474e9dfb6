"""Secret names of locations are found again from how they are used."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from trailprint.workflows.renamed import Recovered, recover_locations

PLACES = [f"place {k:02}" for k in range(8)]
START = dt.datetime(2024, 3, 4, tzinfo=dt.UTC)


@pytest.fixture
def sides(make_events):
    """Two fortnights of 25 people; every place has hours of its own."""
    random = np.random.default_rng(4)
    habits = random.dirichlet(np.full(8, 0.5), 25)

    def period(first_day: int, name: str) -> list[tuple[object, ...]]:
        return [
            (
                f"u{user:02}",
                f"{name}{PLACES[place]}",
                START + dt.timedelta(days=first_day + day, hours=int(8 + place + hour)),
                46.0,
                6.0,
            )
            for user in range(25)
            for day in range(14)
            for hour, place in enumerate(random.choice(8, 3, p=habits[user]))
        ]

    columns = ("user", "location", "start", "lat", "lon")
    return (
        make_events(period(0, "secret "), *columns),
        make_events(period(14, ""), *columns),
    )


def test_most_places_get_the_name_they_have_in_the_other_period(sides, rows_of):
    found, recovered = recover_locations(*sides, seed=1, n_threads=1)
    assert isinstance(recovered, Recovered)
    assert (recovered.locations, recovered.named) == (8, 8)
    before = rows_of(sides[0], "user", "start", "location")
    after = {
        (user, start): place for user, start, place in rows_of(found, "user", "start", "location")
    }
    right = [place.removeprefix("secret ") == after[user, start] for user, start, place in before]
    assert np.mean(right) > 0.7


def test_positions_are_forgotten_and_every_event_is_kept(sides, rows_of):
    found, _ = recover_locations(*sides, n_threads=1)
    assert not {"lat", "lon"} & found.columns
    assert len(rows_of(found, "user", "start")) == 25 * 14 * 3
    assert {place for (place,) in rows_of(found, "location")} <= set(PLACES) | {
        f"unknown {k}" for k in range(16)
    }


def test_it_works_without_times(sides):
    released, auxiliary = (replace(side, columns=side.columns - {"start", "end"}) for side in sides)
    _, recovered = recover_locations(released, auxiliary, n_threads=1)
    assert recovered.locations == 8


def test_one_seed_one_answer(sides, rows_of):
    first, again = (recover_locations(*sides, seed=3, n_threads=n)[0] for n in (1, 2))
    assert rows_of(first, "user", "start", "location") == rows_of(
        again, "user", "start", "location"
    )
