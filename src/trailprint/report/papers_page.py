"""The papers' experiments on one page: each with its table, its chart and the paper's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from trailprint.display.numbers import format_number
from trailprint.papers.comparison import Comparison
from trailprint.papers.experiment import Chart, Reproduction, Row
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
    Tile,
    Tiles,
)
from trailprint.report.charts import draw_bars, draw_lines, draw_scatter
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.maps import draw_map
from trailprint.report.charts.rows import BarRow, LineRow, ScatterRow
from trailprint.report.charts.style import SERIES
from trailprint.report.charts.svg import Drawing
from trailprint.report.page_layout import render_page
from trailprint.report.wording import count, percent, seconds

#: Maximum number of rows of a chart's data on the page; the others are in its CSV file.
MOST_ROWS = 60

_LABELS = {
    "simulated": "simulated people",
    "your data": "your data",
    "partly your data, partly simulated": "partly your data, partly simulated people",
}


def render_papers_page(results: Sequence[Reproduction]) -> str:
    """Render the experiments that were run as one self-contained page."""
    by_paper = groupby(results, key=lambda result: result.experiment.paper)
    sections = [
        Section(paper, [block for result in group for block in _blocks(result)])
        for paper, group in by_paper
    ]
    return render_page(
        "The papers, reproduced",
        sections,
        lead=_lead(results),
        eyebrow="Trailprint",
        footer="Made by trailprint reproduce. Nothing on this page was loaded from elsewhere.",
    )


def _lead(results: Sequence[Reproduction]) -> list[Block]:
    n_simulated = sum(result.population != "your data" for result in results)
    lead: list[Block] = [
        Prose("Tables and figures of published papers, run again, their numbers beside ours."),
        Tiles(
            (
                Tile("Experiments", count(len(results))),
                Tile("With simulation", count(n_simulated), "in whole or in part"),
                Tile("Predicted or own", _speaking_share(results), "of the figures compared"),
                Tile("Time", seconds(sum(result.seconds for result in results))),
            )
        ),
    ]
    if n_simulated:
        lead.append(
            Note(
                "Where it says simulated, nobody in the data exists: a population was drawn that "
                "has some of the statistics the paper reports. Only figures of your own data and "
                "predicted ones, to which nothing was tuned, show anything when they agree. Tuned "
                "and forced figures would agree whatever the method.",
                kind="caution",
                title="Simulated people",
            )
        )
    return lead


def _speaking_share(results: Sequence[Reproduction]) -> str:
    """Number of informative figures, and of all figures."""
    figures = [each for result in results for each in result.outcome.comparisons]
    return f"{count(sum(each.speaks for each in figures))} of {count(len(figures))}"


def _blocks(result: Reproduction) -> list[Block]:
    experiment, outcome = result.experiment, result.outcome
    sizes = "The paper's sizes" if result.full else "Reduced sizes where the paper's are large"
    blocks: list[Block] = [
        Heading(f"{_place(experiment.name)}: {experiment.title} ({_LABELS[result.population]})"),
        Prose(outcome.reading),
        Prose(
            f"{experiment.name}. On {_LABELS[result.population]}. {sizes}; seed {result.seed}; "
            f"{seconds(result.seconds)}."
        ),
    ]
    blocks += _comparisons(outcome.comparisons, experiment.name)
    blocks += [make_figure(result, chart) for chart in outcome.charts]
    if outcome.notes:
        blocks.append(Bullets(outcome.notes, title="What to know"))
    return blocks


def _place(name: str) -> str:
    """Position of an experiment in its paper: ``2005-figure-11`` is Figure 11."""
    return name.partition("-")[2].replace("-", " ").capitalize()


def _comparisons(comparisons: Sequence[Comparison], name: str) -> list[Block]:
    """Informative figures with their differences, then tuned or forced ones with the reasons."""
    speaking = [each for each in comparisons if each.speaks]
    silent = [each for each in comparisons if not each.speaks]
    blocks: list[Block] = []
    if speaking:
        blocks.append(_speaking(speaking, name))
    if silent:
        blocks.append(_silent(silent, name))
        reasons = dict.fromkeys(f"{each.standing}: {each.because}" for each in silent)
        blocks.append(Bullets(list(reasons), title="Why these show nothing"))
    return blocks


def _speaking(comparisons: Sequence[Comparison], name: str) -> Table:
    return Table(
        columns=("Quantity", "Paper", "Ours", "Difference"),
        rows=[
            (
                f"{each.quantity} · {each.standing}",
                *_paper_and_ours(each),
                write_number(
                    each.difference, "points" if each.unit == "%" else each.unit, signed=True
                ),
            )
            for each in comparisons
        ],
        caption=f"{name}: the paper's numbers beside ours",
    )


def _silent(comparisons: Sequence[Comparison], name: str) -> Table:
    return Table(
        columns=("Quantity", "Paper", "Ours", "Standing"),
        rows=[(each.quantity, *_paper_and_ours(each), each.standing) for each in comparisons],
        caption=f"{name}: tuned or forced figures, whose agreement shows nothing",
    )


def _paper_and_ours(each: Comparison) -> tuple[str, str]:
    return write_paper(each), write_number(each.ours, each.unit)


def write_paper(each: Comparison) -> str:
    """Format the paper's figure as the paper gives it; a dash if it gives none."""
    return each.paper_text(lambda value: _write_bare(value, each.unit), each.unit) or "—"


def write_number(value: float | None, unit: str, *, signed: bool = False) -> str:
    """Format a figure with its unit; a dash if there is none."""
    if value is None:
        return "—"
    text = _write_bare(value, unit, signed=signed)
    return f"{text}\u00a0{unit}" if unit else text


def _write_bare(value: float, unit: str, *, signed: bool = False) -> str:
    digits = _digits(value, unit)
    return f"{value:{'+' if signed else ''},.{digits}f}".replace("-", "−")


def _digits(value: float, unit: str) -> int:
    """Number of decimals: none for counts, one for shares, two for small measures."""
    if unit in ("%", "points"):
        return 1
    if unit and value == int(value):
        return 0
    return 1 if abs(value) >= 10 else 2


def make_figure(result: Reproduction, chart: Chart) -> Figure:
    """Make the figure of one chart of an experiment, with explanation, legend and data."""
    rows = [row for row in result.outcome.rows if _is_drawn(row, chart)]
    letters = _letters(rows, chart)
    title = chart.title or result.experiment.title
    return Figure(
        title=f"{title} ({_LABELS[result.population]})",
        summary=f"{chart.y_title} by {chart.x_title or chart.x}. {result.outcome.reading}",
        drawing=_draw(rows, chart, letters),
        reading=_how_to_read(chart),
        table=_data(rows, chart, result.experiment.name),
        legend=_legend(chart, letters),
    )


def _is_drawn(row: Row, chart: Chart) -> bool:
    chosen = all(row.get(name) == value for name, value in chart.where.items())
    return chosen and row.get(chart.y) is not None and row.get(chart.x) is not None


def _letters(rows: Sequence[Row], chart: Chart) -> dict[str, str]:
    """Map each series to the palette; series that do not fit appear only in the table."""
    names = dict.fromkeys(str(row[chart.series]) for row in rows) if chart.series else {"": None}
    return dict(zip(names, SERIES, strict=False))


def _draw(rows: Sequence[Row], chart: Chart, letters: Mapping[str, str]) -> Drawing:
    unit: Any = "percent" if chart.y_is_share else "number"
    y = Axis(chart.y_title, kind="log" if chart.log_y else "linear", unit=unit)
    x = Axis(chart.x_title, kind="log" if chart.log_x else "linear")
    if chart.kind == "bar":
        return draw_bars(_bars(rows, chart, letters), y)
    if chart.kind == "map":
        return draw_map(_map_places(rows, chart, letters), cell_m=chart.cell_m)
    points = _points(rows, chart, letters)
    if chart.kind == "line":
        return draw_lines(points, x, y)
    return draw_scatter([_as_dot(point) for point in points], x, y)


def _bars(rows: Sequence[Row], chart: Chart, letters: Mapping[str, str]) -> list[BarRow]:
    return [
        {
            "label": " · ".join(str(row[name]) for name in (chart.x, chart.series) if name),
            "value": row[chart.y],
            "text": percent(row[chart.y]) if chart.y_is_share else count(row[chart.y]),
            "low": row.get(chart.low) if chart.low else None,
            "high": row.get(chart.high) if chart.high else None,
            "mark": row.get(chart.paper) if chart.paper else None,
            "series": letter,
        }
        for row in rows
        if (letter := _letter(row, chart, letters))
    ]


def _map_places(
    rows: Sequence[Row], chart: Chart, letters: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Places of a map; without shares, all are equally dark."""
    return [
        {
            "lat": row[chart.y],
            "lon": row[chart.x],
            "share": row[chart.shade] if chart.shade else 1.0,
            "series": letter,
        }
        for row in rows
        if (letter := _letter(row, chart, letters))
    ]


def _points(rows: Sequence[Row], chart: Chart, letters: Mapping[str, str]) -> list[LineRow]:
    return [
        {
            "x": row[chart.x],
            "y": row[chart.y],
            "low": row.get(chart.low) if chart.low else None,
            "high": row.get(chart.high) if chart.high else None,
            "series": letter,
        }
        for row in rows
        if (letter := _letter(row, chart, letters)) and _has_place(row, chart)
    ]


def _as_dot(point: LineRow) -> ScatterRow:
    return {
        "x": point["x"],
        "y": point["y"],
        "low": point.get("low"),
        "high": point.get("high"),
        "series": point.get("series", ""),
    }


def _has_place(row: Row, chart: Chart) -> bool:
    """Whether a row can be drawn: logarithmic axes have no position for zero."""
    return bool((row[chart.x] > 0 or not chart.log_x) and (row[chart.y] > 0 or not chart.log_y))


def _letter(row: Row, chart: Chart, letters: Mapping[str, str]) -> str | None:
    return letters.get(str(row[chart.series]) if chart.series else "")


def _legend(chart: Chart, letters: Mapping[str, str]) -> list[Key]:
    if chart.kind == "map":
        return []
    shape: Any = {"line": "line", "bar": "bar", "point": "dot"}[chart.kind]
    keys = [Key(letter, name, shape) for name, letter in letters.items() if chart.series]
    if chart.paper:
        keys.append(Key("ink", "The paper's value", "tick"))
    return keys


def _how_to_read(chart: Chart) -> str:
    if chart.kind == "map":
        return "North is up." + (f" The darker, the larger: {chart.shade}." if chart.shade else "")
    marks = {"line": "Each line is one series", "bar": "Each bar is one row", "point": "Each point"}
    text = f"{marks[chart.kind]}; the scale shows: {chart.y_title}."
    if chart.kind == "point":
        text = f"Each point is one row of the data: {chart.y_title} by {chart.x_title}."
    if chart.low:
        text += " Bands and whiskers are intervals."
    if chart.log_x or chart.log_y:
        text += " Each step along a logarithmic axis multiplies the value."
    return text


def _data(rows: Sequence[Row], chart: Chart, name: str) -> Table:
    columns = list(dict.fromkeys(filter(None, _columns(chart))))
    cut = f" (the first {MOST_ROWS} of {len(rows)} rows)" if len(rows) > MOST_ROWS else ""
    return Table(
        columns=[column.replace("_", " ") for column in columns],
        rows=[[_cell(row.get(column)) for column in columns] for row in rows[:MOST_ROWS]],
        caption=f"Data of the chart{cut}; all rows are in {name}.csv",
    )


def _columns(chart: Chart) -> tuple[str | None, ...]:
    return chart.series, chart.x, chart.y, chart.low, chart.high, chart.paper, chart.shade


def _cell(value: Any) -> str:
    if value is None:
        return "—"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return format_number(value) if is_number else str(value)
