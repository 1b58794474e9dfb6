"""A map keeps shapes, and its scale is true."""

import re

import pytest

from trailprint.report.charts.maps import draw_map, round_length


def squares(drawing, variant):
    """Middles of the places of one picture, in pixels, palest first."""
    inside = next(str(p.inside) for p in drawing.pictures if p.variant == variant)
    found = re.findall(r'<path transform="translate\(([-\d.]+),([-\d.]+)\)"', inside)
    return [(float(x), float(y)) for x, y in found]


def bar_length(drawing, variant):
    inside = next(str(p.inside) for p in drawing.pictures if p.variant == variant)
    (length,) = re.findall(r'x2="([-\d.]+)"[^>]*stroke-width="3"', inside) or re.findall(
        r'stroke-width="3"[^>]*x2="([-\d.]+)"', inside
    )
    return abs(float(length))


@pytest.mark.parametrize("lat", [0.0, 47.0, -63.0])
def test_north_is_up_and_lengths_are_true(lat):
    step = 0.01
    rows = [
        {"lat": lat, "lon": 179.995, "share": 0.0},
        {"lat": lat + step, "lon": 179.995, "share": 0.5},
        {"lat": lat, "lon": -179.995, "share": 1.0},
    ]
    drawing = draw_map(rows, cell_m=100)
    (x0, y0), (x1, y1), (x2, y2) = squares(drawing, "wide")
    assert (x1, y2) == pytest.approx((x0, y0))
    assert y1 < y0
    assert x2 > x0
    km_per_pixel = step * 111.195 / (y0 - y1)
    inside = next(str(p.inside) for p in drawing.pictures if p.variant == "wide")
    amount, unit = re.findall(r">([\d.,]+) (k?m)<", inside)[0]
    km = float(amount) / (1 if unit == "km" else 1_000)
    assert bar_length(drawing, "wide") * km_per_pixel == pytest.approx(km, rel=0.02)


@pytest.mark.parametrize(("km", "wanted"), [(1, 1), (1.9, 1), (4.99, 2), (73, 50), (0.3, 0.2)])
def test_scales_are_round(km, wanted):
    assert round_length(km) == pytest.approx(wanted)
