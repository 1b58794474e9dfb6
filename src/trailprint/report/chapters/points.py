"""Singling out: what a few known points reveal within the release, independent of linking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import (
    GridCell,
    PointsFinding,
    SharedPart,
    UnicityPoint,
    WorstPoint,
)
from trailprint.report.blocks import (
    Block,
    Bullets,
    Figure,
    Heading,
    Key,
    Note,
    Prose,
    Section,
    Table,
)
from trailprint.report.charts import draw_bars, draw_heat, draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import BarRow, HeatRow, LineRow
from trailprint.report.wording import (
    capital,
    count,
    plural,
    rate_interval,
    sentence,
    share_or_most,
)

_TITLE = "Singling out: what a few points reveal"
_SINGLED_OUT = Axis("People whom some choice of points singles out", unit="percent")
_FEW = ("5", "10", "20")
_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_ALONE = "Nobody else agrees"
_NO_LINKS = (
    "The adversary here knows points of the very trace that is released, and asks who else agrees "
    "with them. Nothing is linked across two periods. A person who is singled out is told apart "
    "from everybody else, and the rest of their trace is known; that they are named, or found in "
    "other data, does not follow. Do not compare these shares with those of the attacks above, "
    "and do not add them."
)
_PARTS = {
    "unicity": "Points drawn at random",
    "worst-2": "The two most revealing points",
    "worst-4": "The four most revealing points",
    "grid": "Coarser places and times",
}


def write_points(found: Findings) -> Section:
    """Write the curve, the worst case, the grid, and how many people share a trace."""
    points = found.points
    if points is None:
        return Section(_TITLE, [Prose("This was not measured.")], "points")
    blocks: list[Block] = [Prose(points.question)]
    if not points.ran:
        blocks.append(Note(sentence(points.why_not), title="Not measured"))
        return Section(_TITLE, blocks, "points")
    blocks += [
        Prose(sentence(points.sentence)),
        Note(_NO_LINKS, title="A different question from linking"),
        _draw_unicity(points),
    ]
    if points.worst_case:
        blocks.append(_draw_worst(points))
    blocks += _draw_coarser(points.grid, points.unicity)
    if points.singling_out:
        blocks += [Heading("How many people look the same"), tabulate_shared(points.singling_out)]
    blocks.append(Bullets([sentence(one) for one in points.assumptions], title="What is assumed"))
    blocks += [Prose(sentence(note)) for note in points.notes]
    left_out = [f"{_PARTS.get(one.study, one.study)}: {one.why}" for one in points.left_out]
    if left_out:
        blocks.append(Bullets(left_out, title="Not measured"))
    return Section(_TITLE, blocks, "points")


def _describe_masked(found: Sequence[UnicityPoint | WorstPoint | GridCell]) -> str:
    if all(one.at_most is None for one in found):
        return ""
    return (
        " Where fewer than ten people are singled out, how many is not shown: the mark stands "
        "at the most it could be."
    )


def describe_share(found: UnicityPoint | WorstPoint | SharedPart | GridCell) -> str:
    """Format a share in percent; if it is masked, its upper bound."""
    return share_or_most(found.share, found.at_most)


def _most(found: UnicityPoint | WorstPoint | GridCell) -> float:
    share = found.at_most if found.share is None else found.share
    return share or 0.0


def _draw_unicity(points: PointsFinding) -> Figure:
    first, last = points.unicity[0], points.unicity[-1]
    numbers = tuple(one.points for one in points.unicity)
    axis = Axis(
        "Points known, drawn at random",
        low=numbers[0] - 0.5,
        high=numbers[-1] + 0.5,
        ticks=numbers,
        labels=tuple(map(str, numbers)),
    )
    return Figure(
        title="How many people are singled out by points drawn at random",
        summary=f"From {plural(first.points, 'point', 'points')} ({describe_share(first)}) to "
        f"{count(last.points)} ({describe_share(last)}).",
        drawing=draw_lines(
            [_line(one) for one in points.unicity],
            axis,
            Axis("People with whom nobody else agrees", unit="percent"),
        ),
        reading=f"{_describe_point(points)} Points were drawn {count(points.draws)} times of each "
        f"person. The band is the 95 % interval over people.{_describe_shorter(points)}"
        f"{_describe_masked(points.unicity)}",
        table=Table(
            columns=("Points", _ALONE, "95 % interval", *_name_few(), "Candidates, median"),
            rows=[_cells(count(one.points), one, one.candidates_median) for one in points.unicity],
            caption="Candidates are the people who agree with the points, the person included",
        ),
    )


def _line(one: UnicityPoint) -> LineRow:
    low, high = one.interval or (None, None)
    return {"x": one.points, "y": _most(one), "low": low, "high": high}


def _describe_point(points: PointsFinding) -> str:
    where = "a place" if points.cell_m is None else f"a cell of {points.cell_m:,.0f} m"
    when = "" if points.time_resolution is None else ", and the hour of a day somebody was there"
    return f"One point is {where}{when}."


def _describe_shorter(points: PointsFinding) -> str:
    last = points.unicity[-1]
    if not last.shorter:
        return ""
    has = plural(last.shorter, "person has", "people have")
    return f" {capital(has)} fewer than {last.points} points: all of theirs are known."


def _name_few() -> tuple[str, ...]:
    return tuple(f"Fewer than {few} candidates" for few in _FEW)


def _describe_few(shares: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(share_or_most(shares.get(few), None) if few in shares else "—" for few in _FEW)


def _cells(
    name: str, found: UnicityPoint | WorstPoint | SharedPart, median: float
) -> tuple[str, ...]:
    ends = rate_interval(found.interval, found.at_most)
    return (name, describe_share(found), ends, *_describe_few(found.fewer_than), count(median))


def _draw_worst(points: PointsFinding) -> Figure:
    drawn = {one.points: _most(one) for one in points.unicity}
    rows: list[BarRow] = [
        {
            "label": plural(one.k, "point", "points"),
            "value": _most(one),
            "text": describe_share(one),
            "low": None if one.interval is None else one.interval[0],
            "high": None if one.interval is None else one.interval[1],
            "mark": drawn.get(one.k),
        }
        for one in points.worst_case
    ]
    last = points.worst_case[-1]
    return Figure(
        title="How many people are singled out by the most revealing points",
        summary=f"{len(rows)} bars; the "
        f"{plural(last.k, 'most revealing point', 'most revealing points')} single out "
        f"{describe_share(last)}.",
        drawing=draw_bars(rows, _SINGLED_OUT),
        reading="For each person every choice of that number of points was looked at, and the one "
        "that leaves the fewest people counts: the worst case, found exactly. The dark tick is "
        f"what as many points drawn at random reveal.{_describe_masked(points.worst_case)}",
        table=Table(
            columns=("Points", "Singled out", "95 % interval", *_name_few(), "Candidates, median"),
            rows=[_cells(count(one.k), one, one.candidates_median) for one in points.worst_case],
        ),
        legend=(
            Key("ink", "95 % interval", "whisker"),
            Key("ink", "Drawn at random", "tick"),
        ),
    )


def _spell_out(cell: GridCell) -> str:
    """Return what times are released to, with the unit as a word."""
    if cell.time_s is None:
        return cell.time
    length, word = next(unit for unit in _UNITS if cell.time_s % unit[0] == 0)
    return plural(cell.time_s // length, word, f"{word}s")


def _draw_coarser(grid: Sequence[GridCell], curve: Sequence[UnicityPoint]) -> list[Block]:
    """Draw the heat map if there are coarser releases to compare with."""
    if len(grid) < 2:
        return []
    known = plural(grid[0].points, "point", "points")
    last = grid[-1]
    rows: list[HeatRow] = [
        {"x": cell.time, "y": cell.place, "share": _most(cell), "text": describe_share(cell)}
        for cell in grid
    ]
    figure = Figure(
        title=f"What {known} reveal where places and times are released coarser",
        summary=f"As they are, {describe_share(grid[0])}; at the coarsest ({last.place}, "
        f"{_spell_out(last)}), {describe_share(last)}.",
        drawing=draw_heat(rows, "Times released to", "Places released as"),
        reading="The same points drawn at random, compared with ever coarser releases: the "
        "stronger the colour, the more people are singled out. Times get coarser to the right, "
        "places downwards."
        f"{_describe_draws(grid[0], curve)}{_describe_masked(grid)}",
        table=Table(
            columns=("Places", "Times", "Singled out", "Candidates, median"),
            rows=[
                (cell.place, cell.time, describe_share(cell), count(cell.candidates_median))
                for cell in grid
            ],
            text_columns=2,
        ),
    )
    return [figure]


def _describe_draws(first: GridCell, curve: Sequence[UnicityPoint]) -> str:
    """Say why the first cell differs from the curve: among many people it has fewer draws."""
    if any((one.points, one.share) == (first.points, first.share) for one in curve):
        return ""
    return (
        " Points were drawn fewer times than for the curve, from which the first cell therefore "
        "differs a little."
    )


def tabulate_shared(parts: Sequence[SharedPart]) -> Table:
    """Tabulate how many people share a trace, places or top places in one release."""
    return Table(
        columns=("Their", "Shared by nobody", "95 % interval", *_share_few(), "People, median"),
        rows=[_cells(one.label, one, one.sharing_median) for one in parts],
        caption="How many people have exactly the same in the release, the person included",
    )


def _share_few() -> tuple[str, ...]:
    return tuple(f"By fewer than {few}" for few in _FEW)
