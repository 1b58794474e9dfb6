"""The options several commands share, and what they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import pyarrow as pa

from trailprint.cli.groups import option
from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.events import Column, Events
from trailprint.events.filters import FilterOptions, apply_filters, most_visited_together
from trailprint.events.options import ReadOptions, Window
from trailprint.events.placing import PlaceOptions, place
from trailprint.events.read import read
from trailprint.events.side_files import read_truth
from trailprint.events.split import SplitOptions, split
from trailprint.events.write import check_outputs, write_table

_READ, _SHAPE, _FILTER, _SPLIT, _RUN = "Reading", "Places", "Filters", "Split", "Running"
_SCORE = "Truth and links"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFlags:
    """What every command understands."""

    json: Annotated[
        bool, option("--json", help="Print one JSON object and nothing else.", panel=_RUN)
    ] = False
    seed: Annotated[
        int, option("--seed", help="Seed of every random choice (default 0).", panel=_RUN)
    ] = 0
    threads: Annotated[
        int | None, option("--threads", help="Worker threads (default: all cores).", panel=_RUN)
    ] = None
    memory: Annotated[
        str | None,
        option(
            "--memory", help="What to hold in memory, such as 2GB; the rest spills.", panel=_RUN
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"--seed must not be negative, got {self.seed} instead.")

    def engine(self) -> Engine:
        """A DuckDB with these limits."""
        return Engine(memory=self.memory, threads=self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFlags:
    """How a dataset is read."""

    layout: Annotated[
        str | None,
        option("--layout", help="A known layout, when it is not recognised.", panel=_READ),
    ] = None
    user_column: Annotated[
        str | None, option("--user-column", help="The column of users.", panel=_READ)
    ] = None
    location_column: Annotated[
        str | None, option("--location-column", help="The column of locations.", panel=_READ)
    ] = None
    start_column: Annotated[
        str | None, option("--start-column", help="The column of (start) times.", panel=_READ)
    ] = None
    end_column: Annotated[
        str | None, option("--end-column", help="The column of end times.", panel=_READ)
    ] = None
    lat_column: Annotated[
        str | None, option("--lat-column", help="The column of latitudes.", panel=_READ)
    ] = None
    lon_column: Annotated[
        str | None, option("--lon-column", help="The column of longitudes.", panel=_READ)
    ] = None
    count_column: Annotated[
        str | None, option("--count-column", help="The column of counts.", panel=_READ)
    ] = None
    columns: Annotated[
        str | None,
        option("--columns", help="Names for a file without header: user,location,…", panel=_READ),
    ] = None
    delimiter: Annotated[
        str | None, option("--delimiter", help="Of delimited text (found by itself).", panel=_READ)
    ] = None
    timezone: Annotated[
        str,
        option("--timezone", help="Of times without zone, and of days (default UTC).", panel=_READ),
    ] = "UTC"
    time_format: Annotated[
        str | None,
        option("--time-format", help="Of times in a form of their own: '%d/%m/%Y'.", panel=_READ),
    ] = None
    window: Annotated[
        str | None,
        option("--window", help="Start-only logs: part of the day, 09:00-17:00.", panel=_READ),
    ] = None
    present_throughout: Annotated[
        bool,
        option(
            "--present-throughout", help="Start-only logs: users there all the window.", panel=_READ
        ),
    ] = False
    max_stay_days: Annotated[
        float,
        option(
            "--max-stay-days",
            help="Longer stays are unusable rows (default 366 days).",
            panel=_READ,
        ),
    ] = 366.0
    allow_bad_rows: Annotated[
        bool,
        option("--allow-bad-rows", help="Go on with over 1 % unusable rows.", panel=_READ),
    ] = False
    drop_duplicates: Annotated[
        bool, option("--drop-duplicates", help="Keep one of equal rows.", panel=_READ)
    ] = False

    def options(self) -> ReadOptions:
        """The same as the library's options."""
        given: dict[Column, str | None] = {
            "user": self.user_column,
            "location": self.location_column,
            "start": self.start_column,
            "end": self.end_column,
            "lat": self.lat_column,
            "lon": self.lon_column,
            "weight": self.count_column,
        }
        return ReadOptions(
            layout=self.layout,
            column_names={column: name for column, name in given.items() if name is not None},
            header=tuple(n.strip() for n in self.columns.split(",")) if self.columns else (),
            delimiter={"\\t": "\t", "tab": "\t"}.get(self.delimiter or "", self.delimiter),
            timezone=self.timezone,
            time_format=self.time_format,
            window=Window.parse(self.window) if self.window else None,
            present_throughout=self.present_throughout,
            max_stay_days=self.max_stay_days,
            allow_bad_rows=self.allow_bad_rows,
            drop_duplicates=self.drop_duplicates,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFlags:
    """Which places there are and which events count."""

    cell: Annotated[
        float | None,
        option("--cell", help="Positions to square cells of this many metres.", panel=_SHAPE),
    ] = None
    box: Annotated[
        str | None,
        option("--box", help="Only positions in south,west,north,east.", panel=_SHAPE),
    ] = None
    h3: Annotated[
        int | None, option("--h3", help="Positions to H3 cells of this resolution.", panel=_SHAPE)
    ] = None
    regions: Annotated[
        str | None,
        option("--regions", help="A file mapping location to region.", panel=_SHAPE),
    ] = None
    truncate: Annotated[
        int | None,
        option("--truncate", help="Keep this many parts of names like x.y.z.", panel=_SHAPE),
    ] = None
    between: Annotated[
        str | None,
        option("--between", help="Only this time, A..B; a date as B is included.", panel=_FILTER),
    ] = None
    weekdays: Annotated[
        str | None, option("--weekdays", help="Only these days: mon,tue,…", panel=_FILTER)
    ] = None
    hours: Annotated[
        str | None, option("--hours", help="Only this part of the day, 09:00-17:00.", panel=_FILTER)
    ] = None
    min_active_days: Annotated[
        int, option("--min-active-days", help="Only users active that long.", panel=_FILTER)
    ] = 0
    top_locations: Annotated[
        int | None,
        option("--top-locations", help="Only the most visited locations.", panel=_FILTER),
    ] = None
    min_events: Annotated[
        int,
        option(
            "--min-events", help="Only users with that many events (on each side).", panel=_FILTER
        ),
    ] = 0

    def shape(self, datasets: Sequence[Events], *, two_sides: bool = False) -> list[Events]:
        """Give events their places and leave out what does not count; places are shared."""
        kept = [apply_filters(side, self._time_filters()) for side in self._place(datasets)]
        if self.top_locations is not None:
            kept = most_visited_together(kept, self.top_locations)
        return [apply_filters(side, self._user_filters(two_sides=two_sides)) for side in kept]

    def _place(self, datasets: Sequence[Events]) -> list[Events]:
        options = PlaceOptions(
            cell_m=self.cell,
            h3=self.h3,
            box=self.box,
            regions=self.regions,
            truncate=self.truncate,
        )
        return place(datasets, options)

    def _time_filters(self) -> FilterOptions:
        days = tuple(day.strip().lower()[:3] for day in (self.weekdays or "").split(",") if day)
        hours = Window.parse(self.hours) if self.hours else None
        return FilterOptions(time_range=self.between, weekdays=days, hours=hours)

    def _user_filters(self, *, two_sides: bool) -> FilterOptions:
        """How much there must be of a user; a split asks for that on each side instead."""
        min_events = 0 if two_sides else self.min_events
        return FilterOptions(min_active_days=self.min_active_days, min_events=min_events)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitFlags:
    """Where one dataset is cut in two."""

    at: Annotated[
        str | None, option("--at", help="At a time, or at the 'median' event.", panel=_SPLIT)
    ] = None
    halves_of_weeks: Annotated[
        bool, option("--halves-of-weeks", help="Halves of each user's weeks.", panel=_SPLIT)
    ] = False
    busiest_weeks: Annotated[
        bool, option("--busiest-weeks", help="The two fullest weeks in a row.", panel=_SPLIT)
    ] = False
    ranges: Annotated[
        str | None, option("--ranges", help="Two named ranges, A..B,C..D.", panel=_SPLIT)
    ] = None
    fold: Annotated[
        str | None, option("--fold", help="k/n: the k-th of n bins held out.", panel=_SPLIT)
    ] = None
    active_both: Annotated[
        bool, option("--active-both", help="Only users with events on both sides.", panel=_SPLIT)
    ] = False
    released_users: Annotated[
        float | None,
        option("--released-users", help="Released users to keep: number or share.", panel=_SPLIT),
    ] = None
    auxiliary_users: Annotated[
        float | None,
        option("--auxiliary-users", help="Auxiliary users to keep: number or share.", panel=_SPLIT),
    ] = None
    common_users: Annotated[
        float | None,
        option(
            "--common-users",
            help="How many released users are on both sides, or a share.",
            panel=_SPLIT,
        ),
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether any way to cut was named."""
        return bool(
            self.at or self.halves_of_weeks or self.busiest_weeks or self.ranges or self.fold
        )

    def options(self, *, min_events: int, seed: int) -> SplitOptions:
        """The same as the library's options."""
        return SplitOptions(
            at=self.at,
            halves_of_weeks=self.halves_of_weeks,
            busiest_weeks=self.busiest_weeks,
            ranges=self.ranges,
            fold=self.fold,
            active_both=self.active_both,
            min_events=min_events,
            released_users=self.released_users,
            auxiliary_users=self.auxiliary_users,
            common_users=self.common_users,
            seed=seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFlags:
    """What links are scored against, and where they may be written."""

    truth: Annotated[
        str | None,
        option("--truth", help="Who is who: columns released, auxiliary.", panel=_SCORE),
    ] = None
    links: Annotated[
        str | None, option("--links", help="Write who was linked to whom here.", panel=_SCORE)
    ] = None

    def check(self, *sources: str | None) -> None:
        """Raise an error early when the links could not be written."""
        if self.links is not None:
            check_outputs([self.links], sources=[*sources, self.truth])

    def read_truth(self, engine: Engine) -> pa.Table | None:
        """The pairs of the truth file, if one was given."""
        return None if self.truth is None else read_truth(engine, self.truth)

    def write_links(self, links: pa.Table, engine: Engine) -> None:
        """Write the links, for their owner only, where that was asked for."""
        if self.links is not None:
            write_table(links, self.links, engine, private=True, for_people=True)


def open_events(
    source: str, reading: ReadFlags, shaping: ShapeFlags, engine: Engine, *, two_sides: bool = False
) -> Events:
    """Read, place and filter one dataset."""
    return shaping.shape([read(source, reading.options(), engine=engine)], two_sides=two_sides)[0]


def open_sides(
    sources: tuple[str, str | None],
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    running: RunFlags,
    engine: Engine,
    *,
    identities: tuple[str | None, str | None] | None = None,
) -> tuple[Events, Events]:
    """
    Two datasets, or one that is split.

    ``identities`` are the columns that make an entity on either side; with it, a side without a
    known column takes its whole rows for entities.
    """
    first, second = sources
    options = [reading.options()] * 2
    if identities is not None:
        options = [
            replace(options[0], identity=_names(names), whole_row=True) for names in identities
        ]
    if second is not None:
        if splitting.is_given:
            raise OptionError("A split cuts one dataset: give either two datasets or a split.")
        both = [
            read(source, how, engine=engine)
            for source, how in zip((first, second), options, strict=True)
        ]
        released, auxiliary = shaping.shape(both)
        return released, auxiliary
    if not splitting.is_given:
        raise OptionError(
            "Two sides are needed: give a second dataset, or say how to split, as --at median."
        )
    (events,) = shaping.shape([read(first, options[0], engine=engine)], two_sides=True)
    sides = split(events, splitting.options(min_events=shaping.min_events, seed=running.seed))
    return sides.released, sides.auxiliary


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text else ()
