"""
Building blocks of a page.

Every block holds plain text, which the page escapes. `Block` is any block allowed in a section;
``template`` is the name of the macro in ``blocks.html.j2`` that writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from trailprint.report.charts.style import Size
from trailprint.report.charts.svg import Drawing

Shape = Literal["line", "guess", "bar", "outline", "tick", "whisker", "dot", "ring", "hollow"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading below the section's own."""

    template: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph."""

    template: ClassVar[str] = "prose"
    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of short texts, with an optional line above it."""

    template: ClassVar[str] = "points"
    items: Sequence[str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Terms with a description of each."""

    template: ClassVar[str] = "facts"
    items: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark set off from the text."""

    template: ClassVar[str] = "note"
    text: str
    kind: Literal["plain", "caution"] = "plain"
    title: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command to type, with an optional line above it."""

    template: ClassVar[str] = "command"
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """One key figure: its name, its value, and details needed to understand it."""

    label: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Tiles:
    """Key figures, side by side."""

    template: ClassVar[str] = "tiles"
    tiles: Sequence[Tile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """
    Rows of text under column titles.

    Attributes
    ----------
    columns : sequence of str
        Column titles.
    rows : sequence of sequence of str
        One cell per column. The first is the row's heading.
    caption : str
        What the table shows, for readers who do not see its context.
    text_columns : int
        Number of columns, from the left, that hold text; the others hold figures.
    """

    template: ClassVar[str] = "table"
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    text_columns: int = 1


@dataclass(frozen=True, slots=True)
class Key:
    """Legend entry: what a series' colour and shape mean."""

    series: str
    label: str
    shape: Shape = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """
    A chart with its explanation, legend and data table.

    Attributes
    ----------
    title : str
        What the chart shows.
    summary : str
        Text alternative: what is drawn and what stands out.
    drawing : Drawing
        The chart.
    reading : str
        How to read it, in a sentence or two.
    table : Table
        Its data.
    legend : sequence of Key
        Meaning of colours and shapes.
    size : {"full", "half"}
        Size at which the chart was drawn.
    is_open : bool
        Whether the table is shown initially.
    """

    template: ClassVar[str] = "figure"
    title: str
    summary: str
    drawing: Drawing
    reading: str
    table: Table
    legend: Sequence[Key] = ()
    size: Size = "full"
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Half-size figures, side by side where there is room."""

    template: ClassVar[str] = "row"
    figures: Sequence[Figure]


Block = Heading | Prose | Bullets | Facts | Note | Command | Tiles | Table | Figure | Row


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a page; ``anchor`` is its id in links, derived from the title if empty."""

    title: str
    blocks: Sequence[Block]
    anchor: str = ""
