"""
Write a release for publication: new ids, a neutral row order, and a description of the protections.

Ids are random numbers from the operating system, so neither the data nor a seed leads back to
them. Rows are sorted by their own values, new ids first, so the order of the source is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trailprint.display.numbers import to_json
from trailprint.errors import OptionError
from trailprint.events.engine import Engine, quote_name
from trailprint.events.events import Events
from trailprint.events.places.lattice import Grid
from trailprint.events.reading.columns import CELL_SIZE
from trailprint.events.reading.own_releases import ABOUT, SCHEMA
from trailprint.events.results import open_folder
from trailprint.events.write import check_outputs, copy_query, replacing, write_table

if TYPE_CHECKING:
    from trailprint.workflows.protect import ProtectResult

_EVENTS = "events.parquet"
_ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv")
_ORDER = ("location", "start", "end", "weight")
#: Decimal digits of degrees: a tenth of a metre, the smallest possible cell size.
_DEGREE_DIGITS = 6
_IDS = "random, drawn by the operating system; not derived from the data or a seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFiles:
    """Paths of a release: its data, its description and, if requested, its keys."""

    data: Path
    about: Path
    keys: Path | None = None


def place_release(
    out: str | os.PathLike[str],
    keys: str | os.PathLike[str] | None = None,
    *,
    sources: Sequence[str] = (),
) -> ReleaseFiles:
    """Choose the paths of a release; key files and ``sources`` are never overwritten."""
    path = Path(out)
    data = path if path.name.lower().endswith(_ENDINGS) else path / _EVENTS
    if keys is not None and os.path.lexists(keys):
        raise OptionError(
            f"--keys must name a new file, but {str(keys)!r} is there already: its keys would be "
            "lost. Name another.",
            option="keys",
        )
    own = None if keys is None else Path(keys)
    there = [path for path in (data, own) if path is not None and path.parent.is_dir()]
    check_outputs(there, sources=sources)
    return ReleaseFiles(data=data, about=data.parent / ABOUT, keys=own)


def write_release(
    result: ProtectResult,
    files: ReleaseFiles,
    engine: Engine,
    risk: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the data under new ids, its description and the keys; return the description."""
    events, table = result.events, result.histograms()
    kept = _describe_kept(result)
    open_folder(files.data.parent)
    source = events.query if events is not None else None
    if source is None:
        with engine.registered(table, "histograms") as name:
            source = f"FROM {engine.materialise(f'FROM {name}', 'histograms')}"
    ids = _draw_ids(engine, source)
    with engine.registered(ids, "ids") as name:
        pairs = engine.materialise(f"FROM {name}", "ids")
    query = _select(source, pairs, events, _store_cells(engine, source, _grid_of(result)))
    with replacing([files.data, files.about]) as (data, about):
        engine.run(copy_query(query, data, files.data))
        told = _describe(result, files, data, len(ids))
        told |= {"kept_columns": kept, "risk": risk}
        Path(about).write_text(to_json(told) + "\n", encoding="utf-8")
    if files.keys is not None:
        keys = ids.rename_columns(["auxiliary", "released"]).select(["released", "auxiliary"])
        write_table(keys.sort_by("released"), files.keys, engine, private=True)
    return told


def _draw_ids(engine: Engine, source: str) -> pa.Table:
    """Draw a new id for each id of the data; as text, so programs do not read them as numbers."""
    old = engine.arrow(f'SELECT DISTINCT CAST("user" AS VARCHAR) AS old FROM ({source})')["old"]
    drawn: set[str] = set()
    while len(drawn) < len(old):
        drawn.add(f"p{secrets.token_hex(8)}")
    new = sorted(drawn)
    secrets.SystemRandom().shuffle(new)
    return pa.table({"old": old, "new": pa.array(new, pa.string())})


def _select(source: str, pairs: str, events: Events | None, cells: str | None) -> str:
    """
    Return the query of the released columns, sorted by their own values.

    Positions are cell centres, never positions of people.
    """
    if events is None:
        chosen = ["e.location", "e.share"]
    else:
        chosen = [_column(events, name) for name in _ORDER if name in events.columns]
        named = zip(events.carried_columns, events.carried, strict=True)
        chosen += [f"e.{column} AS {quote_name(name)}" for column, name in named]
    joined = ""
    if cells is not None:
        chosen[1:1] = ["c.lat", "c.lon", f"c.{CELL_SIZE}"]
        joined = f"LEFT JOIN {cells} c ON CAST(e.location AS VARCHAR) = c.cell"
    return (
        f'SELECT i.new AS "user", {", ".join(chosen)} FROM ({source}) e '
        f'JOIN {pairs} i ON CAST(e."user" AS VARCHAR) = i.old {joined} ORDER BY ALL'
    )


def _grid_of(result: ProtectResult) -> Grid | None:
    events = result.protected.events
    return None if events is None or events.grid is None else events.grid.for_public()


def _store_cells(engine: Engine, source: str, grid: Grid | None) -> str | None:
    """Store a table of all cell centres; None if locations are not cells."""
    if grid is None:
        return None
    names = engine.arrow(f"SELECT DISTINCT CAST(location AS VARCHAR) AS cell FROM ({source})")
    lat, lon = grid.centres(names["cell"].to_pylist())
    table = names.append_column("lat", pa.array(np.round(lat, _DEGREE_DIGITS)))
    table = table.append_column("lon", pa.array(np.round(lon, _DEGREE_DIGITS)))
    table = table.append_column(CELL_SIZE, pa.array(np.full(len(lat), grid.cell_m)))
    with engine.registered(table, "cells") as name:
        return engine.materialise(f"FROM {name}", "cells")


def _describe_kept(result: ProtectResult) -> list[dict[str, Any]]:
    """Describe columns passed through: the share of people with a value no one else has."""
    events = result.protected.events
    if events is None or not events.carried:
        return []
    if result.events is None:
        raise OptionError(
            "--keep-column needs events, but histograms are released: leave it out, or choose "
            "another protection.",
            option="keep-column",
        )
    columns = zip(events.carried, events.carried_columns, strict=True)
    return [
        {"name": name, "people_alone": _share_alone(events, column)} for name, column in columns
    ]


def _share_alone(events: Events, column: str) -> float:
    own = f'SELECT {column} AS value, min("user") AS person FROM ({events.query}) GROUP BY 1'
    alone = f'{own} HAVING count(DISTINCT "user") = 1 AND {column} IS NOT NULL'
    n_alone, n_people = events.engine.row(
        f"SELECT count(DISTINCT person), "
        f'(SELECT count(DISTINCT "user") FROM ({events.query})) FROM ({alone})'
    )
    return float(n_alone / n_people)


def _column(events: Events, name: str) -> str:
    column = f"e.{quote_name(name)}"
    if name not in ("start", "end"):
        return f"{column} AS count" if name == "weight" else column
    # Write local times, so a reader of the release sees the original days and hours.
    if events.timezone != "UTC":
        return f"{events.to_local(column)} AS {quote_name(name)}"
    return f"timezone('UTC', {column}) AS {quote_name(name)}"


def _describe(
    result: ProtectResult, files: ReleaseFiles, written: str, n_people: int
) -> dict[str, Any]:
    """Describe the protections and the files, without values of the data."""
    events, grid = result.events, _grid_of(result)
    with open(written, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    plain = result.to_dict()
    return {
        "schema": SCHEMA,
        "data": {"name": files.data.name, "sha256": digest, "people": n_people},
        "released": plain["released"],
        "applied": plain["applied"],
        "loss": asdict(result.protected.loss),
        "facts": result.protected.facts,
        "ids": _IDS,
        "keys_kept": files.keys is not None,
        "times": None if events is None or "start" not in events.columns else events.timezone,
        "cells": None if grid is None else _describe_cells(grid),
        "notes": plain["notes"],
        "versions": {name: version(name) for name in ("trailprint", "duckdb")},
    }


def _describe_cells(grid: Grid) -> dict[str, Any]:
    how = "exact" if grid.is_public else "moved by up to half a cell, all alike"
    return {"size_m": grid.cell_m, "centres": how, "projection": "sinusoidal, WGS 84"}


def read_loss(folder: Path, sha256: str) -> float | None:
    """Return the information loss of the release in a folder, if its data has this hash."""
    try:
        told = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        is_its = told["data"]["sha256"] == sha256
        return float(told["loss"]["information_loss"]) if is_its else None
    # The file may not be one of ours.
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
