"""What each view adds to an attack that combines several."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.attacks import ViewFinding, ViewsFinding
from trailprint.report.blocks import Block, Figure, Key, Prose, Row, Table
from trailprint.report.chapters.locations import signed_change
from trailprint.report.charts import draw_bars
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import BarRow
from trailprint.report.wording import capital, count, join, percent, share_or_most

Views = Sequence[ViewFinding]


def write_views(found: ViewsFinding) -> list[Block]:
    """Write the weights, what each view finds alone, and what changes without it."""
    views = sorted(found.views, key=lambda view: -view.weight)
    counted = [view for view in views if view.weight]
    blocks: list[Block] = [
        Prose(_describe_weights(found)),
        Table(
            columns=("View", "Weight", "People linked by it alone", "Change without it"),
            rows=[_row(view) for view in views],
            caption=f"Views of {count(found.people)} people, and what each adds.",
        ),
        *_draw(found, counted),
    ]
    if found.left_out:
        titles = join(view.title for view in found.left_out)
        blocks.append(Prose(f"Views that this data does not support: {titles}."))
    return blocks


def _describe_weights(found: ViewsFinding) -> str:
    if found.weights_from != "learnt":
        return found.note or "All views count the same."
    return (
        f"How much each view counts was learnt from {count(found.learnt_from)} people of the "
        "auxiliary data alone, without the released data and without knowing who is who."
    )


def _row(view: ViewFinding) -> tuple[str, str, str, str]:
    change = "not counted" if not view.weight else signed_change(view.leave_one_out)
    return capital(view.title), percent(view.weight), _alone(view), change


def _alone(view: ViewFinding) -> str:
    return share_or_most(view.accuracy_alone, view.at_most)


def _draw(found: ViewsFinding, counted: Views) -> list[Block]:
    """Charts of the views that count; a sentence if no single view makes a difference to show."""
    if len(counted) < 2:
        return []
    figures = [_draw_alone(found, counted)]
    if any(isinstance(view.leave_one_out, float) for view in counted):
        return [Row([_draw_without(counted), *figures])]
    return [Row(figures), Prose(_describe_no_change(counted))]


def _describe_no_change(counted: Views) -> str:
    if any(view.leave_one_out != "<10" for view in counted):
        return ""
    return (
        "Leaving out any one of them changes the number of people linked by fewer than ten: the "
        "views say much the same, and no single one identifies people."
    )


def _draw_without(counted: Views) -> Figure:
    rows: list[BarRow] = [
        {
            "label": capital(view.title),
            "value": _lost(view.leave_one_out),
            "text": signed_change(view.leave_one_out),
        }
        for view in sorted(counted, key=lambda view: -_lost(view.leave_one_out))
    ]
    return Figure(
        title="What each view adds",
        summary=f"{rows[0]['label']}: {rows[0]['text']} without it. {len(rows)} views.",
        drawing=draw_bars(
            rows, Axis("Share of people no longer linked without it", unit="percent"), size="half"
        ),
        reading="A longer bar means that fewer people are linked when the view is left out and the "
        "others stay. Where a bar is missing, the others make up for the view; with a plus, more "
        "are linked without it.",
        table=_table("Change without it", rows),
        size="half",
    )


def _lost(change: float | str | None) -> float:
    """The share of people who are no longer linked without a view; 0 if it is masked."""
    return max(0.0, -change) if isinstance(change, float) else 0.0


def _draw_alone(found: ViewsFinding, counted: Views) -> Figure:
    rows: list[BarRow] = [
        {
            "label": capital(view.title),
            "value": view.at_most if view.accuracy_alone is None else view.accuracy_alone,
            "text": _alone(view),
            "mark": found.accuracy,
        }
        for view in counted
    ]
    return Figure(
        title="What each view finds alone",
        summary=f"{len(rows)} views, those that count most first; the first links "
        f"{rows[0]['text']} alone, all together {percent(found.accuracy)}.",
        drawing=draw_bars(rows, Axis("People linked by it alone", unit="percent"), size="half"),
        reading="The dark tick is what all views together link: how far it lies beyond the "
        "longest bar is what looking from several sides adds.",
        table=_table("People linked by it alone", rows),
        legend=(Key("ink", "All views together", "tick"),),
        size="half",
    )


def _table(column: str, rows: Sequence[BarRow]) -> Table:
    return Table(columns=("View", column), rows=[(row["label"], row["text"]) for row in rows])
