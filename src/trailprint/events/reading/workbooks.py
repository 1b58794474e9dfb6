"""
Sheets of Excel workbooks: ``file.xlsx::Sheet``, read by openpyxl and converted to text.

A sheet is written row by row to a private CSV file: columns, layouts and bad rows are then handled
as for any other text. Times are written as ISO 8601; formulas are read as the values that Excel
stored for them.
"""

from __future__ import annotations

import csv
import datetime
import itertools
import math
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError, SourceError
from trailprint.events.engine import Engine
from trailprint.events.reading.files import Files
from trailprint.events.reading.headers import Header
from trailprint.events.reading.inner_names import split_source
from trailprint.events.reading.listing import Listing
from trailprint.kernels.stopping import check_stop

_BOOK = "xl/workbook.xml"
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Part with the texts that cells share, which is loaded into memory as a whole.
_SHARED_TEXTS = "xl/sharedStrings.xml"
_MOST_SHARED_BYTES = 1 << 30
#: A higher compression ratio than any real table has: the part is made to exhaust memory.
_TIGHTEST = 1000
_CHECK_ROWS = 5_000
#: Exceptions that openpyxl and its dependencies raise for damaged files.
_SAYS_DAMAGED = (
    *(OSError, KeyError, IndexError, TypeError, ValueError, AttributeError, SyntaxError, EOFError),
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OverflowError, NotImplementedError),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook(Discreet):
    """A workbook file and the sheet to read; None if the workbook must have only one."""

    path: str
    sheet: str | None


def find_workbook(source: str | os.PathLike[str]) -> Workbook | None:
    """Return the workbook that a source names: ``file`` or ``file::Sheet``; None for others."""
    named = split_source(source)
    if named is None or not _is_workbook(named.path):
        return None
    return Workbook(path=named.path, sheet=named.name)


def _is_workbook(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            start = file.read(8)
        if start == _OLD and path.lower().endswith(".xls"):
            raise SourceError(
                "A workbook must be of Excel 2007 or later, but this one is older. Save it as "
                ".xlsx."
            )
        if not start.startswith(_ZIP):
            return False
        with zipfile.ZipFile(path) as parts:
            return _BOOK in parts.namelist()
    except (OSError, zipfile.BadZipFile, ValueError):
        return False


def copy_sheet(engine: Engine, workbook: Workbook) -> Files:
    """Copy a sheet into a private text file."""
    folder = os.path.join(engine.scratch, engine.new_name("sheet"))
    os.mkdir(folder, mode=0o700)
    # Named like the workbook, for messages that mention a line of it.
    path = os.path.join(folder, os.path.basename(workbook.path))
    _check_parts(workbook.path)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for row in _rows(workbook):
            writer.writerow(row)
    listing = Listing(paths=(path,), is_named=True)
    return Files(paths=(path,), listing=listing, format="delimited", compression="none")


def _check_parts(path: str) -> None:
    """Raise an error for parts that would not fit into memory, before any is unpacked."""
    with zipfile.ZipFile(path) as parts:
        for part in parts.infolist():
            is_tight = part.file_size > _TIGHTEST * max(part.compress_size, 1)
            is_large = part.filename == _SHARED_TEXTS and part.file_size > _MOST_SHARED_BYTES
            if (is_tight and part.file_size > _MOST_SHARED_BYTES) or is_large:
                raise SourceError(
                    "The texts of a workbook must fit into memory, but this one has more than 1 GB "
                    "of them. Save the sheet as CSV."
                )


def _rows(workbook: Workbook) -> Iterator[list[str]]:
    """Yield rows of text, padded to the width of the first; longer rows stay (misshapen)."""
    try:
        width = None
        for number, values in enumerate(_cells(workbook)):
            if number % _CHECK_ROWS == 0:
                check_stop()
            row = _without_end(list(map(_as_text, values)))
            if not row:
                continue
            width = len(row) if width is None else width
            yield row + [""] * (width - len(row))
    except _SAYS_DAMAGED:
        raise _damaged() from None


def _damaged() -> SourceError:
    return SourceError(
        "A workbook must be whole and without a password, but this one could not be read. "
        "Open it and save it again, or save the sheet as CSV."
    )


def _cells(workbook: Workbook) -> Iterator[Sequence[Any]]:
    """Yield the values of a sheet's rows."""
    openpyxl = _load_openpyxl()
    with warnings.catch_warnings():
        # Warnings on ignored styles and extensions, which may contain the name of a sheet.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(workbook.path, read_only=True, data_only=True)
        try:
            sheet = book[_choose(workbook.sheet, [one.title for one in book.worksheets])]
            # The size stored in a sheet may be wrong.
            sheet.reset_dimensions()
            yield from sheet.iter_rows(values_only=True)
        finally:
            book.close()


def _load_openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise OptionError(
            "Excel workbooks are read by openpyxl, which is not installed. Install it with "
            "pip install 'trailprint[excel]', or save the sheet as CSV."
        ) from None
    return openpyxl


def _choose(wanted: str | None, sheets: list[str]) -> str:
    """Return the sheet that was named, regardless of case as in Excel, or the only one."""
    for sheet in sheets:
        if wanted is not None and sheet.casefold() == wanted.casefold():
            return sheet
    if wanted is None and len(sheets) == 1:
        return sheets[0]
    got = "none was named" if wanted is None else f"none is named {wanted!r}"
    there, near = Header(names=tuple(sheets)), [] if wanted is None else [wanted]
    raise SourceError(
        f"A workbook must be given with one of its sheets, as file.xlsx::Sheet, but {got}. "
        + there.describe(near=near, kind="sheets"),
        option="table",
        suggestions=there.suggest(near),
    )


def _without_end(row: list[str]) -> list[str]:
    """Return a row up to its last non-empty cell."""
    empty = itertools.takewhile(lambda cell: not cell, reversed(row))
    return row[: len(row) - sum(1 for _ in empty)]


def _as_text(value: Any) -> str:
    """Return a cell as in a text file; Excel's errors, such as #N/A, become empty."""
    if value is None or (isinstance(value, str) and value.startswith("#") and value.isupper()):
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value)) if abs(value) < 1e15 else repr(value)
    return str(value)
