"""Tables of a result, for Arrow, pandas or polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from html import escape
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trailprint.display.discreet import Discreet, Words
from trailprint.display.numbers import format_number
from trailprint.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_SHOWN_ROWS = 20


class ResultTable(Discreet):
    """
    A named table; ``is_private`` if it holds ids of people.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from trailprint.display.tables import ResultTable
    >>> table = ResultTable("curve", pa.table({"coverage": [0.5, 1.0]}))
    >>> table
    ResultTable(name=curve, rows=2)
    >>> table.to_pandas()["coverage"].tolist()
    [0.5, 1.0]
    """

    __slots__ = ("_table", "is_private", "name")

    def __init__(self, name: str, table: pa.Table, *, is_private: bool = False) -> None:
        self.name = name
        self.is_private = is_private
        self._table = table

    @classmethod
    def from_rows(
        cls, name: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()
    ) -> ResultTable:
        """
        Return a table of rows of plain values; a column of mixed types becomes text.

        Without rows it has these ``columns``, so that code that uses them goes on.
        """
        listed = [dict(row) for row in rows]
        names = list(dict.fromkeys(key for row in listed for key in row)) or columns
        made = {key: _column([row.get(key) for row in listed]) for key in names}
        return cls(name, pa.table(made))

    @classmethod
    def from_objects(cls, name: str, found: Iterable[Any], kind: type[Any]) -> ResultTable:
        """Return a table of objects of a dataclass, with a column for each of its fields."""
        return cls.from_rows(name, map(asdict, found), [field.name for field in fields(kind)])

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._table.column_names)

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table."""
        return self._table

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame, if pandas is installed."""
        _require("pandas")
        return self._table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a polars frame, if polars is installed."""
        _require("polars")
        import polars as pl

        frame = pl.from_arrow(self._table)
        assert isinstance(frame, pl.DataFrame)
        return frame

    def _shown(self) -> dict[str, object]:
        return {"name": Words(self.name), "rows": len(self)}

    def _repr_html_(self) -> str:
        if self.is_private:
            return f"<p>{escape(repr(self))}: ids of people, shown by to_pandas().</p>"
        return write_rows(self._table.slice(0, _SHOWN_ROWS).to_pylist())


def write_rows(rows: list[dict[str, Any]]) -> str:
    """Return a small HTML table of rows."""
    if not rows:
        return "<p>No rows.</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return "—"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return format_number(value) if is_number else str(value)


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in values])


def _require(package: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise OptionError(
            f"to_{package} needs the package {package}: pip install 'trailprint[{package}]'."
        )
