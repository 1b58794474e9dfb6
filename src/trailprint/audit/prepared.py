"""
Both sides of an audit, prepared once: read, placed, filtered and cut into private Parquet files.

All later steps of an audit, including protections, start from these files, never from the source.
They are deleted at the end unless kept. Kept ones are reused by the next audit of the same source
files, but only if the sealed note beside them was written by the same user, for the same source
files and options, and lists their SHA-256.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from trailprint.audit.options import AuditOptions
from trailprint.audit.outcomes import WORK_MANIFEST
from trailprint.audit.sides import Sides
from trailprint.errors import OptionError
from trailprint.events.engine import Engine, default_engine, quote_text
from trailprint.events.events import Events, Tally
from trailprint.events.fingerprints import fingerprint
from trailprint.events.knowledge import Known
from trailprint.events.meeting import for_parquet, scratch_query
from trailprint.store import FolderStore, read_piece
from trailprint.system.scratch import second_name, unfinished_file

FOLDER = "prepared"
"""Subfolder of the work folder of an audit."""

LEAST_ROWS = 1_000_000
"""Sources of fewer rows are as quick to read again: they are held in memory."""

_ABOUT = f"{FOLDER}/about"
_SIDES = ("released", "auxiliary")
_WHOLE = "whole"
_OWN_IDS = "own_ids"
#: Fields of `Sides` that are plain values.
_COPIED = ("kind", "description", "n_people", "sampled_of", "n_given")


class PreparedEvents:
    """
    The prepared events of one audit; deleted at the end of the block unless kept.

    Every run reads files of its own, so that other runs may replace the kept ones in the folder.

    Parameters
    ----------
    work : path
        The work folder of the audit.
    engine : Engine
        Reads and writes the files.
    depends_on : mapping
        What the events were made from and how, as plain values.
    keep : bool
        Leave the files there, and write them even if there are few events.
    """

    def __init__(
        self,
        work: str | os.PathLike[str],
        engine: Engine,
        depends_on: Mapping[str, Any],
        *,
        keep: bool = False,
    ) -> None:
        self._work, self._engine, self._keep = Path(work), engine, keep
        self._own_files = contextlib.ExitStack()
        programs = {name: version(name) for name in ("trailprint", "duckdb")}
        text = json.dumps({**depends_on, "versions": programs}, sort_keys=True, default=str)
        self._key = hashlib.sha256(text.encode()).hexdigest()

    def __enter__(self) -> PreparedEvents:
        return self

    def __exit__(self, *raised: object) -> None:
        self._own_files.close()
        with contextlib.suppress(OSError):  # The folder is not empty if files are kept.
            self._folder.rmdir()

    @property
    def _folder(self) -> Path:
        return (self._work / FOLDER).absolute()

    @cached_property
    def found(self) -> Sides | None:
        """What an earlier run kept, if complete and made from the same files and options."""
        kept = read_piece(self._work, WORK_MANIFEST, _ABOUT)
        about = None if kept is None else json.loads(kept)
        if about is None or about["key"] != self._key:
            return None
        with contextlib.suppress(OSError):
            files = {name: self._borrow(self._folder / name) for name in about["sha256"]}
            if all(_hash(files[name]) == known for name, known in about["sha256"].items()):
                return self._open(about["sides"], files)
        return None

    def write(self, sides: Sides) -> Sides:
        """Return the same sides, from now on read from files; small data stays in memory."""
        if not self._keep and sum(tally.rows for tally in sides.tallies) < LEAST_ROWS:
            return sides
        store = FolderStore(self._work, WORK_MANIFEST)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        files = {_file(name): self._copy(events) for name, events in _list_events(sides).items()}
        if sides.own_ids is not None:
            files[_file(_OWN_IDS)] = self._new_file()
            pq.write_table(sides.own_ids, files[_file(_OWN_IDS)])
        plain = _to_plain(sides)
        if self._keep:
            self._publish(store, files, plain)
        return self._open(plain, files)

    def _publish(
        self, store: FolderStore, files: Mapping[str, str], plain: Mapping[str, Any]
    ) -> None:
        """Make the files available to the next run."""
        for name, file in files.items():
            os.replace(self._borrow(file), self._folder / name)
        hashes = {name: _hash(file) for name, file in files.items()}
        about = {"key": self._key, "sha256": hashes, "sides": plain}
        store.put(_ABOUT, json.dumps(about).encode())

    def _new_file(self) -> str:
        return self._own_files.enter_context(unfinished_file(self._folder))

    def _borrow(self, path: str | os.PathLike[str]) -> str:
        """Return a second name for a file, which stays valid if another run replaces the first."""
        return self._own_files.enter_context(second_name(path, self._folder))

    def _copy(self, events: Events) -> str:
        """Write one side to a file."""
        name, types = self._new_file(), self._engine.columns(events.query).items()
        chosen = for_parquet(sorted(item for item in types if item[0] in events.columns))
        self._engine.run(
            f"COPY (SELECT {chosen} FROM ({events.query})) TO {quote_text(name)} "
            "(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
        )
        return name

    def _open(self, plain: Mapping[str, Any], files: Mapping[str, str]) -> Sides:
        released, auxiliary = (self._events(files[_file(name)], plain[name]) for name in _SIDES)
        whole = files.get(_file(_WHOLE))
        others = {name: plain[name] for name in _COPIED}
        own_ids = files.get(_file(_OWN_IDS))
        return Sides(
            released=released,
            auxiliary=auxiliary,
            whole=None if whole is None else self._events(whole, plain[_WHOLE]),
            truth=plain["truth"],
            own_ids=None if own_ids is None else pq.read_table(own_ids),
            known=Known(**plain["known"]),
            **others,
        )

    def _events(self, file: str, plain: Mapping[str, Any]) -> Events:
        return Events(
            engine=self._engine,
            query=scratch_query(file),
            columns=frozenset(plain["columns"]),
            timezone=plain["timezone"],
            tally=Tally(**plain["tally"]),
            notes=tuple(plain["notes"]),
            cell_m=plain["cell_m"],
            stays_last=plain["stays_last"],
        )


def prepare_sides(prepared: PreparedEvents | None, make: Callable[[], Sides]) -> Sides:
    """Return sides that were prepared before, or make and prepare them now."""
    if prepared is None:
        return make()
    return prepared.found or prepared.write(make())


def depend_on(
    hashes: Sequence[str], settings: Mapping[str, Any], options: AuditOptions
) -> dict[str, Any]:
    """Return what prepared events depend on: file hashes, how files are read and sides made."""
    own = options.to_dict()
    cut = {name: own[name] for name in ("split", "users", "knows", "seed")}
    return {"hashes": list(hashes), "settings": dict(settings), **cut}


def keep_prepared(
    folder: str | os.PathLike[str] | None,
    sources: Sequence[Any],
    how: Mapping[str, Any],
    options: AuditOptions,
) -> contextlib.AbstractContextManager[PreparedEvents | None]:
    """Return prepared events of files, kept in ``folder``; a context of None without a folder."""
    if folder is None:
        return contextlib.nullcontext()
    places = how["places"]
    beside = [how["truth"], None if places is None else places.regions]
    files = [*sources, *(path for path in beside if path is not None)]
    hashes = [fingerprint(_as_path(source)).sha256 for source in files]
    settings = {"reading": repr(how["reading"]), "places": repr(places), "n": len(sources)}
    return PreparedEvents(folder, default_engine(), depend_on(hashes, settings, options), keep=True)


def _as_path(source: Any) -> str:
    if not isinstance(source, str | os.PathLike):
        raise OptionError(
            "Events are prepared from files, but a table or events were given, which need no "
            "preparing. Leave prepared out, or give paths."
        )
    return os.fspath(source)


def _file(name: str) -> str:
    return f"{name}.parquet"


def _hash(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _to_plain(sides: Sides) -> dict[str, Any]:
    return {
        **{name: getattr(sides, name) for name in _COPIED},
        "truth": sides.truth,
        "known": sides.known.to_dict(),
        **{name: _describe(events) for name, events in _list_events(sides).items()},
    }


def _list_events(sides: Sides) -> dict[str, Events]:
    """Return both sides, and the dataset they were cut from, if any."""
    both = {name: getattr(sides, name) for name in _SIDES}
    return both if sides.whole is None else {**both, _WHOLE: sides.whole}


def _describe(events: Events) -> dict[str, Any]:
    return {
        "columns": sorted(events.columns),
        "timezone": events.timezone,
        "tally": asdict(events.tally),
        "notes": list(events.notes),
        "cell_m": events.cell_m,
        "stays_last": events.stays_last,
    }
