"""Base class of results: tables, charts, an HTML page and files."""

from __future__ import annotations

import base64
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.arguments import check_argument
from trailprint.display.discreet import Discreet, brief
from trailprint.display.fact_tables import write_facts
from trailprint.display.numbers import to_json
from trailprint.display.plots import Plot
from trailprint.display.tables import ResultTable
from trailprint.errors import OptionError, OutputError, reason_of
from trailprint.events.spreadsheets import write_csv
from trailprint.events.write import replacing
from trailprint.system.addresses import check_writable

Folder = str | os.PathLike[str]
Made = TypeVar("Made", ResultTable, Plot)
Makers = Mapping[str, Callable[[], ResultTable]]


class Result(Discreet, ABC):
    """
    Base class of the results of workflows.

    Get tables by name: ``result.table("curve").to_pandas()``. Tables with ids of people are
    neither shown nor saved unless they are named.
    """

    __slots__ = ()

    #: Why there is no chart if `plots` is empty.
    _NO_PLOT: ClassVar[str] = "a chart of this result needs a truth, and it has none"

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything that may be shown, as plain values."""

    def _makers(self) -> Makers:
        """Functions that make the tables, by name."""
        return {}

    def _private(self) -> frozenset[str]:
        """Names of tables that hold ids of people."""
        return frozenset({"links", "per_user", "released"})

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        """Functions that make the charts, by name; the first chart is shown by default."""
        return {}

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables, for `table`."""
        return tuple(self._makers())

    def table(self, name: str) -> ResultTable:
        """Return one of `tables`, with ``to_pandas()``, ``to_polars()`` and ``to_arrow()``."""
        return _find(self._makers(), name, "table")()

    @property
    def plots(self) -> tuple[str, ...]:
        """Names of the charts, for `plot`."""
        return tuple(self._plots())

    def plot(self, name: str | None = None) -> Plot:
        """Return one of `plots`, by default the first, as a chart that notebooks show."""
        plots = self._plots()
        if not plots:
            raise OptionError(f"A plot must have something to draw, but {self._NO_PLOT}.")
        return _find(plots, next(iter(plots)) if name is None else name, "plot")()

    def to_html(self) -> str:
        """Return a self-contained HTML page; no identifiers."""
        title = escape(type(self).__name__)
        head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        return f"{head}</head><body>{self._repr_html_()}</body></html>\n"

    def save(self, folder: Folder, *, private: str | Sequence[str] = ()) -> list[Path]:
        """
        Write ``result.json``, ``result.html`` and tables as CSV; return the files written.

        Tables with ids of people are written only if they are named in ``private``, as Parquet
        that only the owner can read.
        """
        people = self._named(private)
        path = open_folder(folder)
        texts = {
            "result.json": to_json(self.to_dict()) + "\n",
            "result.html": self.to_html(),
            **{f"{table.name}.csv": _csv(table) for table in self._open_tables() if len(table)},
        }
        targets = [path / name for name in texts]
        with replacing(targets) as unfinished:
            for name, text in zip(unfinished, texts.values(), strict=True):
                Path(name).write_text(text, encoding="utf-8", newline="")
        return targets + write_private(path, people)

    def _named(self, private: str | Sequence[str]) -> dict[str, ResultTable]:
        """Tables that were named to be saved although they hold ids of people."""
        return {name: self.table(name) for name in self._check_names(private)}

    def _check_names(self, private: str | Sequence[str]) -> list[str]:
        """Names of tables to be saved; raise an error if one is none of them."""
        check_argument("private", private, str | Sequence[str])
        names = [private] if isinstance(private, str) else list(private)
        for name in names:
            _find(self._makers(), name, "table")
        return names

    def _open_tables(self) -> list[ResultTable]:
        """Tables without ids of people."""
        return [self.table(name) for name in self.tables if name not in self._private()]

    def _repr_html_(self) -> str:
        facts = write_facts((name.replace("_", " "), text) for name, text in self._facts().items())
        chart = _image(self.plot()) if self._plots() else ""
        return f"<div>{facts}{chart}</div>"

    def _facts(self) -> dict[str, str]:
        """Return the content of ``repr`` as names and texts."""
        shown = ((name, brief(value)) for name, value in self._shown().items())
        return {name: text for name, text in shown if text}


def _find(there: Mapping[str, Callable[[], Made]], name: str, what: str) -> Callable[[], Made]:
    if not isinstance(name, str) or name not in there:
        known = ", ".join(there) or "none"
        got = repr(name) if isinstance(name, str) else type(name).__name__
        raise OptionError(f"A {what} must be one of {known}, got {got} instead.")
    return there[name]


def _image(plot: Plot) -> str:
    text = base64.b64encode(plot.to_svg().encode()).decode()
    return f'<img alt="" src="data:image/svg+xml;base64,{text}">'


def _csv(table: ResultTable) -> str:
    return write_csv(table.to_arrow().to_pylist())


def open_folder(folder: Folder) -> Path:
    """Return a folder to write to, creating it if missing."""
    check_writable(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder must be one that can be written to: {reason_of(error)}."
        ) from None
    return Path(folder)


def write_private(folder: Path, tables: Mapping[str, ResultTable]) -> list[Path]:
    """Write tables with ids of people as Parquet that only the owner can read."""
    targets = [folder / f"{name}.parquet" for name in tables]
    with replacing(targets, private=True) as unfinished:
        for name, table in zip(unfinished, tables.values(), strict=True):
            pq.write_table(table.to_arrow(), name, compression="zstd")
    return targets


def as_table(name: str, make: Callable[[], pa.Table]) -> Callable[[], ResultTable]:
    """Return a function that makes a table with ids of people."""
    return lambda: ResultTable(name, make(), is_private=True)
