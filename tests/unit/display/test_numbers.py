"""Numbers for people and for programs."""

import json
import math

import pytest

from trailprint.display.numbers import (
    format_exact,
    format_number,
    format_percent,
    format_seconds,
    to_finite,
    to_json,
)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (1985, "1,985"),
        (1234567, "1,234,567"),
        (19850.4, "19,850"),
        (1e21, "1,000,000,000,000,000,000,000"),
        (2.0, "2"),
        (13.6123, "13.61"),
        (0.000123456, "0.0001235"),
        (3.6e-12, "below 0.0001"),
        (-3.6e-12, "above -0.0001"),
        (-12.5, "-12.5"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "—"),
    ],
)
def test_people_never_read_an_exponent(number, shown):
    assert format_number(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0"),
        (-5.0, "-5"),
        (500, "500"),
        (1e9, "1,000,000,000"),
        (1e-9, "0.000000001"),
        (1.0000001, "1.0000001"),
        (12345.5, "12,345.5"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_what_arrived_is_repeated_in_every_digit(number, shown):
    assert format_exact(number) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.5, "50.0 %"),
        (0.0, "0.0 %"),
        (1e-17, "0.0 %"),
        (0.000333, "0.033 %"),
        (0.0000045, "0.00045 %"),
        (1e-9, "below 0.0001 %"),
    ],
)
def test_small_shares_are_shown(share, shown):
    assert format_percent(share) == shown


def test_what_is_not_finite_is_null_in_json():
    values = {"a": math.inf, "b": [1.5, math.nan, (-math.inf, 2)], "c": {"d": "inf"}}

    assert json.loads(to_json(values)) == {
        "a": None,
        "b": [1.5, None, [None, 2]],
        "c": {"d": "inf"},
    }
    assert to_finite(3) == 3


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (5.26, "5.3 s"), (460.4, "7 min 40 s"), (86400, "1,440 min 0 s")],
)
def test_durations_have_units(seconds, shown):
    assert format_seconds(seconds) == shown
