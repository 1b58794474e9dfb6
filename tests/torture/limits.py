"""Too little room on disk, no right to write, too little memory: one sentence, nothing left."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.torture.outcomes import Series
from tests.torture.programs import (
    Ended,
    Place,
    left_in_scratch,
    make_data,
    place,
    run,
    temporary_names,
)

#: Commands that write to ``out/``.
_WRITING: tuple[tuple[str, ...], ...] = (
    ("protect", "data.csv", "--apply", "coarsen-names", "--out", "out/p.csv"),
    ("protect", "data.csv", "--apply", "coarsen-names", "--out", "out/p.parquet"),
    ("split", "data.csv", "--at", "median", "--released", "out/r.csv", "--auxiliary", "out/a.csv"),
    ("match", "data.csv", "--at", "median", "--links", "out/l.csv"),
    ("simulate", "campus", "--users", "30", "--days", "5", "--out", "out/s.csv"),
    ("audit", "data.csv", "--out", "out/audit", "--time-limit", "5s"),
    ("correlate", "data.csv", "--at", "median", "--work", "out/models"),
)


def limit_series(rng: random.Random) -> Iterator[Series]:
    """All of them."""
    with place() as where:
        make_data(where)
        yield _disk_full(where, rng)
        yield _file_size(where, rng)
        yield _read_only(where)
        yield _memory(where)


def _judge(ended: Ended, where: Place) -> Iterator[str]:
    if ended.code not in (0, 2):
        yield f"exit code {ended.code}: {ended.err[-100:]!r}"
    elif ended.code == 2 and not ended.is_one_sentence:
        yield f"not one sentence: {ended.err[-100:]!r}"
    if left_in_scratch(where):
        yield "temporary files are left"
    if (where.work / "out").is_dir() and temporary_names(where.work / "out"):
        yield "unfinished files are left"
    if ended.code == 2 and _outputs(where):
        yield f"an output was written: {_outputs(where)[0]}"


def _outputs(where: Place) -> list[str]:
    """Files in the output folder but for finished parts of work."""
    out = where.work / "out"
    paths = [p for p in out.rglob("*") if p.is_file()] if out.is_dir() else []
    names = [str(p.relative_to(out)) for p in paths]
    return [n for n in names if not n.startswith(("audit/work/", "models/"))]


def _try(series: Series, where: Place, arguments: tuple[str, ...], **how: object) -> None:
    ended = run(arguments, where, **how)
    series.add(_judge(ended, where), note=f"exit {ended.code}", seconds=ended.seconds)
    for path in where.scratch.iterdir():
        shutil.rmtree(path, ignore_errors=True)


def _disk_full(where: Place, rng: random.Random) -> Series:
    series = Series("disk full (tmpfs)")
    for arguments in _WRITING:
        for size_kb in (4, rng.randrange(8, 64)):
            with _small_disk(where.work / "out", size_kb) as is_there:
                if not is_there:
                    series.notes["skipped: no right to mount"] += 1
                    return series
                _try(series, where, arguments)
    return series


@contextlib.contextmanager
def _small_disk(folder: Path, size_kb: int) -> Iterator[bool]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_kb}k,mode=700", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder)


def _file_size(where: Place, rng: random.Random) -> Series:
    series = Series("largest size of a file")
    for arguments in _WRITING:
        with _out_folder(where):
            largest = rng.randrange(2000, 6000)  # What is printed must fit.
            _try(series, where, arguments, preexec_fn=_limiting(resource.RLIMIT_FSIZE, largest))
    return series


def _limiting(what: int, amount: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (amount, amount))


@contextlib.contextmanager
def _out_folder(where: Place, mode: int = 0o700) -> Iterator[Path]:
    folder = where.work / "out"
    folder.mkdir()
    folder.chmod(mode)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _read_only(where: Place) -> Series:
    """A folder that may be read but not written to, also by root."""
    series = Series("folder without the right to write")
    before = _WITHOUT_RIGHTS if os.getuid() == 0 else ()
    if before and shutil.which(before[0]) is None:
        series.notes["skipped: no setpriv"] += 1
        return series
    for arguments in _WRITING:
        with _out_folder(where, 0o555):
            _try(series, where, arguments, before=before)
    return series


#: Root may write everywhere, unless that right is taken away.
_WITHOUT_RIGHTS = (
    "setpriv",
    "--inh-caps=-dac_override,-dac_read_search",
    "--bounding-set=-dac_override,-dac_read_search",
)


def _memory(where: Place) -> Series:
    series = Series("limit on memory (ulimit -v)")
    commands = (("inspect", "data.csv"), ("match", "data.csv", "--at", "median"))
    for arguments in commands:
        for megabytes in (100, 200, 300, 400, 500, 600, 800, 1000, 1500, 2500):
            _try(
                series, where, arguments, preexec_fn=_limiting(resource.RLIMIT_AS, megabytes << 20)
            )
    return series
