"""The palette can be read, in light and in dark, and its colours distinguished."""

import re

import pytest

from trailprint.report.charts.style import (
    COLOURS,
    DASHES,
    SERIES,
    SHAPES,
    chart_classes,
    configure,
    variables,
)

TEXT = ("ink", "muted", "accent", "caution")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(
    ("part", "ground"),
    [(part, "paper") for part in (*TEXT, *SERIES)] + [(part, "soft") for part in TEXT],
)
def test_text_and_series_stand_out_from_the_page(mode, part, ground) -> None:
    assert contrast(getattr(COLOURS[part], mode), getattr(COLOURS[ground], mode)) >= 4.5


def test_each_part_has_a_colour_of_its_own() -> None:
    assert len({colour.light for colour in COLOURS.values()}) == len(COLOURS)


def test_series_differ_in_more_than_colour() -> None:
    assert len({tuple(dash) for dash in DASHES.values()}) == len(SERIES)
    assert len(set(SHAPES.values())) == len(SERIES)


def test_every_part_has_a_variable_and_classes() -> None:
    for mode in ("light", "dark"):
        assert set(re.findall(r"--(\w+):", variables(mode))) == set(COLOURS)
    assert set(re.findall(r"\.f-(\w+)", chart_classes())) == set(COLOURS)


def test_letters_are_large_enough_for_a_phone() -> None:
    for variant, width in (("narrow", 350), ("half", 390)):
        on_phone = configure(variant)["axis"]["labelFontSize"] * 358 / width
        assert on_phone >= 11
