"""The audit's report: one page, drawn from the result and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trailprint.report.chapters.again import write_again
from trailprint.report.chapters.attacks import write_attacks, write_confidence, write_worst_case
from trailprint.report.chapters.controls import write_controls
from trailprint.report.chapters.growth import write_growth
from trailprint.report.chapters.locations import write_locations
from trailprint.report.chapters.meaning import (
    write_assumptions,
    write_limits,
    write_regulators,
)
from trailprint.report.chapters.opening import write_lead, write_title
from trailprint.report.chapters.people import write_people
from trailprint.report.chapters.protections import write_protections
from trailprint.report.page import render_page


def render_report(result: Mapping[str, Any]) -> str:
    """
    Draw a result.

    Parameters
    ----------
    result : mapping
        As ``result.schema.json`` describes it.

    Returns
    -------
    str
        A self-contained HTML page: no script, nothing loaded from anywhere.
    """
    sections = [
        write_attacks(result),
        write_worst_case(result),
        write_confidence(result),
        write_people(result),
        write_growth(result),
        write_protections(result),
        write_locations(result),
        write_controls(result),
        write_regulators(result),
        write_assumptions(result),
        write_limits(),
        write_again(result),
    ]
    return render_page(
        write_title(result),
        sections,
        lead=write_lead(result),
        eyebrow="Re-identification risk report",
        footer=f"Written by Trailprint {result['version']}. This page loads and sends nothing.",
    )
