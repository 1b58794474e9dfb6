"""Inputs that several commands share: datasets, splits, and the truth to score links against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pyarrow as pa

from trailprint.cli.groups import Given, Panel
from trailprint.cli.option_fields import Written
from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.events import Column, Events
from trailprint.events.filters import FilterOptions, apply_filters, most_visited_together
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions, place
from trailprint.events.reading.own_releases import read_as_written
from trailprint.events.reading.read import read
from trailprint.events.reading.side_files import read_truth
from trailprint.events.split import METHODS, SplitOptions, split
from trailprint.events.write import check_outputs, write_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """
    The names of columns in the source, as in `ReadOptions.column_names`.

    Attributes
    ----------
    user_column : str, optional
        The column of users.
    location_column : str, optional
        The column of locations.
    start_column : str, optional
        The column of (start) times.
    end_column : str, optional
        The column of end times.
    lat_column : str, optional
        The column of latitudes.
    lon_column : str, optional
        The column of longitudes.
    count_column : str, optional
        The column of counts.
    """

    user_column: str | None = None
    location_column: str | None = None
    start_column: str | None = None
    end_column: str | None = None
    lat_column: str | None = None
    lon_column: str | None = None
    count_column: str | None = None

    def names(self) -> dict[Column, str]:
        """The given names, by Trailprint's columns."""
        given: dict[Column, str | None] = {
            "user": self.user_column,
            "location": self.location_column,
            "start": self.start_column,
            "end": self.end_column,
            "lat": self.lat_column,
            "lon": self.lon_column,
            "weight": self.count_column,
        }
        return {column: name for column, name in given.items() if name is not None}


def split_names(text: str) -> tuple[str, ...]:
    """Split names at commas; an empty one stands for a column without a name."""
    return tuple(name.strip() for name in text.split(","))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a dataset is read."""

    given: Annotated[
        Given[ReadOptions],
        Panel(
            "Reading",
            without=("column_names", "identity", "whole_row", "one_place", "keep_columns"),
            written={"header": Written(read=split_names, show=",".join, metavar="NAME,…")},
        ),
    ]
    columns: Annotated[Given[ColumnOptions], Panel("Reading")]

    def __bool__(self) -> bool:
        return bool(self.given or self.columns)

    def options(self, **others: Any) -> ReadOptions:
        """Return the library's options."""
        return self.given.options(column_names=self.columns.options().names(), **others)

    def typed(self) -> dict[str, Any]:
        """The typed values, by flag."""
        return {**self.given.typed, **self.columns.typed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaping:
    """Which places there are and which events count."""

    places: Annotated[Given[PlaceOptions], Panel("Places")]
    filters: Annotated[Given[FilterOptions], Panel("Filters")]

    @property
    def min_events(self) -> int:
        """Minimum number of events per user, on each side of a split."""
        return self.filters.options().min_events

    @property
    def regions(self) -> str | None:
        """The file of regions, if one was given."""
        regions = self.places.options().regions
        return None if regions is None else str(regions)

    def shape(self, datasets: Sequence[Events], *, two_sides: bool = False) -> list[Events]:
        """
        Assign events to places, shared by all datasets, and apply the filters.

        With ``two_sides``, ``min_events`` is left to the split, which requires it on each side.
        """
        filters = self.filters.options()
        times = replace(
            filters, min_active_days=0, min_events=0, max_events=None, top_locations=None
        )
        users = FilterOptions(
            min_active_days=filters.min_active_days,
            min_events=0 if two_sides else filters.min_events,
            max_events=filters.max_events,
        )
        kept = [apply_filters(side, times) for side in place(datasets, self.places.options())]
        if filters.top_locations is not None:
            kept = most_visited_together(kept, filters.top_locations)
        return [apply_filters(side, users) for side in kept]

    def typed(self) -> dict[str, Any]:
        """The typed values, by flag."""
        return {**self.places.typed, **self.filters.typed}


def open_events(
    source: str,
    reading: Reading,
    shaping: Shaping,
    engine: Engine,
    *,
    two_sides: bool = False,
    one_place: bool = False,
) -> Events:
    """Read, place and filter one dataset; ``one_place`` also accepts one with times only."""
    events = read(source, reading.options(one_place=one_place), engine=engine)
    return shaping.shape([events], two_sides=two_sides)[0]


def _read_all(sources: Sequence[tuple[str, ReadOptions]], engine: Engine) -> list[Events]:
    """Read datasets; if there are two, a release is read as it was written."""
    are_two = len(sources) > 1
    return [
        read(source, read_as_written(source, how) if are_two else how, engine=engine)
        for source, how in sources
    ]


Splitting = Annotated[Given[SplitOptions], Panel("Split", without=("min_events", "seed"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawOptions:
    """
    How users of both sides are drawn, where that differs from other random choices.

    Attributes
    ----------
    split_seed : int, optional
        Seed of the choice of users on both sides, if not that of every other choice.
    """

    split_seed: int | None = None

    def choose_seed(self, seed: int, *, is_cut: bool) -> int:
        """Return the seed of the split, if there is one; by default that of the command."""
        if self.split_seed is None:
            return seed
        if not is_cut:
            raise OptionError(
                "--split-seed goes with a split: say where to cut, as --at median.",
                option="split-seed",
            )
        return self.split_seed


Drawing = Annotated[DrawOptions, Panel("Split")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """
    The truth that links are scored against, and where links are written.

    Attributes
    ----------
    truth : str, optional
        File that says who is who, with columns released and auxiliary.
    links : str, optional
        File to write who was linked to whom, readable by you only.
    """

    truth: str | None = None
    links: str | None = None

    def check(self, *sources: str | None) -> None:
        """Raise an error early if the links cannot be written."""
        if self.links is not None:
            check_outputs([self.links], sources=[*sources, self.truth])

    def read_truth(self, engine: Engine) -> pa.Table | None:
        """The pairs of the truth file, if one was given."""
        return None if self.truth is None else read_truth(engine, self.truth)

    def write_links(self, links: pa.Table, engine: Engine) -> None:
        """Write the links if requested, readable by the owner only."""
        if self.links is not None:
            write_table(links, self.links, engine, private=True, for_people=True)


Scoring = Annotated[ScoreOptions, Panel("Truth and links")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideInputs:
    """Two datasets, or one and how it is split."""

    splitting: Splitting
    reading: Reading
    shaping: Shaping

    @property
    def names_a_cut(self) -> bool:
        """Whether a split method was given, and not only options on who is kept."""
        return any(method in self.splitting.values for method in METHODS)

    def open_all(self, sources: Sequence[str], engine: Engine) -> list[Events]:
        """Read, place and filter an audit's one or two datasets."""
        given = [(source, self.reading.options()) for source in sources]
        return self.shaping.shape(_read_all(given, engine), two_sides=self.names_a_cut)

    def cut(self, seed: int, **others: Any) -> SplitOptions:
        """Options of the split of one dataset."""
        return self.splitting.options(min_events=self.shaping.min_events, seed=seed, **others)

    def open(
        self,
        released: str,
        auxiliary: str | None,
        engine: Engine,
        *,
        seed: int,
        identities: tuple[str | None, str | None] | None = None,
    ) -> tuple[Events, Events]:
        """
        Read, place and filter both sides.

        ``identities`` names the columns that identify an entity on each side; with it, a side
        without a known column uses its whole rows as entities.
        """
        options = self._reading(identities)
        if auxiliary is not None:
            if self.names_a_cut:
                raise OptionError("A split cuts one dataset: give either two datasets or a split.")
            given = list(zip((released, auxiliary), options, strict=True))
            first, second = self.shaping.shape(_read_all(given, engine))
            return first, second
        if not self.names_a_cut:
            raise OptionError(
                "Two sides are needed: give a second dataset, or say how to split, as --at median.",
                option="at",
            )
        whole = read(released, options[0], engine=engine)
        (events,) = self.shaping.shape([whole], two_sides=True)
        sides = split(events, self.cut(seed))
        return sides.released, sides.auxiliary

    def _reading(self, identities: tuple[str | None, str | None] | None) -> list[ReadOptions]:
        if identities is None:
            return [self.reading.options()] * 2
        return [
            self.reading.options(identity=split_names(names) if names else (), whole_row=True)
            for names in identities
        ]
