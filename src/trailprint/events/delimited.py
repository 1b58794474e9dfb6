"""CSV and its relatives: which delimiter, is there a header, and one pass into a table of text."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trailprint.discreet import Discreet
from trailprint.errors import ColumnError, SourceError
from trailprint.events.columns import ALL_KNOWN_NAMES, check_once
from trailprint.events.engine import Engine, quote_name, quote_text
from trailprint.events.files import Files, escape_glob
from trailprint.events.headers import Header
from trailprint.events.partitions import Partitions

_SAMPLE_BYTES = 256 * 1024
_DELIMITERS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$")
_TIME = re.compile(r"^\s*\d{4}-\d\d-\d\d")
_NAME = re.compile(r"^[^\W\d][^\d]*$")
_NOT_A_NAME = frozenset(
    {"", "na", "n/a", "nan", "nat", "nil", "null", "none", "-", "inf", "missing", "unknown"}
)


#: Holds the path of the file a row comes from, while it is read; and what is kept of it.
PATH_COLUMN = "trailprint_path"
PATH_PART = "trailprint_path_part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect(Discreet):
    """How a delimited file is written; ``header`` is empty when its first row is data."""

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
    """The first rows of a file, to be looked at and never shown."""
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
        raise SourceError(
            "The data must be text (CSV, TSV, JSON lines) or Parquet, but "
            f"{files.describe(path)} holds binary data."
        )
    whole = len(start) < _SAMPLE_BYTES
    return text if whole or "\n" not in text else text[: text.rindex("\n") + 1]


def _parse(sample: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
    try:
        return [row for row in itertools.islice(reader, 200) if row]
    except csv.Error:
        return [[line] for line in sample.splitlines()[:200]]


def _regularity(rows: list[list[str]]) -> tuple[float, int]:
    """How many rows are as wide as the first, and how wide that is; one column is no table."""
    if not rows or len(rows[0]) < 2:
        return (0.0, 0)
    width = len(rows[0])
    return (sum(len(row) == width for row in rows) / len(rows), width)


def _looks_like_header(
    names: Sequence[str], rows: Sequence[Sequence[str]], wanted: Sequence[str]
) -> bool:
    """
    Whether the first row names the columns.

    It takes a name the user gave; or no value among the names and several that we know; or one
    that we know, or a column of numbers or times headed by a word, and no other name that its
    own column repeats.
    """
    if any(name in wanted for name in names):
        return True
    if any(_is_value(name) for name in names):
        return False
    n_known = _count_known(names, ())
    if n_known > 1:
        return True
    columns = _columns(names, rows)
    is_named = n_known > 0 or any(map(_is_headed, names, columns))
    return is_named and not _is_repeated(names, columns)


def _is_proven(names: Sequence[str], rows: Sequence[Sequence[str]], wanted: Sequence[str]) -> bool:
    """Whether rows below tell that a header is one: a word heads values, or several are known."""
    # A header that is repeated further down is none of the rows.
    columns = _columns(names, [row for row in rows if _trim(row) != list(names)])
    is_several = _count_known(names, wanted) > 1
    is_headed = is_several or any(map(_is_headed, names, columns))
    return bool(columns) and is_headed and not _is_repeated(names, columns)


def _is_repeated(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether a name we do not know is among the cells below it, and so may be one of them."""
    return any(
        name in column and name.casefold() not in ALL_KNOWN_NAMES
        for name, column in zip(names, columns, strict=False)
    )


def _count_known(names: Sequence[str], wanted: Sequence[str]) -> int:
    return sum(name in wanted or name.casefold() in ALL_KNOWN_NAMES for name in names)


def _columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The cells below each name."""
    return list(zip(*(_trim(row) for row in rows if len(row) == len(names)), strict=True))


def _trim(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row]


def _is_headed(name: str, cells: Sequence[str]) -> bool:
    """Whether a word stands above values."""
    is_word = _NAME.match(name) is not None and name.casefold() not in _NOT_A_NAME
    return is_word and all(_is_value(cell) for cell in cells)


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _TIME.match(cell))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable(Discreet):
    """A table of text in the engine, the rows that did not fit it, columns folders gave it."""

    name: str
    columns: tuple[str, ...]
    n_misshapen: int
    has_names: bool
    from_folders: tuple[str, ...] = ()


def load_delimited(
    engine: Engine,
    files: Files,
    *,
    delimiter: str | None = None,
    names: Sequence[str] = (),
    wanted: Sequence[str] = (),
    skip: int = 0,
    path_part: str | None = None,
    select: str | None = None,
    partitions: Partitions | None = None,
) -> TextTable:
    """
    Read delimited files in one pass, every value as text.

    ``names`` are given for files without a header. Files whose headers differ are read apart
    and joined by name. ``path_part`` is SQL that makes the column ``PATH_PART`` of
    ``PATH_COLUMN``: it runs once a chunk, and the paths themselves are not kept. ``select`` is
    SQL for the columns to keep instead of all that have ``names``. ``partitions`` add columns
    that no file has itself.
    """
    if names:
        choice = delimiter or sniff(files, files.paths[0], delimiter=None, wanted=()).delimiter
        groups = {
            Dialect(delimiter=choice, header=Header(names=tuple(names)), width=len(names)): list(
                files.paths
            )
        }
        return _load(
            engine,
            groups,
            header=False,
            skip=skip,
            path_part=path_part,
            files=files,
            select=select,
            partitions=partitions,
        )
    groups = {}
    for path in files.paths:
        dialect = sniff(files, path, delimiter=delimiter, wanted=wanted)
        if not dialect.names:
            raise _no_header(dialect)
        check_once(dialect.names, wanted)
        groups.setdefault(dialect, []).append(path)
    return _load(
        engine,
        groups,
        header=True,
        skip=skip,
        path_part=path_part,
        files=files,
        partitions=partitions,
    )


def _no_header(dialect: Dialect) -> ColumnError:
    if dialect.width < 2:
        return ColumnError(
            "The file must have at least two columns, but its first row has one. "
            "If its delimiter is none of comma, tab, semicolon and bar, give --delimiter."
        )
    return ColumnError(
        f"The first row must name the columns, but its {dialect.width} fields do not look like "
        "names (they may be data, so they are not shown). Name the columns with "
        "--columns user,location,start,… or say --layout."
    )


def _load(
    engine: Engine,
    groups: dict[Dialect, list[str]],
    *,
    header: bool,
    skip: int,
    path_part: str | None,
    files: Files,
    select: str | None = None,
    partitions: Partitions | None = None,
) -> TextTable:
    rejects, scans = engine.new_name("rejects"), engine.new_name("scans")
    name = engine.new_name("text")
    parts = []
    unique_names = {dialect: _unique_names(dialect.names) for dialect in groups}
    columns = dict.fromkeys(name for names in unique_names.values() for name in names)
    from_path = _from_path(path_part, partitions, columns)
    added = "".join(f", {sql} AS {quote_name(column)}" for column, sql in from_path.items())
    for dialect, paths in groups.items():
        unique = unique_names[dialect]
        types = ", ".join(f"{quote_text(column)}: 'VARCHAR'" for column in unique)
        listed = ", ".join(quote_text(escape_glob(path)) for path in paths)
        parts.append(
            f"SELECT {select or ', '.join(map(quote_name, unique))}{added} "
            f"FROM read_csv([{listed}], auto_detect=false, header={header}, skip={skip}, "
            f"delim={quote_text(dialect.delimiter)}, quote='\"', escape='\"', columns={{{types}}}, "
            f"compression='{files.compression}', ignore_errors=true, store_rejects=true, "
            f"rejects_table='{rejects}', rejects_scan='{scans}', rejects_limit=0, "
            f"filename={quote_text(PATH_COLUMN) if from_path else 'false'}, "
            "hive_partitioning=false)"
        )
    try:
        engine.run(f"CREATE TEMP TABLE {name} AS " + " UNION ALL BY NAME ".join(parts))
    except SourceError:
        check_utf8(files)
        raise
    n_misshapen = _check_rejects(engine, rejects, scans, files)
    return TextTable(
        name=name,
        columns=tuple(columns),
        n_misshapen=n_misshapen,
        has_names=all(dialect.header.is_proven for dialect in groups),
        from_folders=tuple(column for column in from_path if column != PATH_PART),
    )


def _from_path(
    path_part: str | None, partitions: Partitions | None, columns: Iterable[str]
) -> dict[str, str]:
    """SQL for each column that is made of a row's path."""
    found = {} if partitions is None else partitions.columns(PATH_COLUMN, columns)
    return {**found, PATH_PART: path_part} if path_part else found


def _unique_names(names: Sequence[str]) -> list[str]:
    """Names as DuckDB needs them: never empty, never twice (whatever their case)."""
    taken: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for position, name in enumerate(names, 1):
        choice = plain = name or f"column{position}"
        # The number goes on from where it was: thousands of equal names must not be tried anew.
        while choice.casefold() in taken:
            numbers[plain.casefold()] += 1
            choice = f"{plain}_{numbers[plain.casefold()]}"
        taken[choice.casefold()] = choice
    return list(taken.values())


def _check_rejects(engine: Engine, rejects: str, scans: str, files: Files) -> int:
    counts = engine.rows(
        # A row that lacks two fields is rejected twice.
        "SELECT error_type::VARCHAR, count(DISTINCT (scan_id, file_id, line)), "
        "min({'path': file_path, 'line': line}) "
        f"FROM {rejects} LEFT JOIN {scans} USING (scan_id, file_id) GROUP BY 1"
    )
    n_misshapen = 0
    for kind, n_rows, first in counts:
        place = f"line {first['line']} of {files.describe(first['path'])}"
        if "COLUMNS" in kind:
            n_misshapen += n_rows
        elif "ENCODING" in kind or "UNICODE" in kind:
            check_utf8(files)
            raise SourceError(f"Text must be UTF-8, found other bytes at {place}.")
        elif "MAXIMUM" in kind:
            raise SourceError(
                f"A line must be shorter than 2 MB, but {place} is longer. Is this a CSV file?"
            )
        else:
            raise SourceError(
                f"Quotes must be closed before the next delimiter, but {place} breaks this."
            )
    engine.drop(rejects)
    engine.drop(scans)
    return n_misshapen


def check_utf8(files: Files) -> None:
    """Complain with the number of the first line that is not UTF-8."""
    for path in files.paths:
        with (
            files.open_bytes(path) as stream,
            io.BufferedReader(stream) as lines,
        ):
            for number, line in enumerate(lines, 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    raise SourceError(
                        f"Text must be UTF-8, but line {number} of {files.describe(path)} "
                        "is not. Convert it first, for example with iconv -f latin1 -t utf-8."
                    ) from None
