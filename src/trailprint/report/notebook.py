"""A small table, and the report's tiles and charts, for a notebook."""

from __future__ import annotations

from html import escape

from trailprint.audit.results.findings import Findings
from trailprint.audit.summary import list_notes, summarise
from trailprint.display.fact_tables import write_facts
from trailprint.errors import in_python
from trailprint.report.about import About
from trailprint.report.chapters.attacks import write_attacks, write_confidence
from trailprint.report.chapters.growth import write_growth
from trailprint.report.chapters.locations import write_locations
from trailprint.report.chapters.opening import write_lead, write_title
from trailprint.report.chapters.people import write_people
from trailprint.report.chapters.points import write_points
from trailprint.report.chapters.protections import write_protections
from trailprint.report.chapters.worst_case import write_worst_case
from trailprint.report.page_layout import render_page


def write_summary(found: Findings) -> str:
    """Return a small, self-contained table; its notes name options as Python does."""
    sentence = escape(found.headline.sentence)
    facts = write_facts(summarise(found), map(in_python, list_notes(found)))
    return f"<div><p><strong>{sentence}</strong></p>{facts}</div>"


def embed_report(found: Findings) -> str:
    """
    Return the opening and every chapter that has a chart in a sandboxed frame.

    The styles of notebook and report do not affect each other, and no script in it can run.
    """
    chapters = [
        write_attacks(found),
        write_worst_case(found),
        write_confidence(found),
        write_people(found),
        write_points(found),
        write_growth(found),
        write_protections(found),
        write_locations(found),
    ]
    page = render_page(write_title(found), chapters, lead=write_lead(found, About()))
    return (
        f'<iframe title="Audit" sandbox="" srcdoc="{escape(page)}" '
        'style="width:100%;height:42rem;border:1px solid #d5d9df"></iframe>'
    )
