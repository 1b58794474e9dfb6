"""A comparison's folder: the page, ``comparison.json`` and the tables."""

from __future__ import annotations

import os
from pathlib import Path

from trailprint.audit.output_folder import open_folder
from trailprint.comparison.results import AuditComparison
from trailprint.comparison.tables import TABLES
from trailprint.display.numbers import to_json
from trailprint.events.spreadsheets import write_csv
from trailprint.events.write import replacing
from trailprint.report.comparison_page import render_comparison

PAGE, RESULT = "comparison.html", "comparison.json"


def write_comparison(folder: str | os.PathLike[str], found: AuditComparison) -> list[Path]:
    """Write all files, each one atomically, and return their paths."""
    path = open_folder(folder)
    tables = {name: list(make(found)) for name, make in TABLES.items()}
    texts = {
        PAGE: render_comparison(found),
        RESULT: to_json(found.to_dict()) + "\n",
        **{f"tables/{name}.csv": write_csv(rows) for name, rows in tables.items() if rows},
    }
    targets = [path / name for name in texts]
    with replacing(targets) as temporary:
        for name, text in zip(temporary, texts.values(), strict=True):
            Path(name).write_text(text, encoding="utf-8", newline="")
    for name, rows in tables.items():
        if not rows:
            (path / f"tables/{name}.csv").unlink(missing_ok=True)
    return targets
