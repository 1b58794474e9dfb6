"""Detection of a delimited file's delimiter, and of whether its first row is a header."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from trailprint.display.discreet import Discreet
from trailprint.errors import SourceError
from trailprint.events.reading.columns import ALL_KNOWN_NAMES, SURE_NAMES, fold_name
from trailprint.events.reading.encodings import binary_data
from trailprint.events.reading.files import Files
from trailprint.events.reading.headers import Header

_SAMPLE_BYTES = 256 * 1024
_DELIMITERS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"^\s*[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?\s*$")
_TIME = re.compile(r"^\s*\d{4}-\d\d-\d\d")
_NAME = re.compile(r"^[^\W\d][^\d]*$")
_NOT_A_NAME = frozenset(
    {"", "na", "n/a", "nan", "nat", "nil", "null", "none", "-", "inf", "missing", "unknown"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect(Discreet):
    """Format of a delimited file; ``header`` is empty if its first row is data."""

    delimiter: str
    header: Header
    width: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.header.names


def sniff(files: Files, path: str, *, delimiter: str | None, wanted: Sequence[str]) -> Dialect:
    """Find a file's delimiter and header from its first lines."""
    best, rows = _best_parse(files, path, delimiter)
    names = tuple(cell.strip() for cell in rows[0])
    is_header = _looks_like_header(names, rows[1:], wanted)
    header = Header(
        names=names if is_header else (),
        given=tuple(wanted),
        is_proven=is_header and _is_proven(names, rows[1:], wanted),
    )
    return Dialect(delimiter=best, header=header, width=len(names))


def first_rows(files: Files, path: str, *, delimiter: str | None) -> list[list[str]]:
    """Return the first rows of a file, for detection only; they are never shown."""
    return _best_parse(files, path, delimiter)[1]


def _best_parse(files: Files, path: str, delimiter: str | None) -> tuple[str, list[list[str]]]:
    sample = _sample(files, path)
    choices = (delimiter,) if delimiter else _DELIMITERS
    parsed = {choice: _parse(sample, choice) for choice in choices}
    best = max(choices, key=lambda choice: _regularity(parsed[choice]))
    return best, parsed[best]


def _sample(files: Files, path: str) -> str:
    start = files.read_start(path, _SAMPLE_BYTES)
    text = start.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise SourceError(f"The data must have rows, but {files.describe(path)} is empty.")
    if b"\0" in start:
        raise binary_data(files, path)
    whole = len(start) < _SAMPLE_BYTES
    return text if whole or "\n" not in text else text[: text.rindex("\n") + 1]


def _parse(sample: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
    try:
        return [row for row in itertools.islice(reader, 200) if row]
    except csv.Error:
        return [[line] for line in sample.splitlines()[:200]]


def _regularity(rows: list[list[str]]) -> tuple[float, int]:
    """Return the share of rows as wide as the first, and that width; zeros for a single column."""
    if not rows or len(rows[0]) < 2:
        return (0.0, 0)
    width = len(rows[0])
    return (sum(len(row) == width for row in rows) / len(rows), width)


def _looks_like_header(
    names: Sequence[str], rows: Sequence[Sequence[str]], wanted: Sequence[str]
) -> bool:
    """
    Return whether the first row is a header.

    It is if it contains a name that the user gave. Otherwise it must contain no numbers or times,
    and either several known names; or one of ``SURE_NAMES`` or a word above a column of numbers
    or times, and no unknown name that its own column repeats.
    """
    if any(name in wanted for name in names):
        return True
    if any(_is_value(name) for name in names):
        return False
    if _count_known(names, ()) > 1:
        return True
    columns = _columns(names, rows)
    is_sure = any(fold_name(name) in SURE_NAMES for name in names)
    is_named = is_sure or any(map(_is_headed, names, columns))
    return is_named and not _is_repeated(names, columns)


def _is_proven(names: Sequence[str], rows: Sequence[Sequence[str]], wanted: Sequence[str]) -> bool:
    """Return whether the rows below confirm a header: known names, or a word above values."""
    # Repetitions of the header further down do not count as rows.
    columns = _columns(names, [row for row in rows if _trim(row) != list(names)])
    is_several = _count_known(names, wanted) > 1
    is_headed = is_several or any(map(_is_headed, names, columns))
    return bool(columns) and is_headed and not _is_repeated(names, columns)


def _is_repeated(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether an unknown name also occurs below it, and so may be a value."""
    return any(
        name in column and fold_name(name) not in ALL_KNOWN_NAMES
        for name, column in zip(names, columns, strict=False)
    )


def _count_known(names: Sequence[str], wanted: Sequence[str]) -> int:
    return sum(name in wanted or fold_name(name) in ALL_KNOWN_NAMES for name in names)


def _columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the cells below each name."""
    return list(zip(*(_trim(row) for row in rows if len(row) == len(names)), strict=True))


def _trim(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row]


def _is_headed(name: str, cells: Sequence[str]) -> bool:
    """Return whether the name is a word and all cells below it are numbers or times."""
    is_word = _NAME.match(name) is not None and name.casefold() not in _NOT_A_NAME
    return is_word and all(_is_value(cell) for cell in cells)


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _TIME.match(cell))
