"""What to do about rows whose times cannot be used."""

from __future__ import annotations

from trailprint.events.bad_rows import LONG_STAY, UNREADABLE_TIME
from trailprint.events.engine import Engine
from trailprint.events.events import Tally
from trailprint.events.options import ReadOptions
from trailprint.events.raw import Raw

_WRONG_FORMAT = " --time-format does not fit these times: compare it with the data."
_NO_FORMAT = " Times in a form of their own need --time-format."
_NO_TIMES = (
    " Where there should be a time there is none: name the column of times with --start-column."
)


def advise_on_times(engine: Engine, raw: Raw, options: ReadOptions, tally: Tally) -> str:
    """A sentence for each reason that has to do with times; empty where there is none."""
    advice = ""
    if LONG_STAY in tally.bad:
        advice += (
            f" A stay may last {options.max_stay_days:g} days (--max-stay-days); leave the end "
            "empty where it is not known."
        )
    if UNREADABLE_TIME in tally.bad:
        advice += _advise_on_form(engine, raw, options)
    return advice


def _advise_on_form(engine: Engine, raw: Raw, options: ReadOptions) -> str:
    if not _has_digits(engine, raw):
        return _NO_TIMES
    return _NO_FORMAT if options.time_format is None else _WRONG_FORMAT


def _has_digits(engine: Engine, raw: Raw) -> bool:
    """Whether anything in the columns of times could be one; rebuilt stays hide their text."""
    parts = [raw.parts[column] for column in ("start", "end") if column in raw.parts]
    if not raw.is_text:
        return True
    tests = " OR ".join(f"regexp_matches(CAST({part} AS VARCHAR), '[0-9]')" for part in parts)
    return bool(engine.row(f"SELECT coalesce(bool_or({tests}), false) FROM ({raw.query})")[0])
