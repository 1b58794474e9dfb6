"""Advice on rows whose times or positions cannot be used."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trailprint.events.engine import Engine
from trailprint.events.events import Tally
from trailprint.events.options import ReadOptions
from trailprint.events.reading.bad_rows import (
    END_FIRST,
    LONG_STAY,
    OFF_GLOBE,
    UNREADABLE_POSITION,
    UNREADABLE_TIME,
)
from trailprint.events.reading.raw import Raw
from trailprint.events.reading.time_forms import Proposal, propose_formats

_WRONG_FORMAT = " --time-format does not fit these times: compare it with the data."
_RIGHT_FORMAT = " --time-format fits the others: these have no time, or one of another form."
_NO_FORMAT = " Times in a form of their own need --time-format."
_END_FIRST = (
    " A visit must not end before it starts: if the columns are swapped, name them with "
    "--start-column and --end-column."
)
_NO_DEGREES = " Positions must be decimal degrees, such as 46.52 or 46,52."
_SWAPPED = (
    " Latitudes and longitudes look swapped: name the columns with --lat-column and --lon-column."
)
_METRES = " These look like metres of a map: make them degrees (WGS 84) first."
_RANGES = " Latitudes are from -90 to 90 and longitudes from -180 to 180 degrees."
#: Coordinates above this are hardly a typing error.
_FAR_OFF = 1000
_NO_TIMES = (
    " Where there should be a time there is none: name the column of times with --start-column."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """
    What the user can do about unusable rows.

    Attributes
    ----------
    text : str
        Sentences, each after a space; empty if there is nothing to say.
    option : str, optional
        The first option to change.
    suggestions : tuple of str
        Values to try for it.
    """

    text: str = ""
    option: str | None = None
    suggestions: tuple[str, ...] = ()


def advise(engine: Engine, raw: Raw, typed: str, options: ReadOptions, tally: Tally) -> Advice:
    """
    Return a sentence for each reason that the user can act on.

    ``typed`` is a query of the converted rows.
    """
    given = []
    if LONG_STAY in tally.bad:
        given.append(_advise_on_stays(options))
    if END_FIRST in tally.bad:
        given.append(Advice(text=_END_FIRST))
    if UNREADABLE_TIME in tally.bad:
        given.append(_advise_on_form(engine, raw, options))
    if UNREADABLE_POSITION in tally.bad:
        given.append(Advice(text=_NO_DEGREES))
    if OFF_GLOBE in tally.bad:
        given.append(_advise_on_positions(engine, typed))
    first = next((one for one in given if one.option is not None), Advice())
    return replace(first, text="".join(one.text for one in given))


def _advise_on_stays(options: ReadOptions) -> Advice:
    return Advice(
        text=f" A stay may last {options.max_stay_days:g} days (--max-stay-days); leave the end "
        "empty where it is not known.",
        option="max-stay-days",
    )


def _advise_on_positions(engine: Engine, typed: str) -> Advice:
    """Return advice on positions off the globe: swapped, in metres, or other in most rows."""
    n_off, n_swapped, n_far = engine.row(
        f"""SELECT count(*), count_if(abs(lat) <= 180 AND abs(lon) <= 90),
                   count_if(greatest(abs(lat), abs(lon)) > {_FAR_OFF})
            FROM ({typed}) WHERE abs(lat) > 90 OR abs(lon) > 180"""
    )
    if 2 * n_swapped > n_off:
        return Advice(text=_SWAPPED, option="lat-column")
    return Advice(text=_METRES if 2 * n_far > n_off else _RANGES)


def _advise_on_form(engine: Engine, raw: Raw, options: ReadOptions) -> Advice:
    if not _has_digits(engine, raw):
        return Advice(text=_NO_TIMES, option="start-column")
    proposed = _propose(engine, raw)
    if options.time_format in proposed.formats:
        return Advice(text=_RIGHT_FORMAT, option="time-format")
    rule = _NO_FORMAT if options.time_format is None else _WRONG_FORMAT
    return Advice(
        text=rule + proposed.describe(), option="time-format", suggestions=proposed.formats
    )


def _propose(engine: Engine, raw: Raw) -> Proposal:
    """Return the formats that read most starts, or else most ends; never values of the data."""
    for column in ("start", "end"):
        part = raw.parts.get(column, "NULL")
        kind = engine.columns(f"SELECT {part} AS part FROM ({raw.query})")["part"]
        if kind == "VARCHAR":
            proposed = propose_formats(engine, f"({raw.query})", part)
            if proposed.is_useful:
                return proposed
    return Proposal()


def _has_digits(engine: Engine, raw: Raw) -> bool:
    """Return whether any value of the time columns has a digit; True if text is not available."""
    parts = [raw.parts[column] for column in ("start", "end") if column in raw.parts]
    if not raw.is_text:
        return True
    tests = " OR ".join(f"regexp_matches(CAST({part} AS VARCHAR), '[0-9]')" for part in parts)
    return bool(engine.row(f"SELECT coalesce(bool_or({tests}), false) FROM ({raw.query})")[0])
