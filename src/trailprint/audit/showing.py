"""
How an audit's result is displayed: the report's own page, tables and tiles.

The only module that imports from a higher layer: the report is imported on demand, so that an audit
never depends on how it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trailprint.audit.options import to_settings
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import PointsFinding
from trailprint.display.plots import Plot, draw_bars, draw_curve, draw_line
from trailprint.display.tables import ResultTable
from trailprint.events.results import Folder, Makers, Result, as_table, write_private


class Shown(Result):
    """Tables, charts, pages and files of an audit; identifiers only in named tables."""

    __slots__ = ()

    findings: Findings
    """Publishable results, without identifiers."""

    paths: Mapping[str, str]
    """Sources that were given as paths, by the arguments of the command."""

    def _makers(self) -> Makers:
        from trailprint.report.audit_tables import COLUMNS, TABLES

        makers: dict[str, Callable[[], ResultTable]] = {
            name: partial(_make, name, make, self.findings, COLUMNS.get(name, ()))
            for name, make in TABLES.items()
        }
        for name in ("links", "per_user"):
            makers[name] = as_table(name, getattr(self, name))
        return makers

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        plots: dict[str, Callable[[], Plot]] = {
            "attacks": lambda: _plot_attacks(self.findings),
            "protections": lambda: _plot_protections(self.findings),
        }
        points = self.findings.points
        if points is not None and points.ran:
            plots["points"] = lambda: _plot_points(points)
        return plots

    def to_html(self) -> str:
        """Return the report as an HTML page."""
        from trailprint.report.audit_page import render_report

        return render_report(self.findings)

    def save(self, folder: Folder, *, private: str | Sequence[str] = ()) -> list[Path]:
        """
        Write the report, ``result.json`` and its tables, as the command does; return the paths.

        Tables with ids of people are written only if they are named in ``private``.
        """
        from trailprint.report.audit_files import Outputs, write_outputs

        people = self._named(private)
        asked = {**self.paths, **to_settings(self.findings.settings)}
        written = write_outputs(folder, Outputs(findings=self.findings, asked=asked))
        return written + write_private(Path(folder), people)

    def _repr_html_(self) -> str:
        from trailprint.report.notebook import embed_report, write_summary

        return write_summary(self.findings) + embed_report(self.findings)


def _make(
    name: str,
    make: Callable[[Findings], Iterable[dict[str, Any]]],
    found: Findings,
    columns: Sequence[str],
) -> ResultTable:
    return ResultTable.from_rows(name, make(found), columns)


def _plot_attacks(found: Findings) -> Plot:
    """Plot the share of people that each attack links, with its interval."""
    rows = []
    for attack in found.attacks:
        if attack.ran and attack.accuracy is not None:
            low, high = attack.interval or (None, None)
            row = {"name": attack.title, "share": attack.accuracy, "low": low, "high": high}
            rows.append(row)
    return draw_bars(rows, "name", "share")


def _plot_points(found: PointsFinding) -> Plot:
    """Plot the share of people singled out, by number of randomly drawn points."""
    rows = []
    for one in found.unicity:
        low, high = one.interval or (None, None)
        rows.append({"points": one.points, "share": one.share, "low": low, "high": high})
    return draw_curve([row for row in rows if row["share"] is not None], "points", "share")


def _plot_protections(found: Findings) -> Plot:
    """Plot the protections on the Pareto frontier: their loss, and the share still linked."""
    tried = () if found.protections is None else found.protections.points
    points = [
        {
            "information_loss": point.loss,
            "people_linked": point.accuracy,
            "label": point.label,
        }
        for point in sorted(tried, key=lambda point: point.loss or 0.0)
        if point.on_frontier and point.accuracy is not None
    ]
    return draw_line(points, "information_loss", "people_linked", label="label")
