"""
Known research layouts: how each is recognised and opened.

A new layout is one ``Layout`` in ``LAYOUTS``: a one-line description, a test that recognises it,
and a function that opens it as ``Raw``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from trailprint.errors import InputError, SourceError
from trailprint.events.engine import Engine, quote_name
from trailprint.events.events import Column
from trailprint.events.options import ReadOptions
from trailprint.events.reading.arrivals import stays_in_window, stays_until_next
from trailprint.events.reading.columns import find_columns, find_identity
from trailprint.events.reading.delimited import PATH_COLUMN, PATH_PART, load_delimited
from trailprint.events.reading.dialects import first_rows, sniff
from trailprint.events.reading.files import Files
from trailprint.events.reading.headers import Header
from trailprint.events.reading.raw import Raw, open_files
from trailprint.events.reading.times import time_expression

_EPOCH = re.compile(r"^\s*\d{9,13}(\.\d+)?\s*$")
_TIME = re.compile(r"^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_PLT = re.compile(r"/Trajectory/[^/]+\.plt$", re.IGNORECASE)
_FILE_ENDING = r"\.(csv|tsv|txt|log|mv|json|jsonl|ndjson|parquet|pq)(\.(gz|zst|zstd))?$"
_TRAJECTORY_USER = (
    rf"regexp_extract({PATH_COLUMN}, '([^/\\]+)[/\\]Trajectory[/\\][^/\\]+$', 1, 'i')"
)
#: Converted while reading, because there are many files: this avoids a second pass over text.
_TRAJECTORY_POINT = """
    TRY_CAST(lat AS DOUBLE) AS lat, TRY_CAST(lon AS DOUBLE) AS lon,
    make_timestamptz(epoch_us(TRY_CAST(trim(date) || ' ' || trim(time) AS TIMESTAMP))) AS "start",
    hash(lat, lon, zero, altitude, days, date, time) AS source_hash
"""
_STEM = f"regexp_replace(parse_filename({PATH_COLUMN}), '{_FILE_ENDING}', '', 'i')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A known way of laying out behavioural data."""

    description: str
    recognise: Callable[[Files, ReadOptions], bool]
    open: Callable[[Engine, Files, ReadOptions], Raw]


def recognise_layout(files: Files, options: ReadOptions) -> str | None:
    """Return the name of the first layout that recognises the files, if any."""
    if options.header:
        return None
    return next((name for name, known in LAYOUTS.items() if known.recognise(files, options)), None)


# GeoLife: one folder per user with Trajectory/*.plt, each with six header lines.


def _is_geolife(files: Files, options: ReadOptions) -> bool:
    return any(_PLT.search(path.replace("\\", "/")) for path in files.paths)


def _open_geolife(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    paths = tuple(path for path in files.paths if _PLT.search(path.replace("\\", "/")))
    if not paths:
        raise SourceError("A GeoLife folder must hold <user>/Trajectory/*.plt, but none was found.")
    table = load_delimited(
        engine,
        replace(files, paths=paths),
        delimiter=",",
        names=("lat", "lon", "zero", "altitude", "days", "date", "time"),
        skip=6,
        path_part=_TRAJECTORY_USER,
        select=_TRAJECTORY_POINT,
    )
    return Raw(
        query=f"FROM {table.name}",
        parts={"user": PATH_PART, "start": '"start"', "lat": "lat", "lon": "lon"},
        is_text=False,
        n_misshapen=table.n_misshapen,
        notes=("GeoLife layout: the user is the folder's name, times are UTC.",),
    )


# Association log without header: device, access point, start and end in POSIX seconds.


def _is_wlan(files: Files, options: ReadOptions) -> bool:
    return _headerless_rows_match(files, options, (None, None, _EPOCH, _EPOCH))


def _open_wlan(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    _require_text(files)
    table = load_delimited(
        engine, files, delimiter=options.delimiter, names=("device", "ap", "start", "end")
    )
    parts: dict[Column, str] = {
        "user": "device",
        "location": "ap",
        "start": '"start"',
        "end": '"end"',
    }
    return Raw(
        query=f"FROM {table.name}",
        parts=parts,
        is_text=True,
        n_misshapen=table.n_misshapen,
        notes=("Association log without header: device, access point, start, end.",),
    )


# Start-only access point log: device, access point, time.


def _is_ap_starts(files: Files, options: ReadOptions) -> bool:
    return _headerless_rows_match(files, options, (None, None, _EPOCH)) or _headerless_rows_match(
        files, options, (None, None, _TIME)
    )


def _open_ap_starts(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    _require_text(files)
    names = ("device", "ap", "time")
    found = _header_or(files, options, names)
    table = load_delimited(
        engine, files, delimiter=options.delimiter, names=names if found is None else ()
    )
    user, location, time = found or names
    records = _records(engine, table.name, options, (user, location, time))
    if options.window is None:
        query = stays_until_next(records, options.max_stay_days)
        note = "Start-only log: a device stays at its access point until its next record."
    else:
        query = stays_in_window(
            records, options.window, options.timezone, throughout=options.present_throughout
        )
        note = f"Start-only log rebuilt for {options.window} of each day" + (
            ", for devices present throughout." if options.present_throughout else "."
        )
    return Raw(
        query=query,
        parts=_STAY_PARTS,
        is_text=False,
        n_misshapen=table.n_misshapen,
        notes=(note,),
        stays_last=options.window is not None,
    )


# Movement files: one per device, lines of time and access point, OFF when it leaves the network.


def _is_ap_movement(files: Files, options: ReadOptions) -> bool:
    return all(re.search(r"\.mv(\.gz|\.zst)?$", path, re.IGNORECASE) for path in files.paths)


def _open_ap_movement(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    _require_text(files)
    table = load_delimited(
        engine,
        files,
        delimiter=options.delimiter or "\t",
        names=("time", "ap"),
        path_part=_STEM,
    )
    records = _records(engine, table.name, options, (PATH_PART, "ap", "time"))
    return Raw(
        query=stays_until_next(records, options.max_stay_days),
        parts=_STAY_PARTS,
        is_text=False,
        n_misshapen=table.n_misshapen,
        left_out={"off the network": "location = 'OFF'"},
        notes=("Movement files: the device is the file's name; OFF ends a stay.",),
    )


# Web histories: user, URL, favicon, time; the favicon is the location.


def _is_web(files: Files, options: ReadOptions) -> bool:
    names = (name.casefold() for name in _names(files, options))
    return "favicon" in names and "location" not in options.column_names


def _open_web(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    if files.format != "delimited" or _names(files, options):
        # Except for JSON, the header is known beforehand; the favicon replaces other locations.
        there = [name for name in _names(files, options) if name.casefold() == "favicon"]
        wanted: dict[Column, str] = {**options.column_names}
        if there:
            wanted["location"] = there[0]
        raw = open_files(engine, files, replace(options, column_names=wanted))
        there = [name for name in engine.columns(raw.query) if name.casefold() == "favicon"]
        if not there:
            raise InputError("A web history must have a column 'favicon', but there is none.")
        favicon, parts = quote_name(there[0]), dict(raw.parts)
    else:
        table = load_delimited(
            engine, files, delimiter=options.delimiter, names=("user", "url", "favicon", "time")
        )
        raw = Raw(query=f"FROM {table.name}", parts={}, is_text=True, n_misshapen=table.n_misshapen)
        favicon, parts = "favicon", {"user": '"user"', "start": '"time"'}
    return replace(
        raw,
        parts={**parts, "location": favicon},
        left_out={"no favicon": f"coalesce(trim(CAST({favicon} AS VARCHAR)), '') = ''"},
        notes=(*raw.notes, "Web history: the favicon is the location."),
    )


# Per-location tables: one file per location, named after it.


def _is_per_location(files: Files, options: ReadOptions) -> bool:
    """Return whether there are several files with a user, no location and no unknown columns."""
    header = _header(files, options)
    names = header.names
    if len(files.paths) < 2 or not names:
        return False
    found = find_columns(
        replace(header, names=(*names, *files.partitions.keys)), options.column_names
    )
    is_placed = "location" in found or "lat" in found
    identity = find_identity(header, found, options)
    has_user = "user" in found or bool(identity)
    return has_user and not is_placed and set(names) <= {*found.values(), *identity}


def _open_per_location(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    raw = open_files(engine, files, options, path_part=_STEM)
    return replace(
        raw,
        parts={**raw.parts, "location": PATH_PART},
        notes=(*raw.notes, "Per-location tables: the location is the file's name."),
    )


LAYOUTS: Mapping[str, Layout] = {
    "geolife": Layout(
        description="GeoLife's folder of <user>/Trajectory/*.plt files",
        recognise=_is_geolife,
        open=_open_geolife,
    ),
    "ap-movement": Layout(
        description="one file per device (*.mv): time, access point; OFF where it leaves",
        recognise=_is_ap_movement,
        open=_open_ap_movement,
    ),
    "web": Layout(
        description="web histories: user, URL, favicon, time; the favicon is the location",
        recognise=_is_web,
        open=_open_web,
    ),
    "wlan": Layout(
        description="association log without header: device, access point, start, end",
        recognise=_is_wlan,
        open=_open_wlan,
    ),
    "ap-starts": Layout(
        description="start-only log without header: device, access point, time",
        recognise=_is_ap_starts,
        open=_open_ap_starts,
    ),
    "per-location": Layout(
        description="a folder with one file per location, named after it",
        recognise=_is_per_location,
        open=_open_per_location,
    ),
}

#: Rebuilt stays are already in UTC, whatever the time zone of the source.
_STAY_PARTS: Mapping[Column, str] = {
    "user": '"user"',
    "location": "location",
    "start": "timezone('UTC', \"start\")",
    "end": "timezone('UTC', \"end\")",
}


def _records(
    engine: Engine, table: str, options: ReadOptions, columns: tuple[str, str, str]
) -> str:
    """Return a query of user, location and start from a start-only table of text."""
    user, location, time = columns
    start = time_expression(
        engine,
        table,
        quote_name(time),
        "VARCHAR",
        timezone=options.timezone,
        time_format=options.time_format,
    )
    return (
        f"SELECT nullif(trim({quote_name(user)}), '') AS \"user\", "
        f"nullif(trim({quote_name(location)}), '') AS location, {start} AS \"start\" FROM {table}"
    )


def _require_text(files: Files) -> None:
    if files.format != "delimited":
        raise SourceError(
            f"This layout is made of delimited text, but the data is {files.format}. "
            "Leave out --layout and name the columns instead.",
            option="layout",
        )


def _names(files: Files, options: ReadOptions) -> tuple[str, ...]:
    """Return the column names of the first file; empty if it has no header."""
    return _header(files, options).names


def _header(files: Files, options: ReadOptions) -> Header:
    wanted = options.given_names
    if files.format == "parquet":
        return Header(names=files.parquet_names(), given=wanted, is_proven=True)
    if files.format == "json":
        return Header(names=())
    return sniff(files, files.paths[0], delimiter=options.delimiter, wanted=wanted).header


def _header_or(
    files: Files, options: ReadOptions, names: tuple[str, str, str]
) -> tuple[str, str, str] | None:
    """Return the header's names for user, location and start; None if there is no header."""
    there = _header(files, options)
    if not there.names:
        return None
    found = find_columns(there, options.column_names)
    by_name = {name.casefold(): name for name in there.names}
    user = found.get("user") or by_name.get(names[0])
    location = found.get("location") or by_name.get(names[1])
    time = found.get("start") or by_name.get(names[2])
    if user is None or location is None or time is None:
        raise InputError(
            "A start-only log must have columns for the device, its access point and the time. "
            "Name them with --user-column, --location-column and --start-column.",
            option="user-column",
        )
    return user, location, time


def _headerless_rows_match(
    files: Files, options: ReadOptions, patterns: Sequence[re.Pattern[str] | None]
) -> bool:
    """Return whether all first rows, including the very first, match these fields exactly."""
    if files.format != "delimited" or options.column_names:
        return False
    rows = first_rows(files, files.paths[0], delimiter=options.delimiter)[:20]
    return bool(rows) and all(
        len(row) == len(patterns)
        and all(p is None or p.match(cell) for p, cell in zip(patterns, row, strict=True))
        for row in rows
    )
