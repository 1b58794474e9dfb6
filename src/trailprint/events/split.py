"""Splitting one dataset in two: the released side, and what an adversary might know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trailprint.arguments import check_arguments, check_fields
from trailprint.display.discreet import Words
from trailprint.display.fact_tables import write_facts
from trailprint.display.numbers import format_exact
from trailprint.errors import InputError, OptionError, spell_option, to_flag
from trailprint.events.events import Events
from trailprint.events.filters import range_condition, split_range
from trailprint.events.folds import bin_days
from trailprint.events.options import ReadOptions
from trailprint.events.reading.opening import Source, open_source
from trailprint.events.reading.times import check_bound, parse_bound
from trailprint.events.results import Folder, Makers, Result, as_table, open_folder
from trailprint.events.write import write_events
from trailprint.progress import Progress, ignore_progress, shows_progress

_MOST_FOLDS = 10_000
_SIDES = ("released", "auxiliary")
METHODS = ("at", "halves_of_weeks", "busiest_weeks", "ranges", "fold")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOptions:
    """
    How to cut one dataset in two; exactly one of the first five options is needed.

    Attributes
    ----------
    at : str, optional
        Cut at a time such as 2024-05-01, or at the median event: median. What is before it is
        released, what is from it on is auxiliary.
    halves_of_weeks : bool
        Cut each user's active weeks in two halves. The first is released, the second auxiliary;
        of an odd number the middle week goes to the first half; users with one active week are
        left out.
    busiest_weeks : bool
        Take the two consecutive calendar weeks with the most users active in both. Weeks are from
        Monday to Sunday.
    ranges : str, optional
        Take two ranges, A..B,C..D: the first released, the second auxiliary.
    fold : str, optional
        Take k/n: of n bins of each user's span the k-th is auxiliary. Bins are of equal length, in
        days; a stay that lasts into another bin is cut at the midnight between them.
    active_both : bool
        Only users with events on both sides.
    min_events : int
        Users with fewer events on either side are left out of both.
    released_users : float, optional
        Released users to keep: a number, or a share below 1. They are drawn from those active on
        both sides.
    auxiliary_users : float, optional
        Auxiliary users to keep: a number, or a share below 1.
    common_users : float, optional
        Released users who are on the auxiliary side as well: a number, or a share below 1.
    seed : int
        Of the random choice.

    Examples
    --------
    >>> import trailprint as tp
    >>> tp.SplitOptions(at="2024-05-01", active_both=True).at
    '2024-05-01'
    >>> tp.SplitOptions(at="median", fold="1/5")
    Traceback (most recent call last):
    trailprint.errors.OptionError: ...
    """

    at: str | None = None
    halves_of_weeks: bool = False
    busiest_weeks: bool = False
    ranges: str | None = None
    fold: str | None = None
    active_both: bool = False
    min_events: int = 0
    released_users: float | None = None
    auxiliary_users: float | None = None
    common_users: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        chosen = [name for name in METHODS if getattr(self, name)]
        if len(chosen) != 1:
            options = ", ".join(map(to_flag, METHODS))
            got = ", ".join(map(to_flag, chosen)) or "none"
            raise OptionError(
                f"A split needs exactly one of {options}, got {got} instead.",
                option=spell_option((chosen or METHODS)[0]),
            )
        if self.min_events < 0:
            raise OptionError(
                f"--min-events must not be negative, got {self.min_events}.", option="min-events"
            )
        for name in ("released_users", "auxiliary_users", "common_users"):
            self._check_amount(name)
        if self.at is not None and self.at != "median":
            check_bound(self.at)
        if self.ranges is not None:
            _split_ranges(self.ranges)
        if self.fold is not None:
            _read_fold(self.fold)
        if self.common_users is not None and not (self.released_users and self.auxiliary_users):
            raise OptionError(
                "--common-users needs --released-users and --auxiliary-users.",
                option="common-users",
            )

    @property
    def method(self) -> str:
        """The chosen method, by the name of its option."""
        return next(name for name in METHODS if getattr(self, name)).replace("_", "-")

    def _check_amount(self, name: str) -> None:
        """Raise an error unless a number or share of users is valid; common users may be 0."""
        value = getattr(self, name)
        if value is None or 0 < value < 1 or (value >= 1 and value % 1 == 0):
            return
        if value != 0 or name != "common_users":
            raise OptionError(
                f"{to_flag(name)} must be a whole number of users or a share below 1, got "
                f"{format_exact(value)}.",
                option=spell_option(name),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Result):
    """
    The two sides of a dataset, and a description of the split.

    ``released`` and ``auxiliary`` are events; the tables of the same names hold ids of people.
    """

    _NO_PLOT = "a split has no chart"

    released: Events
    auxiliary: Events
    description: str

    def _shown(self) -> dict[str, object]:
        return {"split": Words(self.description)}

    def _makers(self) -> Makers:
        return {
            "released": as_table("released", self.released.to_arrow),
            "auxiliary": as_table("auxiliary", self.auxiliary.to_arrow),
        }

    def _private(self) -> frozenset[str]:
        return frozenset(_SIDES)

    def to_dict(self) -> dict[str, Any]:
        """Return the description, and the numbers of events and users of both sides."""
        return {
            "split": self.description,
            "released": _count(self.released),
            "auxiliary": _count(self.auxiliary),
        }

    def save(self, folder: Folder, *, private: str | Sequence[str] = _SIDES) -> list[Path]:
        """
        Write ``released.parquet`` and ``auxiliary.parquet``, as the command does.

        Only you can read them: they hold ids of people. ``private`` names one of them to write
        only that one. Either all appear or none.
        """
        names = self._check_names(private)
        path = open_folder(folder)
        targets = [path / f"{name}.parquet" for name in names]
        sides = (getattr(self, name) for name in names)
        write_events(list(zip(sides, targets, strict=True)), private=True)
        return targets

    def _repr_html_(self) -> str:
        return f"<div>{write_facts(describe_counts(self.to_dict()), [self.description])}</div>"


@check_arguments()
@shows_progress
def split(
    events: Source,
    options: SplitOptions,
    *,
    reading: ReadOptions | None = None,
    progress: Progress | None = None,
) -> Split:
    """
    Cut a dataset in two by the start of each event; folds also cut stays between their bins.

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    options : SplitOptions
        Where to cut, and who is kept.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
    >>> sides = tp.split(campus, tp.SplitOptions(at="2024-03-11"))
    >>> tp.inspect(sides.released).last < "2024-03-11T12" < tp.inspect(sides.auxiliary).last
    True
    >>> sides.released.count() + sides.auxiliary.count() == campus.count()
    True
    """
    report = progress or ignore_progress
    report("Reading", 0.0)
    events = open_source(events, reading)
    events.require("start", "A split")
    # The events are queried several times: to find the cut, and for both sides.
    events = events.keep_there()
    report("Cutting", 0.3)
    released, auxiliary, description = _cut(events, options)
    sides = Split(released=released, auxiliary=auxiliary, description=description)
    if options.active_both:
        sides = _keep_common(sides, 1)
    if options.min_events > 1:
        sides = _keep_common(sides, options.min_events)
    if options.released_users or options.auxiliary_users:
        sides = _sample_users(sides, options)
    report("Counting both sides", 0.7)
    for name, side in (("released", sides.released), ("auxiliary", sides.auxiliary)):
        if side.is_empty():
            raise InputError(
                f"Both sides must have events, but the {name} side is empty. Cut elsewhere or "
                "loosen the filters."
            )
    return sides


def describe_counts(counts: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the numbers of `Split.to_dict` with their names, for people."""
    return [(f"{name} {what}", n) for name in _SIDES for what, n in counts[name].items()]


def _count(side: Events) -> dict[str, int]:
    """Numbers of events and users of one side."""
    n_events, n_users = side.engine.row(
        f"SELECT coalesce(sum(n), 0), count(*) FROM (SELECT count(*) AS n FROM ({side.query}) "
        'GROUP BY "user")'
    )
    return {"events": int(n_events), "users": int(n_users)}


def _cut(events: Events, options: SplitOptions) -> tuple[Events, Events, str]:
    if options.at is not None:
        return _cut_at(events, options.at)
    if options.ranges is not None:
        return _cut_ranges(events, options.ranges)
    if options.fold is not None:
        return _cut_fold(events, options.fold)
    if options.busiest_weeks:
        return _cut_busiest_weeks(events)
    return _cut_halves_of_weeks(events)


def _cut_at(events: Events, at: str) -> tuple[Events, Events, str]:
    if at == "median":
        middle = f'SELECT quantile_disc("start", 0.5) AS middle FROM ({events.query})'
        moment, day = events.engine.row(
            f"SELECT middle, CAST({events.to_local('middle')} AS DATE) FROM ({middle})"
        )
        if moment is None:
            raise InputError("A split needs events, but there are none.")
        # The day is shown, never the exact time, which is that of a person's event.
        bound, where = f"TIMESTAMP '{moment.isoformat(sep=' ')}'", f"the median event (on {day})"
    else:
        bound, where = parse_bound(events.engine, at, events.to_utc), at
    return (
        events.having(f'"start" < {bound}'),
        events.having(f'"start" >= {bound}'),
        f"before and from {where}",
    )


def _split_ranges(ranges: str) -> list[str]:
    parts = ranges.split(",")
    if len(parts) != 2:
        raise OptionError(
            f"--ranges must be two ranges A..B,C..D, got {ranges!r} instead.", option="ranges"
        )
    for part in parts:
        split_range(part)
    return parts


def _read_fold(fold: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})/(\d{1,5})", fold)
    k, n = (int(part) for part in match.groups()) if match else (0, 0)
    if not (2 <= n <= _MOST_FOLDS and 1 <= k <= n):
        raise OptionError(
            f"--fold must be k/n with 1 ≤ k ≤ n and 2 ≤ n ≤ {_MOST_FOLDS:,}, got {fold!r} instead.",
            option="fold",
        )
    return k, n


def _cut_ranges(events: Events, ranges: str) -> tuple[Events, Events, str]:
    parts = _split_ranges(ranges)
    first, second = (events.having(range_condition(events, part)) for part in parts)
    both = " AND ".join(f"({range_condition(events, part)})" for part in parts)
    if events.having(both).count():
        raise OptionError(f"The two ranges must not share events, got {ranges!r} instead.")
    return first, second, f"{parts[0]} and {parts[1]}"


def _cut_fold(events: Events, fold: str) -> tuple[Events, Events, str]:
    k, n = _read_fold(fold)
    held_out = f"fold = {k}"
    query = bin_days(events, n)
    return (
        events.derive(f"SELECT * EXCLUDE fold FROM ({query}) WHERE NOT ({held_out})"),
        events.derive(f"SELECT * EXCLUDE fold FROM ({query}) WHERE {held_out}"),
        f"bin {k} of each user's {n} held out",
    )


def _weeks(events: Events) -> str:
    """SQL: each user's active weeks, given by their Mondays."""
    week = f"date_trunc('week', {events.local_start})"
    return f'SELECT DISTINCT "user", {week} AS week FROM ({events.query})'


def _cut_busiest_weeks(events: Events) -> tuple[Events, Events, str]:
    weeks = _weeks(events)
    best = events.engine.rows(
        f"WITH weeks AS ({weeks}) SELECT a.week, count(*) AS n FROM weeks a JOIN weeks b "
        'ON a."user" = b."user" AND b.week = a.week + INTERVAL 7 DAY '
        "GROUP BY a.week ORDER BY n DESC, a.week LIMIT 1"
    )
    if not best:
        raise InputError("No user is active in two consecutive weeks. Choose another split.")
    monday = best[0][0]
    week = f"date_trunc('week', {events.local_start})"
    first = f"CAST('{monday.isoformat()}' AS TIMESTAMP)"
    return (
        events.having(f"{week} = {first}"),
        events.having(f"{week} = {first} + INTERVAL 7 DAY"),
        f"the week of {monday:%Y-%m-%d} and the one after it",
    )


def _cut_halves_of_weeks(events: Events) -> tuple[Events, Events, str]:
    week = f"date_trunc('week', {events.local_start})"
    ranked = (
        f'SELECT *, dense_rank() OVER (PARTITION BY "user" ORDER BY {week}) AS nth_week '
        f"FROM ({events.query})"
    )
    counted = f'SELECT *, max(nth_week) OVER (PARTITION BY "user") AS n_weeks FROM ({ranked})'
    sides = f"SELECT * EXCLUDE (nth_week, n_weeks) FROM ({counted}) WHERE n_weeks >= 2 AND "
    return (
        events.derive(sides + "2 * nth_week <= n_weeks + 1"),
        events.derive(sides + "2 * nth_week > n_weeks + 1"),
        "the first and the second half of each user's active weeks",
    )


def _common(sides: Split, min_events: int) -> str:
    """SQL: users with at least ``min_events`` events on both sides, as text."""
    users = [
        f'SELECT CAST("user" AS VARCHAR) AS who FROM ({side.query}) GROUP BY "user" '
        f"HAVING sum({side.weight_sql}) >= {min_events}"
        for side in (sides.released, sides.auxiliary)
    ]
    return " INTERSECT ".join(users)


def _keep_common(sides: Split, min_events: int) -> Split:
    condition = f'CAST("user" AS VARCHAR) IN (SELECT who FROM ({_common(sides, min_events)}))'
    note = (
        "users active on both sides"
        if min_events <= 1
        else f"users with {min_events} events or more on each side"
    )
    return Split(
        released=sides.released.having(condition),
        auxiliary=sides.auxiliary.having(condition),
        description=f"{sides.description}, {note}",
    )


def _sample_users(sides: Split, options: SplitOptions) -> Split:
    """Draw users for each side: first the released ones, then auxiliary ones that share some."""
    engine = sides.released.engine
    drawn = engine.materialise(
        f"SELECT who, row_number() OVER (ORDER BY md5(who || '/{options.seed}'), who) AS place "
        f"FROM ({_common(sides, 1)})",
        "drawn",
    )
    n_users = int(engine.row(f"SELECT count(*) FROM {drawn}")[0])
    released = _how_many("released-users", options.released_users, n_users)
    auxiliary = _how_many("auxiliary-users", options.auxiliary_users, n_users)
    common = _how_many_common(options.common_users, released)
    parts = {"released": sides.released, "auxiliary": sides.auxiliary}
    if released is not None:
        parts["released"] = _only(sides.released, drawn, f"place <= {released}")
    if auxiliary is not None:
        first = 0 if released is None or common is None else released - common
        last = first + auxiliary
        if first < 0 or last > n_users or auxiliary < (common or 0):
            raise OptionError(
                f"With {n_users:,} users active on both sides there cannot be {released or 0:,} "
                f"released and {auxiliary:,} auxiliary users with {common or 0:,} in common."
            )
        parts["auxiliary"] = _only(sides.auxiliary, drawn, f"place > {first} AND place <= {last}")
    return Split(**parts, description=f"{sides.description}, a random choice of users")


def _how_many(option: str, wanted: float | None, n_users: int) -> int | None:
    if wanted is None:
        return None
    n_wanted = round(wanted * n_users) if wanted < 1 else int(wanted)
    if n_wanted < 1:
        raise OptionError(
            f"--{option} must be at least one user, got {format_exact(wanted)} of {n_users:,}.",
            option=option,
        )
    if n_wanted > n_users:
        raise OptionError(
            f"--{option} must be at most {n_users:,}, the number of users active on both sides, "
            f"got {n_wanted:,} instead.",
            option=option,
        )
    return n_wanted


def _how_many_common(wanted: float | None, released: int | None) -> int | None:
    """Return how many of the released users are to be on both sides."""
    if wanted is None or released is None:
        return None
    return round(wanted * released) if wanted < 1 else int(wanted)


def _only(side: Events, drawn: str, places: str) -> Events:
    return side.having(f'CAST("user" AS VARCHAR) IN (SELECT who FROM {drawn} WHERE {places})')
