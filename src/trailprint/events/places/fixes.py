"""Visits from position fixes: stays within a radius, found in one pass with bounded memory."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from trailprint.arguments import check_argument, check_arguments, check_fields
from trailprint.display.numbers import format_exact, format_number
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine, quote_text
from trailprint.events.events import Column, Events
from trailprint.events.meeting import for_parquet, scratch_query
from trailprint.events.reading.opening import Source, open_source

_PART = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$", re.IGNORECASE)
_METRES = {"m": 1.0, "km": 1000.0}
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
#: Longest visit that can be read back.
_LONGEST_S = 366 * 86_400.0
_MOST_METRES = 100_000.0
_COLUMNS: frozenset[Column] = frozenset({"user", "start", "end", "lat", "lon"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StayOptions:
    """
    When position fixes count as a stay.

    Attributes
    ----------
    radius_m : float
        A run of fixes continues while they are within this many metres of its first one.
    least_s : float
        A run is a stay if it lasts at least this many seconds.
    gap_s : float
        A longer gap between fixes ends the run with the fix before the gap.

    Examples
    --------
    >>> from trailprint.places import StayOptions
    >>> StayOptions.parse("200m,20min").least_s
    1200.0
    """

    radius_m: float = 200.0
    least_s: float = 1200.0
    gap_s: float = 86_400.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 < self.radius_m <= _MOST_METRES:
            raise _refuse(f"a radius of {format_exact(self.radius_m)} m")
        if not 0 < self.least_s <= _LONGEST_S:
            raise _refuse(f"at least {format_exact(self.least_s)} s")
        if not 0 < self.gap_s <= _LONGEST_S:
            raise _refuse(f"a silence of {format_exact(self.gap_s)} s")

    @classmethod
    def parse(cls, text: str) -> StayOptions:
        """Read ``200m,20min``, or ``200m,20min,24h`` with the longest gap."""
        check_argument("stays", text, str)
        parts = text.split(",")
        if len(parts) not in (2, 3):
            raise _refuse(repr(text))
        radius, *times = (
            _measure(part, units, text)
            for part, units in zip(parts, (_METRES, _SECONDS, _SECONDS), strict=False)
        )
        return cls(radius_m=radius, least_s=times[0], **({"gap_s": times[1]} if times[1:] else {}))


def _measure(part: str, units: dict[str, float], text: str) -> float:
    found = _PART.match(part)
    if found is None or found[2].lower() not in units:
        raise _refuse(repr(text))
    return float(found[1]) * units[found[2].lower()]


def _refuse(got: str) -> OptionError:
    return OptionError(
        "--stays must be a radius up to 100km, a least time and, optionally, a maximum gap, "
        f"both up to 366d, such as 200m,20min or 200m,20min,24h, got {got} instead.",
        option="stays",
    )


@check_arguments()
def to_stays(events: Source, options: StayOptions | None = None) -> Events:
    """
    Turn position fixes into visits with a start, an end and a mean position.

    A person's fixes are cut into runs: a run continues while fixes are within the radius of its
    first one. It ends at the time of the first fix outside (which starts the next run), or with
    its last fix if a gap longer than ``gap_s`` or nothing follows. Runs that last at least
    ``least_s`` are stays; all other fixes, and people without any stay, are left out.

    Parameters
    ----------
    events : Events, path or table
        Events with positions and starts, and without ends or counts.
    options : StayOptions, optional
        Default: 200 m, 20 min and a longest gap of one day.

    Examples
    --------
    >>> from trailprint.places import to_stays
    >>> times = [f"2024-05-13 08:{minute}" for minute in (10, 20, 31, 50)]
    >>> fixes = {"user": list("aaaa"), "lat": [46.5, 46.5, 46.5, 46.6], "lon": [6.6] * 4}
    >>> to_stays({**fixes, "start": times}).count()
    1
    """
    options, events = options or StayOptions(), open_source(events)
    _check_fixes(events)
    if events.carried:
        raise OptionError(
            "--keep-column must not go with --stays, because a visit is made of several rows: "
            "leave one of them out.",
            option="keep-column",
        )
    engine = events.engine
    from trailprint.events.places.stay_finding import write_stays  # Loads the compiler.

    with _scratch_file(engine, "fixes") as fixes, _scratch_file(engine, "stays") as stays:
        _sort_fixes(events, fixes)
        n_fixes, n_stays = write_stays(fixes, stays, _rule(options))
        if not n_stays:
            raise InputError(
                "At least one stay must be found, but no run of fixes is long enough. Try a larger "
                "radius or a shorter time with --stays.",
                option="stays",
            )
        with engine.table(scratch_query(stays), "events") as name:
            found: Events = events.derive(f"FROM {name}", _describe(options, n_fixes, n_stays))
            return replace(found, columns=_COLUMNS, cell_m=None, grid=None)


def _rule(options: StayOptions) -> tuple[float, int, int, int]:
    """Return metres and three durations in microseconds: least stay, longest gap, longest stay."""
    least, gap, longest = (
        round(seconds * 1e6) for seconds in (options.least_s, options.gap_s, _LONGEST_S)
    )
    return options.radius_m, least, gap, longest


def _describe(options: StayOptions, n_fixes: int, n_stays: int) -> str:
    return (
        f"Stays of {format_number(options.least_s / 60)} min or more within "
        f"{format_number(options.radius_m)} m: "
        f"{n_fixes:,} fixes became {n_stays:,} visits. People without any are left out."
    )


@contextlib.contextmanager
def _scratch_file(engine: Engine, stem: str) -> Iterator[str]:
    """Yield the path of a private file that is removed afterwards."""
    path = os.path.join(engine.scratch, engine.new_name(stem) + ".parquet")
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _check_fixes(events: Events) -> None:
    events.require("lat", "--stays")
    events.require("start", "--stays")
    for column, what in (("end", "ends, so its rows are visits already"), ("weight", "counts")):
        if column in events.columns:
            raise InputError(
                f"--stays makes visits of single fixes, but the data has {what}. "
                "Leave --stays out.",
                option="stays",
            )


def _sort_fixes(events: Events, path: str) -> None:
    """Write fixes sorted by person and time; DuckDB sorts on disk what does not fit in memory."""
    engine = events.engine
    types = [(name, kind) for name, kind in engine.columns(events.query).items() if name == "user"]
    fixes = (
        f'SELECT {for_parquet(types)}, epoch_us("start") AS time, lat::DOUBLE AS lat, '
        f"lon::DOUBLE AS lon FROM ({events.query})"
    )
    engine.run(
        f'COPY (FROM ({fixes}) ORDER BY "user", time, lat, lon) TO {quote_text(path)} '
        "(FORMAT parquet)"
    )
