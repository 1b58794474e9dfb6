"""
Data frames of other libraries as plain tables, without importing those libraries.

They are recognised by their attributes: geopandas and trackintel frames by a geometry column,
frames indexed by time by that index, lazy polars frames and Spark frames by their collect methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from trailprint.display.discreet import Discreet
from trailprint.display.tables import ResultTable
from trailprint.errors import SourceError
from trailprint.events.events import Column
from trailprint.events.reading.columns import KNOWN_NAMES, USUAL_NAMES, fold_name

#: EPSG code of WGS 84: degrees of latitude and longitude.
_WGS_84 = 4326


class NoTableError(SourceError):
    """An object is not a table at all."""


def check_table(table: Any) -> None:
    """Raise an error for objects that Arrow would accept but that are not tables."""
    if isinstance(table, type) or hasattr(table, "to_frame"):
        raise no_dataset(table)
    if isinstance(table, Mapping) and len({len(one) for one in _sized(table)}) > 1:
        raise SourceError("The columns of a table must have equally many values, but they do not.")


def _sized(table: Mapping[Any, Any]) -> list[Any]:
    return [column for column in table.values() if hasattr(column, "__len__")]


def no_dataset(table: Any) -> NoTableError:
    """Return the error for an object that is not a dataset; it shows nothing of the contents."""
    name = table.__name__ if isinstance(table, type) else type(table).__name__
    kind = f"the class {name}" if isinstance(table, type) else name
    advice = "Make a table of it first."
    if hasattr(table, "to_frame"):
        advice = "One column is not enough: give the frame it is from."
    if isinstance(table, list | tuple) and all(isinstance(one, str | PathLike) for one in table):
        advice = "Several files are read as a folder or by a pattern such as 'visits/*.csv'."
    if name.endswith("Options"):
        advice = f"Options are given by name, such as options={name}(…)."
    if isinstance(table, Discreet):
        # A release may be of histograms, so that it has no events: users choose what is read.
        advice = "Give the events of a result, or one of its tables, as result.table('released')."
    return NoTableError(
        "A dataset must be a path, a pandas, polars or Arrow table or a DuckDB relation, "
        f"got {kind} instead. {advice}"
    )


def plain_frame(table: Any, wanted: Mapping[Column, str] | None = None) -> Any:
    """
    Return a frame with plain columns: points as lat and lon, an index of times as ``start``.

    A table of a result becomes an Arrow table. ``wanted`` holds the names that the user gave for
    our columns: these are left unchanged.
    """
    wanted = wanted or {}
    if isinstance(table, ResultTable):
        return table.to_arrow()
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        table = _collect_lazily(table)
    if hasattr(table, "toArrow") and hasattr(table, "sparkSession"):
        table = _collect_from_spark(table)
    if not _is_pandas(table):
        return table
    if any(str(kind) == "geometry" for kind in table.dtypes) and "lat" not in wanted:
        table = _with_positions(table)
    return table if "start" in wanted else _with_times(table)


def _collect_lazily(table: Any) -> Any:
    """Return the rows of a lazy frame of polars."""
    try:
        return table.collect()
    except Exception as error:
        # Its own message may contain values of the data, or the path of a file.
        raise SourceError(
            "The rows of a lazy frame must be computable, but polars stopped with "
            f"{type(error).__name__}. Call its collect() to see why."
        ) from None


def _collect_from_spark(table: Any) -> Any:
    """Return all rows of a Spark DataFrame as Arrow, to be read in this process."""
    try:
        return table.toArrow()
    except Exception:
        # Spark's own message may contain values of the data.
        raise SourceError(
            "Spark could not collect the rows of the DataFrame. Count or filter them there first, "
            "such as df.groupBy('user', 'location').count(), or raise spark.driver.maxResultSize."
        ) from None


def _is_pandas(table: Any) -> bool:
    has_all = all(hasattr(table, name) for name in ("dtypes", "index", "columns", "assign"))
    return has_all and bool(getattr(table.columns, "is_unique", False))


def _has(table: Any, column: Column) -> bool:
    """Return whether the frame has a column with a known or usual name."""
    known = map(fold_name, (*KNOWN_NAMES[column], *USUAL_NAMES[column]))
    return not {fold_name(str(name)) for name in table.columns}.isdisjoint(known)


def _with_positions(table: Any) -> Any:
    """Return the frame with lat and lon from its point geometry; geometries are dropped."""
    shapes = [name for name, kind in table.dtypes.items() if str(kind) == "geometry"]
    if _has(table, "lat") and _has(table, "lon"):
        return table.drop(columns=shapes)
    points = _to_degrees(table[_choose_geometry(table, shapes)].array)
    if not all(kind == "Point" for kind in points.geom_type if kind is not None):
        if _has(table, "location"):
            return table.drop(columns=shapes)
        raise SourceError(
            "The geometry of a frame must be points, but some are lines or areas. Use their "
            "centroids, or name a column of locations."
        )
    return table.drop(columns=shapes).assign(lat=points.y, lon=points.x)


def _choose_geometry(table: Any, shapes: list[Any]) -> Any:
    """Return the active geometry column of a GeoDataFrame, or the only one of a plain frame."""
    active = getattr(table, "_geometry_column_name", None)
    if active in shapes:
        return active
    if len(shapes) > 1:
        raise SourceError(
            f"A frame must have one geometry, but {len(shapes)} columns hold some and none is "
            "active. Choose one with set_geometry, or drop the others."
        )
    return shapes[0]


def _to_degrees(points: Any) -> Any:
    if points.crs is None or points.crs == _WGS_84:
        return points
    return points.to_crs(_WGS_84)


def _with_times(table: Any) -> Any:
    """Return the frame with an index of times as ``start``, unless a column is the start."""
    kind = str(getattr(table.index, "dtype", ""))
    if not kind.startswith("datetime64") or _has(table, "start"):
        return table
    return table.assign(start=table.index).reset_index(drop=True)
