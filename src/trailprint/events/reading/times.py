"""Conversion of times in various forms to naive UTC timestamps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.events.engine import Engine, quote_text

#: From 1e11 on, a number of seconds would be after the year 5138, so the unit must be finer.
_UNIT_LIMITS = (
    (1e17, "nanoseconds", 1e-3),
    (1e14, "microseconds", 1.0),
    (1e11, "milliseconds", 1e3),
)
_LAST_MICROSECOND = 253402300800e6
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


def is_whole_number(kind: str) -> bool:
    """Return whether a DuckDB type holds integers."""
    return kind.removeprefix("U") in _INTEGERS


def is_number(kind: str) -> bool:
    """Return whether a DuckDB type holds numbers."""
    is_decimal = kind.startswith("DECIMAL") and kind.endswith(")")
    return is_whole_number(kind) or is_decimal or kind in ("FLOAT", "DOUBLE")


def check_timezone(engine: Engine, timezone: str) -> None:
    """Raise an error unless DuckDB knows the time zone."""
    if timezone == "UTC":  # Always known, and the most common: no query is needed.
        return
    known = engine.row(
        f"SELECT count(*) FROM pg_timezone_names() WHERE name = {quote_text(timezone)}"
    )[0]
    if not known:
        raise OptionError(
            f"--timezone must be a zone such as UTC or Europe/Zurich, got {timezone!r} instead.",
            option="timezone",
        )


def time_expression(
    engine: Engine,
    table: str,
    column: str,
    kind: str,
    *,
    timezone: str,
    time_format: str | None,
) -> str:
    """
    SQL that converts a column to naive UTC timestamps; unreadable values become NULL.

    Parameters
    ----------
    engine, table : Engine, str
        Where to inspect the column, to distinguish seconds from milliseconds, and times with a
        zone from times without.
    column, kind : str
        The quoted column and its DuckDB type.
    timezone : str
        Time zone of wall-clock times that have none.
    time_format : str, optional
        A strptime format for text in any other form.
    """
    if kind == "VARCHAR":
        return _from_text(engine, table, column, timezone, time_format)
    if kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"):
        return f"make_timestamp(epoch_us({column}::TIMESTAMPTZ))"
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        # Days and seconds may lie outside of what microseconds can count, but not those of Spark,
        # which has only a CAST.
        cast = "CAST" if engine.is_on_spark else "TRY_CAST"
        return _to_utc(f"{cast}({column} AS TIMESTAMP)", timezone)
    if is_whole_number(kind) and time_format is not None:
        return _from_format(engine, f"CAST({column} AS VARCHAR)", timezone, time_format)
    if is_number(kind):
        return _from_epoch(engine, table, f"{column}::DOUBLE")
    # The brackets of an ENUM type contain values of the data.
    raise ColumnError(
        "A column of times must hold times, numbers or text, but one is of type "
        f"{kind.partition('(')[0]}."
    )


def describe_mixed(column: str, present: Sequence[str]) -> str:
    """Return a message on a column of times in several forms, each with its number of values."""
    return (
        f"A column of times must be written in one way, but {column} mixes "
        f"{' and '.join(present)}. Use one format."
    )


def _from_text(
    engine: Engine, table: str, column: str, timezone: str, time_format: str | None
) -> str:
    if time_format is not None:
        return _from_format(engine, column, timezone, time_format)
    n_epoch, n_zoned, n_plain = engine.row(
        f"""SELECT count_if(number), count_if(iso AND zoned), count_if(iso AND NOT zoned)
            FROM (SELECT isfinite(TRY_CAST(text AS DOUBLE)) AS number,
                         substr(text, 5, 1) = '-' AS iso, {_has_zone("text")} AS zoned
                  FROM (SELECT trim({column}) AS text FROM {table}))"""
    )
    kinds = {"numbers": n_epoch, "times with a zone": n_zoned, "times without a zone": n_plain}
    present = [f"{n:,} {name}" for name, n in kinds.items() if n]
    if len(present) > 1:
        raise InputError(describe_mixed(column, present))
    if n_epoch:
        return _from_epoch(engine, table, f"TRY_CAST({column} AS DOUBLE)")
    if n_zoned:
        return _from_zoned(column)
    return _to_utc(f"TRY_CAST(trim({column}) AS TIMESTAMP)", timezone)


def _has_zone(text: str) -> str:
    """SQL: whether more than a clock time follows an ISO date; AM/PM count but are unreadable."""
    return f"regexp_matches(substr({text}, 12), '[^0-9:. ]')"


def _from_zoned(text: str) -> str:
    """SQL: text with an offset or the name of a zone as naive UTC."""
    close = f"replace(replace(trim({text}), ' +', '+'), ' -', '-')"
    moment = f"TRY_CAST(regexp_replace({close}, '(\\d)z$', '\\1Z') AS TIMESTAMPTZ)"
    return f"make_timestamp(CASE WHEN isfinite({moment}) THEN epoch_us({moment}) END)"


def _from_format(engine: Engine, column: str, timezone: str, time_format: str) -> str:
    parsed = f"try_strptime(trim({column}), {quote_text(time_format)})"
    try:
        kind = engine.row(f"SELECT typeof(try_strptime('', {quote_text(time_format)}))")[0]
    except InputError:
        raise OptionError(
            "--time-format must be a format such as '%d/%m/%Y %H:%M', "
            f"got {time_format!r} instead.",
            option="time-format",
        ) from None
    return f"make_timestamp(epoch_us({parsed}))" if "ZONE" in kind else _to_utc(parsed, timezone)


def _from_epoch(engine: Engine, table: str, number: str) -> str:
    """SQL: numbers since 1970 as times; their unit is found from their magnitude."""
    finite = f"CASE WHEN isfinite({number}) THEN {number} END"
    low, high = engine.row(
        f"SELECT min(abs(n)), max(abs(n)) FROM (SELECT {finite} AS n FROM {table})"
    )
    _refuse_dates(engine, table, number, low, high)
    factor = 1e6
    for limit, unit, microseconds in _UNIT_LIMITS:
        if high is not None and high >= limit:
            if low < limit:
                raise InputError(
                    "A column of times must be in one unit, but some numbers look like seconds "
                    f"and others like {unit}. Write them all in seconds."
                )
            factor = microseconds
            break
    # Numbers after the year 9999 become NULL, which counts the row as unreadable.
    in_range = f"isfinite({number}) AND abs({number}) * {factor} < {_LAST_MICROSECOND}"
    return f"make_timestamp(CASE WHEN {in_range} THEN CAST({number} * {factor} AS BIGINT) END)"


def _refuse_dates(
    engine: Engine, table: str, number: str, low: float | None, high: float | None
) -> None:
    """Raise an error if every number is a date such as 20240513, and not a time since 1970."""
    for form in ("%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S"):
        least, most = (int(datetime(year, 1, 1).strftime(form)) for year in (1950, 2100))
        if low is None or high is None or not least <= low <= high < most:
            continue
        text = f"CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR)"
        is_date = f"try_strptime({text}, {quote_text(form)}) IS NOT NULL"
        read = f"SELECT {is_date} AS is_date FROM {table} WHERE isfinite({number})"
        if engine.row(f"SELECT bool_and(is_date) FROM ({read})")[0]:
            raise InputError(
                "Times that are numbers must count from 1970, but these read as dates. Give "
                f"--time-format {form!r}.",
                option="time-format",
                suggestions=[form],
            )


def _to_utc(wall_clock: str, timezone: str) -> str:
    if timezone == "UTC":
        return wall_clock
    return f"timezone('UTC', timezone({quote_text(timezone)}, {wall_clock}))"


def check_bound(text: str) -> None:
    """Raise an error unless a text starts as a time does; a database checks the rest."""
    # DuckDB also accepts words: infinity, epoch.
    if not text.strip()[:1].isdigit():
        raise _no_time(text)


def _no_time(text: str) -> OptionError:
    return OptionError(
        f"A time must look like 2024-05-17 or 2024-05-17T09:30, got {text!r} instead."
    )


def parse_bound(
    engine: Engine, text: str, to_utc: Callable[[str], str], *, end_of_day: bool = False
) -> str:
    """
    Return the SQL literal of a time that the user typed, as naive UTC.

    A bare date is its midnight; with ``end_of_day`` it is the midnight after it: a range ``A..B``
    of dates then includes all of ``B``.
    """
    check_bound(text)
    literal = quote_text(text.strip())
    zoned, with_zone, without = engine.row(
        f"SELECT {_has_zone(literal)}, {_from_zoned(literal)}, TRY_CAST({literal} AS TIMESTAMP)"
    )
    moment = with_zone if zoned else without
    # DuckDB also accepts years that Python does not support.
    if not isinstance(moment, datetime):
        raise _no_time(text)
    bound = f"TIMESTAMP '{moment.isoformat(sep=' ')}'"
    if end_of_day and len(text.strip()) <= 10:
        bound = f"({bound} + INTERVAL 1 DAY)"
    return bound if zoned else to_utc(bound)
