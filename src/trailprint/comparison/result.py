"""The result of a comparison: tables, a page, files; no identifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from trailprint.comparison.results import AuditComparison
from trailprint.comparison.tables import COLUMNS, TABLES
from trailprint.display.discreet import Words
from trailprint.display.plots import Plot, draw_bars
from trailprint.display.tables import ResultTable
from trailprint.events.results import Folder, Makers, Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonResult(Result):
    """
    Comparison of several audits.

    ``comparison`` holds it as types; ``to_dict()`` is the content of ``comparison.json``.
    """

    comparison: AuditComparison

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self.comparison.to_dict()

    def _makers(self) -> Makers:
        return {name: partial(_make, name, self.comparison) for name in TABLES}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        return {"risk": lambda: _plot_risk(self.comparison)}

    def to_html(self) -> str:
        """Return the comparison as an HTML page."""
        from trailprint.report.comparison_page import render_comparison

        return render_comparison(self.comparison)

    def save(self, folder: Folder, *, private: str | Sequence[str] = ()) -> list[Path]:
        """
        Write the page, ``comparison.json`` and the tables; return the files written.

        No table of a comparison holds ids, so there is none to name in ``private``.
        """
        from trailprint.report.comparison_files import write_comparison

        self._named(private)
        return write_comparison(folder, self.comparison)

    def _shown(self) -> dict[str, object]:
        return {"audits": len(self.comparison.audits), "says": Words(self.comparison.sentence)}


def _make(name: str, found: AuditComparison) -> ResultTable:
    return ResultTable.from_rows(name, TABLES[name](found), COLUMNS.get(name, ()))


def _plot_risk(found: AuditComparison) -> Plot:
    """Plot the strongest attack of each audit."""
    rows = []
    for audit in found.audits:
        low, high = audit.strongest.interval or (None, None)
        share = audit.strongest.share
        rows.append(
            {
                "name": audit.label,
                "share": audit.strongest.at_most if share is None else share,
                "low": low,
                "high": high,
            }
        )
    return draw_bars(rows, "name", "share")
