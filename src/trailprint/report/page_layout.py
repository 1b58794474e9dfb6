"""
A self-contained page: no script, and no font or picture from elsewhere.

Its content security policy forbids loading anything, so even a mistake cannot send a request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import count

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from trailprint.report.blocks import Block, Key, Section
from trailprint.report.charts.style import DASHES, GUESS_DASH, chart_classes, variables
from trailprint.report.charts.svg import clean

_PERCENT = re.compile(r"(?<=\d) ?%")
"""A percent sign after a digit; a non-breaking space is put between them."""
_SHAPES = {
    "a": '<circle cx="13" cy="7" r="3.6"/>',
    "b": '<path d="M9.6 3.6h6.8v6.8h-6.8z"/>',
    "c": '<path d="M13 2.8l4.2 7.6h-8.4z"/>',
    "d": '<path d="M13 2.4l4.4 4.6-4.4 4.6-4.4-4.6z"/>',
    "e": '<path d="M11.6 3h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6v-2.8h2.6z"/>',
    "f": '<path d="M13 11.2l4.2-7.6h-8.4z"/>',
}
_SWATCHES = {
    "line": '<path d="M0 7h26" stroke-dasharray="{dash}" class="s-{series}"/>{shape}',
    "bar": '<path d="M2 3h22v8h-22z" class="f-{series}"/>',
    "outline": '<path d="M2.5 3.5h21v7h-21z" stroke-dasharray="3 2" class="s-{series}"/>',
    "whisker": '<path d="M3 7h20M3 3v8M23 3v8" stroke-width="1.5" class="s-{series}"/>',
    "tick": '<path d="M13 0v14" stroke-width="3" class="s-{series}"/>',
    "dot": '<circle cx="13" cy="7" r="4.6" class="f-{series}"/>',
    "ring": '<circle cx="13" cy="7" r="5.4" stroke-width="2.4" class="s-{series}"/>',
    "hollow": '<circle cx="13" cy="7" r="4.4" class="s-{series}"/>',
    "guess": '<path d="M0 0h26v14h-26z" class="f-{series}" opacity=".12"/>'
    '<path d="M0 7h26" stroke-dasharray="{guess}" class="s-{series}"/>',
}


def render_page(
    title: str,
    sections: Sequence[Section],
    *,
    lead: Sequence[Block] = (),
    eyebrow: str = "",
    footer: str = "",
) -> str:
    """
    Render a page.

    Parameters
    ----------
    title : str
        Heading, also shown by the browser.
    sections : sequence of Section
        Body; the titles form the table of contents.
    lead : sequence of Block
        Blocks below the heading, before the first section.
    eyebrow, footer : str
        Line above the heading, and line at the end of the page.

    Returns
    -------
    str
        A complete HTML document.
    """
    numbers = count(1)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title,
            sections=[(_anchor(section), section) for section in sections],
            lead=lead,
            eyebrow=eyebrow,
            footer=footer,
            style=page_style(),
            number=lambda: next(numbers),
        )
    )


def render_blocks(blocks: Sequence[Block]) -> Markup:
    """Render blocks as a part of another page that includes `page_style`."""
    numbers = count(1)
    template = _environment().from_string(
        '{% import "blocks.html.j2" as blocks with context %}'
        "{% for block in given %}{{ blocks.write(block) }}{% endfor %}"
    )
    return Markup(template.render(given=blocks, number=lambda: next(numbers)))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("trailprint.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = lambda text: _PERCENT.sub("\u00a0%", clean(text))
    environment.filters["swatch"] = _swatch
    return environment


@cache
def page_style() -> Markup:
    """The style sheet, preceded by the palette it uses."""
    sheet = files("trailprint.report").joinpath("style.css").read_text(encoding="utf-8")
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{variables('dark')}}}}}"
    return Markup(f":root{{{variables('light')}}}{dark}{chart_classes()}\n{sheet}")


def _anchor(section: Section) -> str:
    return section.anchor or re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")


def _swatch(key: Key) -> Markup:
    """Draw a small sample of a series for the legend."""
    inside = _SWATCHES[key.shape].format(
        series=key.series,
        dash=" ".join(map(str, DASHES.get(key.series, ()))),
        guess=" ".join(map(str, GUESS_DASH)),
        shape=f'<g class="f-{key.series}">{_SHAPES.get(key.series, "")}</g>',
    )
    return Markup('<svg class="swatch" viewBox="0 0 26 14" aria-hidden="true">' + inside + "</svg>")
