"""What each view adds to an attack that combines several."""

from __future__ import annotations

from trailprint.audit.results.attacks import ViewFinding, ViewsFinding
from trailprint.report.blocks import Block, Prose, Table
from trailprint.report.chapters.locations import signed_change
from trailprint.report.wording import count, join, percent, share_or_most


def write_views(found: ViewsFinding) -> list[Block]:
    """Weights, what each view finds alone, and what changes without it."""
    rows = [_row(view) for view in sorted(found.views, key=lambda view: -view.weight)]
    blocks: list[Block] = [
        Prose(_tell_weights(found)),
        Table(
            columns=("View", "Weight", "People linked by it alone", "Change without it"),
            rows=rows,
            caption=f"Views of {count(found.people)} people, and what each adds.",
        ),
    ]
    if found.left_out:
        titles = join(view.title for view in found.left_out)
        blocks.append(Prose(f"Views that this data cannot give: {titles}."))
    return blocks


def _tell_weights(found: ViewsFinding) -> str:
    if found.weights_from != "learnt":
        return found.note or "All views count the same."
    return (
        f"How much each view counts was learnt from {count(found.learnt_from)} people of the "
        "auxiliary data alone, without the released data and without knowing who is who."
    )


def _row(view: ViewFinding) -> tuple[str, str, str, str]:
    change = "counts nothing" if not view.weight else signed_change(view.leave_one_out)
    alone = share_or_most(view.accuracy_alone, view.at_most)
    return view.title, percent(view.weight), alone, change
