"""Reading of CSV and similar files, in one pass into a table of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trailprint.display.discreet import Discreet
from trailprint.errors import ColumnError, SourceError
from trailprint.events.engine import Engine, quote_name, quote_text
from trailprint.events.reading.columns import check_once
from trailprint.events.reading.dialects import Dialect, sniff
from trailprint.events.reading.encodings import NotUtf8Error, check_utf8
from trailprint.events.reading.files import Files, escape_glob
from trailprint.events.reading.headers import Header
from trailprint.events.reading.partitions import Partitions

#: Column with the path of a row's file while it is read, and the column with the part kept of it.
PATH_COLUMN = "trailprint_path"
PATH_PART = "trailprint_path_part"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable(Discreet):
    """A table of text in the engine, its number of misshapen rows, and columns from folders."""

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

    ``names`` are the columns of files without a header. Files whose headers differ are read
    separately and joined by name. ``path_part`` is SQL that computes the column ``PATH_PART``
    from ``PATH_COLUMN``: it runs once per chunk, and the paths themselves are not kept.
    ``select`` is SQL for the columns to keep instead of all ``names``. ``partitions`` add
    columns that no file has itself.
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
            "If its delimiter is none of comma, tab, semicolon and bar, give --delimiter.",
            option="delimiter",
        )
    return ColumnError(
        f"The first row must name the columns, but its {dialect.width} fields do not look like "
        "names (they may be data, so they are not shown). Name the columns with "
        "--columns user,location,start,… or say --layout.",
        option="columns",
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
    try:
        n_misshapen = _check_rejects(engine, rejects, scans, files)
    except NotUtf8Error:
        # The files will be read again in another encoding.
        engine.drop(name)
        raise
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
    """SQL: each column that is computed from a row's path."""
    found = {} if partitions is None else partitions.columns(PATH_COLUMN, columns)
    return {**found, PATH_PART: path_part} if path_part else found


def _unique_names(names: Sequence[str]) -> list[str]:
    """Return names as DuckDB needs them: not empty, and unique regardless of case."""
    taken: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for position, name in enumerate(names, 1):
        choice = plain = name or f"column{position}"
        # The number continues from its last value: thousands of equal names stay fast.
        while choice.casefold() in taken:
            numbers[plain.casefold()] += 1
            choice = f"{plain}_{numbers[plain.casefold()]}"
        taken[choice.casefold()] = choice
    return list(taken.values())


def _check_rejects(engine: Engine, rejects: str, scans: str, files: Files) -> int:
    counts = engine.rows(
        # A row that lacks two fields is rejected twice: count distinct lines.
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
            raise NotUtf8Error(f"Text must be UTF-8, found other bytes at {place}.")
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
