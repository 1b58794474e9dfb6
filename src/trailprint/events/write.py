"""Writing of results: under a temporary name, renamed when complete."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from trailprint.errors import OptionError, OutputError, reason_of
from trailprint.events.engine import Engine, quote_text
from trailprint.events.events import Events
from trailprint.events.reading.databases import find_database
from trailprint.events.reading.files import find_files
from trailprint.events.reading.listing import is_utf8
from trailprint.events.reading.on_spark import is_at_address
from trailprint.events.spreadsheets import guard_columns
from trailprint.system.addresses import check_writable
from trailprint.system.scratch import sweep_unfinished, unfinished_file

_FORMATS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false",
    ".csv": "FORMAT csv, HEADER true, USE_TMP_FILE false",
    ".csv.gz": "FORMAT csv, HEADER true, COMPRESSION gzip, USE_TMP_FILE false",
    ".tsv": "FORMAT csv, HEADER true, DELIMITER '\t', USE_TMP_FILE false",
}


def check_outputs(
    paths: Sequence[str | os.PathLike[str]], *, sources: Sequence[str | None] = ()
) -> list[str]:
    """Return the file types of outputs; raise an error before any work if one cannot be written."""
    for path in paths:
        check_writable(path)
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise OptionError("Outputs must go to different files, got the same name twice.")
    read = [path for source in sources if source is not None for path in _paths(source)]
    for path in paths:
        if os.path.exists(path) and any(os.path.samefile(path, other) for other in read):
            raise OptionError("An output must not overwrite the data it comes from.")
    return [_check_output(path) for path in paths]


def _paths(source: str) -> tuple[str, ...]:
    """Return the local files of a source: one for a database, none for a remote address."""
    if is_at_address(source):
        return ()
    database = find_database(source)
    return find_files(source).paths if database is None else (database.path,)


def _check_output(path: str | os.PathLike[str]) -> str:
    target = Path(path)
    if not is_utf8(str(target)):
        raise OptionError("The name of an output must be UTF-8, got other bytes instead.")
    kind = next((end for end in _FORMATS if target.name.lower().endswith(end)), None)
    if kind is None:
        endings = ", ".join(_FORMATS)
        raise OptionError(f"An output must end in one of {endings}, got {target.name!r} instead.")
    folder = target.parent
    # Unlike pathlib's methods, these return False below a folder that cannot be entered.
    if not os.path.isdir(folder):
        raise OutputError(
            f"The folder of an output must exist and be one that can be entered, but "
            f"{str(folder)!r} is not."
        )
    if not os.access(folder, os.W_OK | os.X_OK) or os.path.isdir(target) or _is_too_long(target):
        raise OutputError(f"The output {str(target)!r} cannot be written there.")
    return kind


def _is_too_long(path: Path) -> bool:
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False


@contextlib.contextmanager
def replacing(
    paths: Sequence[str | os.PathLike[str]], *, private: bool = False
) -> Iterator[list[str]]:
    """
    Yield temporary names beside ``paths``; rename them all at the end, or remove them on failure.

    ``private`` files can be read only by their owner, from the first byte on.
    """
    try:
        with contextlib.ExitStack() as stack:
            folders = [Path(path).parent for path in paths]
            for folder in dict.fromkeys(folders):
                sweep_unfinished(folder)
            temporary = [stack.enter_context(unfinished_file(folder)) for folder in folders]
            if not private:
                for name in temporary:
                    os.chmod(name, 0o666 & ~_umask())
            yield temporary
            for name, path in zip(temporary, paths, strict=True):
                os.replace(name, path)
    except OSError as error:
        raise OutputError(f"An output could not be written: {reason_of(error)}.") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_events(
    parts: Sequence[tuple[Events, str | os.PathLike[str]]], *, private: bool = False
) -> None:
    """
    Write each of ``parts`` to its file; either all of them appear or none.

    ``private`` files can be read only by their owner.
    """
    kinds = check_outputs([path for _, path in parts])
    with replacing([path for _, path in parts], private=private) as names:
        for (events, _), name, kind in zip(parts, names, kinds, strict=True):
            query = events.table_sql(zoned=kind == ".parquet")
            events.engine.run(f"COPY ({query}) TO {quote_text(name)} ({_FORMATS[kind]})")


def copy_query(query: str, unfinished: str, target: str | os.PathLike[str]) -> str:
    """SQL: write a query's rows to a file whose type follows from its final name."""
    return f"COPY ({query}) TO {quote_text(unfinished)} ({_FORMATS[_check_output(target)]})"


def write_table(
    table: pa.Table,
    path: str | os.PathLike[str],
    engine: Engine,
    *,
    private: bool = False,
    for_people: bool = False,
) -> None:
    """
    Write an Arrow table to a file whose type follows from its name.

    ``private`` files can be read only by their owner. ``for_people``: in text files, guard text
    that a spreadsheet would run as a formula; Parquet, and data that is to be read again, keep
    text unchanged.
    """
    (kind,) = check_outputs([path])
    if for_people and kind != ".parquet":
        table = guard_columns(table)
    with (
        engine.registered(table, "output") as name,
        replacing([path], private=private) as (unfinished,),
    ):
        engine.run(f"COPY {name} TO {quote_text(unfinished)} ({_FORMATS[kind]})")
