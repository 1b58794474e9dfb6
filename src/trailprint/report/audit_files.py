"""An audit's folder: the report, the result, its tables, the manifest and the settings."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.audit.results.findings import Findings
from trailprint.audit.settings import SETTINGS, to_settings, write_settings
from trailprint.display.numbers import to_json
from trailprint.errors import OptionError, OutputError, reason_of
from trailprint.events.fingerprints import fingerprint
from trailprint.events.reading.on_spark import is_at_address
from trailprint.events.spreadsheets import write_csv
from trailprint.events.write import replacing
from trailprint.plain import to_plain
from trailprint.report.about import About, Source
from trailprint.report.audit_page import render_report
from trailprint.report.audit_tables import TABLES
from trailprint.system.addresses import check_writable, readable_path
from trailprint.workflows.release import read_loss
from trailprint.workflows.release_risk import MEASURED, hash_result

REPORT, RESULT, MANIFEST = "report.html", "result.json", "manifest.json"
PER_USER = "per_user.parquet"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outputs:
    """
    Contents of an audit's folder.

    Attributes
    ----------
    findings : Findings
        Result of the audit.
    sources : sequence of Source
        Datasets that were read.
    settings : mapping
        Options beyond those in the result: how the data was read and shaped.
    command : str, optional
        Command that repeats the audit.
    release : str, optional
        Command that writes the release the report proposes.
    asked : mapping
        Options the user gave, by flag, for ``settings.toml``; None for those in the result.
    per_user : pyarrow.Table, optional
        Each person's risk; written for the owner only.
    """

    findings: Findings
    sources: Sequence[Source] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    command: str | None = None
    release: str | None = None
    asked: Mapping[str, Any] | None = None
    per_user: pa.Table | None = None


def describe_source(source: str) -> Source:
    """Count and hash the files of a dataset; names of files inside a folder are left out."""
    found = fingerprint(source)
    return Source(
        name=os.path.basename(source.rstrip("/")),
        files=len(found.paths),
        bytes=found.bytes,
        sha256=found.sha256,
        release_loss=read_loss(Path(found.paths[0]).parent, found.sha256),
    )


def check_folder(folder: str | os.PathLike[str], *, sources: Sequence[str] = ()) -> None:
    """Raise, before any work is done, if `open_folder` would; leave no folder behind."""
    check_writable(folder)
    path = Path(folder) / "tables"
    missing = [place for place in (path, *path.parents) if not os.path.lexists(place)]
    try:
        open_folder(folder, sources=sources)
    finally:
        for place in missing:
            with contextlib.suppress(OSError):
                place.rmdir()


def open_folder(folder: str | os.PathLike[str], *, sources: Sequence[str] = ()) -> Path:
    """
    Create the folder of an audit, or raise before any work is done.

    It must not be inside one of ``sources``: the next audit would read what this one writes.
    """
    check_writable(folder)
    path = Path(folder)
    here = [readable_path(source) for source in sources if not is_at_address(source)]
    for source in filter(os.path.isdir, here):
        if path.resolve().is_relative_to(Path(source).resolve()):
            raise OptionError(
                f"--out must be outside the folder the data is read from, got {str(folder)!r}. "
                "Name another folder."
            )
    try:
        (path / "tables").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {str(folder)!r} must be one that can be written to: {reason_of(error)}."
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise OutputError(f"The folder {str(folder)!r} must be one that can be written to.")
    return path


def write_outputs(folder: str | os.PathLike[str], written: Outputs) -> list[Path]:
    """
    Write all files, each one atomically, and return their paths.

    Tables and private files of an earlier audit that this one does not have are removed.
    """
    path = open_folder(folder)
    tables = {name: list(make(written.findings)) for name, make in TABLES.items()}
    about = About(
        written=date.today().isoformat(),
        command=written.command,
        release=written.release,
        sources=written.sources,
    )
    texts = {
        REPORT: render_report(written.findings, about),
        RESULT: _json(written.findings.to_dict()),
        MANIFEST: _json(_manifest(written, about)),
        SETTINGS: write_settings(_asked(written)),
        **{f"tables/{name}.csv": write_csv(rows) for name, rows in tables.items() if rows},
    }
    targets = [path / name for name in texts]
    with replacing(targets) as temporary:
        for name, text in zip(temporary, texts.values(), strict=True):
            Path(name).write_text(text, encoding="utf-8", newline="")
        _remove(path / f"tables/{name}.csv" for name, rows in tables.items() if not rows)
    if written.per_user is None:
        _remove([path / PER_USER])
        return targets
    with replacing([path / PER_USER], private=True) as (private,):
        pq.write_table(written.per_user, private, compression="zstd")
    return [*targets, path / PER_USER]


def add_measured(folder: str | os.PathLike[str], point: Mapping[str, Any]) -> Path:
    """Save a protection that was measured after the audit in its own file; return its path."""
    place = Path(folder) / MEASURED
    place.mkdir(exist_ok=True)
    name = hashlib.sha256(str(point["written"]).encode()).hexdigest()[:16]
    told = {"schema": "trailprint.measured/1", "result_sha256": hash_result(Path(folder))}
    with replacing([place / f"{name}.json"]) as (temporary,):
        Path(temporary).write_text(_json({**told, "point": point}), encoding="utf-8", newline="")
    return place / f"{name}.json"


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _asked(written: Outputs) -> Mapping[str, Any]:
    return to_settings(written.findings.settings) if written.asked is None else written.asked


def _manifest(written: Outputs, about: About) -> dict[str, Any]:
    found = written.findings
    return {
        "schema": "trailprint.manifest/1",
        "written": about.written,
        "command": about.command,
        "inputs": [
            {name: value for name, value in asdict(source).items() if value is not None}
            for source in written.sources
        ],
        "options": {**found.settings, **written.settings},
        "seed": found.seed,
        "versions": dict(found.versions),
        "seconds": to_plain(found.seconds),
    }


def _json(values: Mapping[str, Any]) -> str:
    return to_json(values) + "\n"
