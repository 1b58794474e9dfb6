"""An audit's folder: the report, the result, its tables, the manifest and the settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.audit.options import to_settings
from trailprint.audit.output_folder import open_folder
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.sources import Source
from trailprint.audit.settings import SETTINGS, write_settings
from trailprint.display.numbers import to_json
from trailprint.events.spreadsheets import write_csv
from trailprint.events.write import replacing
from trailprint.plain import to_plain
from trailprint.report.about import About
from trailprint.report.audit_page import render_report
from trailprint.report.audit_tables import TABLES

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
