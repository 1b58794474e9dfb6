"""A table as files: every layout, format, compression and way of lying in a folder."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import random
import re
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.populations import Table

Files = dict[str, bytes]
#: What happens to the table after its columns were chosen and before it is written.
Change = Callable[[Table], Table]
_DELIMITERS = {"csv": ",", "tsv": "\t", "semicolon": ";", "pipe": "|"}
_ENDINGS = {"semicolon": "csv", "pipe": "csv", "json": "jsonl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """Files and what to call them on the command line."""

    source: str
    files: Files


# One file of rows.


def write_text(table: Table, delimiter: str = ",", *, header: bool = True) -> bytes:
    """Delimited text, quoted where it must be."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(table.columns)
    writer.writerows(table.rows())
    return text.getvalue().encode("utf-8", "surrogatepass")


def write_json_lines(table: Table) -> bytes:
    """One object a line; numbers are numbers."""
    names = list(table.columns)
    lines = (
        json.dumps({n: _as_number(n, cell) for n, cell in zip(names, row, strict=True)})
        for row in table.rows()
    )
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _as_number(name: str, cell: str) -> object:
    if name in ("lat", "lon", "count"):
        try:
            return float(cell) if "." in cell else int(cell)
        except ValueError:
            return cell
    return cell


def write_parquet(table: Table, types: Mapping[str, pa.DataType | None] | None = None) -> bytes:
    """Parquet; a column that does not fit its wanted type stays text."""
    types = types or {}
    arrays = {name: _array(cells, types.get(name)) for name, cells in table.columns.items()}
    sink = io.BytesIO()
    pq.write_table(pa.table(arrays), sink)
    return sink.getvalue()


def _array(cells: list[str], kind: pa.DataType | None) -> pa.Array:
    text = pa.array([cell.encode("utf-8", "replace").decode() for cell in cells], pa.string())
    if kind is None:
        return text
    try:
        return text.cast(kind)
    except (pa.ArrowException, ValueError):
        return text


#: How columns of a Parquet file may be typed; the first is what most people do.
_PARQUET_TYPES: tuple[Mapping[str, pa.DataType], ...] = (
    {
        "start": pa.timestamp("us"),
        "end": pa.timestamp("us"),
        "lat": pa.float64(),
        "lon": pa.float64(),
    },
    {},
    {"start": pa.timestamp("ns", "UTC"), "end": pa.timestamp("ns", "UTC"), "count": pa.int64()},
    {"start": pa.date32(), "end": pa.date64(), "count": pa.float64()},
    {"lat": pa.float32(), "lon": pa.float32(), "count": pa.float32(), "user": pa.int64()},
    {"user": pa.binary(), "location": pa.binary(), "count": pa.uint8()},
    {"user": pa.dictionary(pa.int32(), pa.string()), "start": pa.timestamp("ms")},
    {"count": pa.decimal128(30, 4), "start": pa.timestamp("s"), "user": pa.float64()},
    {"user": pa.large_string(), "count": pa.bool_(), "start": pa.int64(), "end": pa.int64()},
)


def draw_file(rng: random.Random, table: Table) -> tuple[str, bytes]:
    """One file of a drawn format: its ending and its bytes."""
    kind = rng.choice(("csv", "csv", "csv", "tsv", "semicolon", "pipe", "json", "parquet"))
    if kind == "parquet":
        return "parquet", write_parquet(table, rng.choice(_PARQUET_TYPES))
    content = write_json_lines(table) if kind == "json" else write_text(table, _DELIMITERS[kind])
    return _compress(rng, _ENDINGS.get(kind, kind), content)


def _compress(rng: random.Random, ending: str, content: bytes) -> tuple[str, bytes]:
    how = rng.choice(("none",) * 8 + ("gzip", "zstd"))
    if how == "gzip":
        return f"{ending}.gz", gzip.compress(content, mtime=0)
    if how == "zstd":
        return f"{ending}.zst", pa.Codec("zstd").compress(content, asbytes=True)
    return ending, content


# Layouts.

#: Columns of a plain file; the first ones have times.
TIMED_COLUMNS = (
    ("user", "location", "start", "end"),
    ("user", "location", "start"),
    ("user", "location", "start", "end", "lat", "lon"),
    ("user", "lat", "lon", "start"),
    ("user", "location", "start", "url", "count"),
)
COLUMNS = (*TIMED_COLUMNS, ("user", "location", "count"), ("user", "location"))


def lay_plain(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """One file, a glob, a folder, or a folder of partitions."""
    chosen = change(table)
    where = rng.choice(("file",) * 6 + ("glob", "folder", "partitions", "table"))
    if where == "table":
        return _lay_table(rng, chosen, stem)
    if where == "file":
        ending, content = draw_file(rng, chosen)
        return Laid(source=f"{stem}.{ending}", files={f"{stem}.{ending}": content})
    return _lay_several(rng, chosen, stem, where)


def _lay_several(rng: random.Random, table: Table, stem: str, where: str) -> Laid:
    state = rng.getstate()
    files: Files = {}
    ending = ""
    for number in range(2):
        rng.setstate(state)  # All of one format.
        ending, content = draw_file(rng, table.take(list(range(number, table.n_rows, 2))))
        name = {"glob": "part", "folder": "part"}.get(where, _PARTITIONS[len(stem) % 3])
        files[f"{stem}/{name.format(number)}{number}.{ending}"] = content
    source = f"{stem}/part*.{ending}" if where == "glob" else stem
    return Laid(source=source, files=files)


_PARTITIONS = ("location=bzqx{}/part", "user=uzqx{}/part", "year=202{}/part")


def _lay_table(rng: random.Random, table: Table, stem: str) -> Laid:
    """A table of a database, or a sheet of a workbook."""
    ending, write = rng.choice((("sqlite", write_sqlite), ("xlsx", write_workbook)))
    named = rng.choice(("", "", "::visits", "::x"))
    path = f"{stem}.{ending}"
    return Laid(source=path + named, files={path: write(table)})


def write_sqlite(table: Table) -> bytes:
    """A database of one table; columns whose names are alike are numbered."""
    names = [f'"{name.replace(chr(34), "")}{i or ""}"' for i, name in enumerate(table.columns)]
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE visits ({', '.join(names)})")
        rows = [[cell.encode("utf-8", "replace").decode() for cell in row] for row in table.rows()]
        base.executemany(f"INSERT INTO visits VALUES ({', '.join('?' * len(names))})", rows)
        base.commit()
        return base.serialize()


def write_workbook(table: Table) -> bytes:
    """A workbook of one sheet, the same bytes every time; no cell holds what XML cannot."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("visits")
    for row in (list(table.columns), *table.rows()):
        sheet.append([_FORBIDDEN.sub("", cell)[:30_000] for cell in row])
    written = io.BytesIO()
    book.save(written)
    same = io.BytesIO()
    with zipfile.ZipFile(written) as parts, zipfile.ZipFile(same, "w") as copies:
        for name in parts.namelist():
            # When it was written is in its properties.
            if name != "docProps/core.xml":
                copies.writestr(zipfile.ZipInfo(name), parts.read(name))
    return same.getvalue()


#: Characters that XML cannot hold, halves of others included.
_FORBIDDEN = re.compile("[\0-\x1f\ud800-\udfff\ufffe\uffff]")


def lay_geolife(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """A folder a person, in it Trajectory/*.plt."""
    files: Files = {}
    for user, rows in _by(change(table.select("user", "lat", "lon", "start")), "user").items():
        points = zip(*(rows.cells(name) for name in ("lat", "lon", "start")), strict=True)
        lines = [
            f"{lat},{lon},0,300,45000.1,{_date(start)},{_clock(start)}"
            for lat, lon, start in points
        ]
        text = "".join(f"header {i}\n" for i in range(6)) + "".join(f"{line}\n" for line in lines)
        files[f"{stem}/{user}/Trajectory/20240311.plt"] = text.encode("utf-8", "replace")
    return Laid(source=stem, files=files)


def _date(time: str) -> str:
    return time[:10]


def _clock(time: str) -> str:
    return time[11:19] or "00:00:00"


def lay_wlan(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """An association log without header."""
    chosen = change(table.select("user", "location", "start", "end"))
    return _text(stem, write_text(chosen, header=False), rng)


def lay_ap_starts(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """A start-only log, mostly without header."""
    chosen = change(table.select("user", "location", "start"))
    return _text(stem, write_text(chosen, header=rng.random() < 0.2), rng)


def lay_web(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """A web history: the favicon is the location."""
    chosen = table.select("user", "url", "location", "start")
    chosen = change(chosen.renamed(location="favicon", start="time"))
    ending, content = draw_file(rng, chosen)
    return Laid(source=f"{stem}.{ending}", files={f"{stem}.{ending}": content})


def lay_movement(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """One .mv file a device."""
    files = {
        f"{stem}/{user}.mv": write_text(rows.without("user"), "\t", header=False)
        + (b"1712000000\tOFF\n" if rng.random() < 0.5 else b"")
        for user, rows in _by(change(table.select("user", "start", "location")), "user").items()
    }
    return Laid(source=rng.choice((stem, f"{stem}/*.mv")), files=files)


def lay_per_location(rng: random.Random, table: Table, stem: str, change: Change) -> Laid:
    """One file a place, named after it."""
    columns = rng.choice((("user",), ("user", "start")))
    chosen = change(table.select("location", *columns))
    files = {
        f"{stem}/{place}.csv": write_text(rows.without("location"))
        for place, rows in _by(chosen, "location").items()
    }
    return Laid(source=stem, files=files)


def _text(stem: str, content: bytes, rng: random.Random) -> Laid:
    ending, content = _compress(rng, rng.choice(("csv", "txt", "log")), content)
    return Laid(source=f"{stem}.{ending}", files={f"{stem}.{ending}": content})


def _by(table: Table, name: str) -> dict[str, Table]:
    """The rows of each value of a column; values that cannot be file names become some."""
    groups: dict[str, list[int]] = {}
    for i, cell in enumerate(table.cells(name)):
        safe = "".join(c if c.isalnum() or c in "._-=" else "_" for c in cell)[:60]
        groups.setdefault(safe.strip(".") or "blank", []).append(i)
    return {value: table.take(rows) for value, rows in groups.items()}


Lay = Callable[[random.Random, Table, str, Change], Laid]

#: Every layout with the forms of time it is written in; None: any.
LAYOUTS: Mapping[str, tuple[Lay, str | None]] = {
    "plain": (lay_plain, None),
    "geolife": (lay_geolife, "blank"),
    "wlan": (lay_wlan, "seconds"),
    "ap-starts": (lay_ap_starts, "blank"),
    "web": (lay_web, None),
    "ap-movement": (lay_movement, "seconds"),
    "per-location": (lay_per_location, None),
}
