"""A few people who do not exist, as a table of text."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass, replace

from tests.fuzz.canaries import LATITUDE, LONGITUDE, NUMERIC_USER, PLACE, USER

#: Four weeks around the night in which Europe's clocks lose an hour.
_FIRST = dt.datetime(2024, 3, 11)


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of text, all of one length."""

    columns: dict[str, list[str]]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return max(map(len, self.columns.values()), default=0)

    def rows(self) -> list[list[str]]:
        """The same, row by row."""
        return [list(row) for row in zip(*self.columns.values(), strict=True)]

    def take(self, rows: list[int]) -> Table:
        """Only these rows, in this order."""
        return Table({name: [cells[i] for i in rows] for name, cells in self.columns.items()})

    def select(self, *names: str) -> Table:
        """Only these columns, in this order."""
        return Table({name: self.columns[name] for name in names if name in self.columns})

    def without(self, name: str) -> Table:
        """All columns but one."""
        return Table({n: cells for n, cells in self.columns.items() if n != name})

    def cells(self, name: str) -> list[str]:
        """A column's cells; blanks where there is no such column."""
        return self.columns.get(name) or [""] * self.n_rows

    def renamed(self, **names: str) -> Table:
        """The same under other names."""
        return Table({names.get(name, name): cells for name, cells in self.columns.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How large a population is, and how its values are written."""

    n_users: int
    n_places: int
    n_events: int
    numeric: bool
    times: str


_SIZES = (1, 2, 3, 5, 8, 13, 20)
_TIMES = ("iso", "iso", "iso", "blank", "zulu", "offset", "seconds", "milliseconds", "day-first")


def draw_shape(rng: random.Random) -> Shape:
    """A small population; rarely one user or one place."""
    return Shape(
        n_users=rng.choice(_SIZES),
        n_places=rng.choice((1, 2, 4, 6, 9)),
        n_events=rng.choice((1, 3, 8, 12)),
        numeric=rng.random() < 0.15,
        times=rng.choice(_TIMES),
    )


def draw_population(rng: random.Random, shape: Shape) -> Table:
    """Everything a layout may need, one row an event."""
    habits = [rng.sample(range(shape.n_places), min(3, shape.n_places)) for _ in range(40)]
    events = [
        _draw_event(rng, shape, user, habits[user])
        for user in range(shape.n_users)
        for _ in range(shape.n_events)
    ]
    names = ("user", "location", "start", "end", "lat", "lon", "count", "url")
    return Table({name: [event[i] for event in events] for i, name in enumerate(names)})


def _draw_event(rng: random.Random, shape: Shape, user: int, habits: list[int]) -> list[str]:
    place = rng.choice(habits) if rng.random() < 0.8 else rng.randrange(shape.n_places)
    start = _FIRST + dt.timedelta(days=rng.randrange(28), minutes=rng.randrange(360, 1320))
    end = start + dt.timedelta(minutes=rng.randrange(1, 200))
    return [
        (NUMERIC_USER if shape.numeric else USER).format(user),
        PLACE.format(place % 3, place % 2, place),
        write_time(start, shape.times),
        write_time(end, shape.times),
        f"{LATITUDE}{place}",
        f"{LONGITUDE}{place}",
        str(rng.randrange(1, 6)),
        f"https://bzqx{place}.example/page",
    ]


def write_time(time: dt.datetime, form: str) -> str:
    """A time as text, in one of the ways people write them."""
    seconds = int((time - dt.datetime(1970, 1, 1)).total_seconds())
    return {
        "iso": time.isoformat(),
        "blank": time.isoformat(sep=" "),
        "zulu": f"{time.isoformat()}Z",
        "offset": f"{time.isoformat()}+02:00",
        "seconds": str(seconds),
        "milliseconds": str(seconds * 1000),
        "day-first": f"{time:%d/%m/%Y %H:%M}",
    }[form]


def with_times(shape: Shape, times: str) -> Shape:
    """The same people with times in another form."""
    return replace(shape, times=times)
