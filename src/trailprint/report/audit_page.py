"""The audit's report: one page, rendered from the result and its metadata."""

from __future__ import annotations

from trailprint.audit.results.findings import Findings
from trailprint.report.about import About
from trailprint.report.chapters.attacks import write_attacks, write_confidence
from trailprint.report.chapters.controls import write_controls
from trailprint.report.chapters.growth import write_growth
from trailprint.report.chapters.locations import write_locations
from trailprint.report.chapters.meaning import (
    write_assumptions,
    write_limits,
    write_regulators,
)
from trailprint.report.chapters.opening import write_eyebrow, write_lead, write_title
from trailprint.report.chapters.people import write_people
from trailprint.report.chapters.points import write_points
from trailprint.report.chapters.protections import write_protections
from trailprint.report.chapters.settings_used import write_settings_used
from trailprint.report.chapters.worst_case import write_worst_case
from trailprint.report.page_layout import render_page


def render_report(found: Findings, about: About | None = None) -> str:
    """
    Render a result as a page.

    Parameters
    ----------
    found : Findings
        Findings of an audit; `Findings.from_dict` reads those of a ``result.json``.
    about : About, optional
        When, by which command and from which files it was made.

    Returns
    -------
    str
        A self-contained HTML page: no script, nothing loaded from anywhere.
    """
    about = about or About()
    sections = [
        write_attacks(found),
        write_worst_case(found),
        write_confidence(found),
        write_people(found),
        write_points(found),
        write_growth(found),
        write_protections(found),
        write_locations(found),
        write_controls(found),
        write_regulators(found),
        write_assumptions(found),
        write_limits(),
        write_settings_used(found, about),
    ]
    return render_page(
        write_title(found),
        sections,
        lead=write_lead(found, about),
        eyebrow=write_eyebrow(about),
        footer=f"Written by Trailprint {found.version}. This page loads and sends nothing.",
    )
