"""A figure as a separate picture file: title, legend and chart in one SVG."""

from __future__ import annotations

from markupsafe import Markup, escape

from trailprint.report.blocks import Figure, Key
from trailprint.report.charts.style import DASHES, FONT, light
from trailprint.report.charts.svg import clean

_MARGIN, _LINE, _SWATCH = 16, 20, 26
_FONT_SIZE = 12.5


def write_svg(figure: Figure) -> str:
    """Return the wide variant of a figure as SVG, in the light colours on white."""
    picture = figure.drawing.pictures[0]
    head = _MARGIN + _LINE * (1 + len(figure.legend)) + 8
    width, height = picture.width + 2 * _MARGIN, picture.height + head + _MARGIN
    opening = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}" '
        'height="{h:.0f}" font-family="{font}" font-size="{size}" role="img">'
    ).format(w=width, h=height, font=FONT, size=_FONT_SIZE)
    paper = Markup('<rect width="100%" height="100%" fill="{}"/>').format(light("paper"))
    moved = Markup('<g transform="translate({},{})">{}</g>').format(_MARGIN, head, picture.inside)
    keys = Markup("").join(_write_key(key, row) for row, key in enumerate(figure.legend, 1))
    described = Markup("<title>{}</title>").format(escape(clean(figure.title)))
    parts = (opening, described, paper, _write_title(figure.title), keys, moved, "</svg>\n")
    return "".join(parts)


def _write_title(title: str) -> Markup:
    return Markup('<text x="{}" y="{}" font-weight="bold" fill="{}">{}</text>').format(
        _MARGIN, _MARGIN + 12, light("ink"), escape(clean(title))
    )


def _write_key(key: Key, row: int) -> Markup:
    """A short stroke in the style of the series, and its name."""
    y = _MARGIN + _LINE * row + 8
    dash, width, path = " ".join(map(str, DASHES.get(key.series, [1, 0]))), 2, f"h{_SWATCH}"
    if key.shape == "tick":
        width, path = 3, f"m{_SWATCH // 2} -7v14"
    elif key.shape != "line":
        dash, width = "1 0", 8
    stroke = Markup(
        '<path d="M{} {}{}" stroke="{}" stroke-width="{}" stroke-dasharray="{}"/>'
    ).format(_MARGIN, y, path, light(key.series), width, dash)
    name = Markup('<text x="{}" y="{}" fill="{}">{}</text>').format(
        _MARGIN + _SWATCH + 8, y + 4, light("muted"), escape(clean(key.label))
    )
    return stroke + name
