"""How risk grows and shrinks: with people, time, resolution and what the adversary knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from trailprint.audit.results.findings import Findings
from trailprint.audit.results.growth import Growth
from trailprint.report.blocks import Block, Bullets, Figure, Key, Note, Row, Section, Table
from trailprint.report.chapters.amount_known import draw_amount
from trailprint.report.charts import draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import LineRow
from trailprint.report.charts.style import Size
from trailprint.report.wording import (
    count,
    describe_masked,
    highest,
    percent,
    plural,
    rate,
    rate_interval,
    sentence,
)
from trailprint.studies.growth.findings import (
    Banded,
    KnowledgeGrowth,
    ResolutionGrowth,
    Study,
    TimeGrowth,
    UsersGrowth,
)

Draw = Callable[[Size], Figure]
P = TypeVar("P", bound=Banded)

_LINKED = Axis("People linked", unit="percent")
_DAYS = Axis("Days of each person observed, on each side", is_from_zero=False)
_CLOSE = 0.01
"""Curves closer than this look the same."""
_NAMES = {
    "users": "number of people",
    "time": "length of observation",
    "resolution": "resolution",
    "knowledge": "share of people known",
    "amount-known": "how much is known of each person",
}


def write_growth(found: Findings) -> Section:
    """Write a figure for each study that ran, and the reason for each that did not."""
    growth = found.growth
    blocks: list[Block] = [*_describe_users(growth.users)]
    drawn = _list_drawn(growth)
    if len(drawn) % 2:
        blocks.append(drawn[0]("full"))
    paired = drawn[len(drawn) % 2 :]
    if paired:
        blocks.append(Row([draw("half") for draw in paired]))
    if growth.amount_known is not None and _is_measured(growth.amount_known):
        blocks.append(draw_amount(growth.amount_known))
    left_out = _list_left_out(growth)
    if left_out:
        blocks.append(Bullets(left_out, title="Not measured"))
    return Section("How risk grows and shrinks", blocks, "growth")


def _list_drawn(growth: Growth) -> list[Draw]:
    """List the figures of the studies of time, resolution and knowledge, in page order."""
    drawn: list[Draw] = []
    if growth.time is not None and _is_measured(growth.time):
        drawn.append(partial(_draw_time, growth.time))
    if growth.resolution is not None and _is_measured(growth.resolution):
        drawn.append(partial(_draw_resolution, growth.resolution))
    if growth.knowledge is not None and _is_measured(growth.knowledge):
        drawn.append(partial(_draw_knowledge, growth.knowledge))
    return drawn


def _list_left_out(growth: Growth) -> list[str]:
    """List every study without points, with the reason if one is recorded."""
    reasons = {entry.study: sentence(entry.why) for entry in growth.left_out}
    studies: dict[str, Study | None] = {
        "users": growth.users,
        "time": growth.time,
        "resolution": growth.resolution,
        "knowledge": growth.knowledge,
        "amount-known": growth.amount_known,
    }
    missing = [name for name, study in studies.items() if not _is_measured(study)]
    told = [f"By {_NAMES[n]}: {reasons.get(n) or 'no reason is recorded.'}" for n in missing]
    others = [f"{study}: {why}" for study, why in reasons.items() if study not in missing]
    return told + others


def _is_measured(study: Study | None) -> bool:
    return study is not None and any(highest(point) is not None for point in study.points)


def _describe_users(study: UsersGrowth | None) -> list[Block]:
    if study is None or not _is_measured(study):
        return []
    blocks: list[Block] = [_draw_users(study)]
    if study.fit is not None:
        text = f"{sentence(study.fit.caution)} Fitted curve: {study.fit.formula}."
        blocks.append(Note(text, kind="caution", title="Beyond the measurements"))
    return blocks


def _draw_users(study: UsersGrowth) -> Figure:
    beyond = () if study.fit is None else study.fit.extrapolation
    guessed: list[LineRow] = [{**row, "guess": True} for row in _rows(beyond)]
    first, last = study.points[0], study.points[-1]
    legend = [Key("a", "Measured, with 95 % interval")]
    if beyond:
        legend.append(Key("a", "Extrapolated, not measured", "guess"))
    cells = [_cells(point, "measured", count(point.runs)) for point in study.points]
    cells += [_cells(point, "extrapolated", "none") for point in beyond]
    return Figure(
        title=study.title or "Risk by number of people",
        summary=f"Measured from {count(first.x)} people ({rate(first)}) to "
        f"{count(last.x)} ({rate(last)}).",
        drawing=draw_lines(
            [*_rows(study.points), *guessed], Axis("People in the data", kind="log"), _LINKED
        ),
        reading=f"{_reading(study)} Each step along the axis multiplies the number of people.",
        table=Table(
            columns=("People", "How", "People linked", "95 % interval", "Runs"),
            rows=[(cell[0], cell[3], cell[1], cell[2], cell[4]) for cell in cells],
            text_columns=2,
        ),
        legend=legend,
    )


def _draw_time(study: TimeGrowth, size: Size) -> Figure:
    points = study.points
    return Figure(
        title="Risk by length of observation",
        summary=_summary(points, lambda point: plural(point.x, "day", "days")),
        drawing=draw_lines(_rows(points), _DAYS, _LINKED, size=size),
        reading=_reading(study),
        table=Table(
            columns=("Days of each person", "People linked", "95 % interval", "People"),
            rows=[_cells(point, count(point.people)) for point in points],
        ),
        size=size,
    )


def _draw_resolution(study: ResolutionGrowth, size: Size) -> Figure:
    points = sorted(study.points, key=lambda point: point.x)
    n = len(points)
    axis = Axis(
        "Resolution",
        low=0.5,
        high=n + 0.5,
        ticks=tuple(range(1, n + 1)),
        labels=tuple(point.label for point in points),
    )
    rows: list[LineRow] = [{**row, "x": number} for number, row in enumerate(_rows(points), 1)]
    return Figure(
        title="Risk by resolution",
        summary=_summary(points, lambda point: point.label),
        drawing=draw_lines(rows, axis, _LINKED, size=size),
        reading=_reading(study),
        table=Table(
            columns=("Resolution", "People linked", "95 % interval", "Places"),
            rows=[(point.label, *_cells(point)[1:], count(point.locations)) for point in points],
        ),
        size=size,
    )


def _draw_knowledge(study: KnowledgeGrowth, size: Size) -> Figure:
    points = study.points
    axis = Axis("Share of people the adversary knows", unit="percent", high=1.0)
    precise = points if any(_differ(p.precision, p.accuracy) for p in points) else ()
    precision: list[LineRow] = [{"x": p.x, "y": p.precision, "series": "b"} for p in precise]
    legend = [Key("a", "Of those they know, linked"), Key("b", "Of their links, right")]
    share = "Share" if precise else "Linked, of those they know"
    return Figure(
        title="Risk by share of people known",
        summary=_summary(points, lambda point: f"{percent(point.x)} known"),
        drawing=draw_lines(
            [*_rows(points), *precision], axis, Axis(share, unit="percent"), size=size
        ),
        reading=_reading(study),
        table=Table(
            columns=("Known", "People linked", "95 % interval", "Precision"),
            rows=[(percent(p.x), *_cells(p)[1:], percent(p.precision)) for p in points],
        ),
        legend=legend if precise else (),
        size=size,
    )


def _differ(precision: float | None, accuracy: float | None) -> bool:
    """Whether precision differs from accuracy: not if every person is linked."""
    return precision is not None and accuracy is not None and abs(precision - accuracy) > _CLOSE


def _rows(points: Sequence[Banded]) -> list[LineRow]:
    return [
        {"x": point.x, "y": highest(point), "low": point.low, "high": point.high}
        for point in points
    ]


def _cells(point: Banded, *more: str) -> tuple[str, ...]:
    ends = None if point.low is None or point.high is None else (point.low, point.high)
    return (count(point.x), rate(point), rate_interval(ends, point.at_most), *more)


def _summary(points: Sequence[P], name: Callable[[P], str]) -> str:
    first, last = points[0], points[-1]
    return f"From {name(first)} ({rate(first)} linked) to {name(last)} ({rate(last)} linked)."


def _reading(study: Study) -> str:
    read = f"{sentence(study.reading)} The band is the 95 % interval.".strip()
    return read + describe_masked(study.points)
