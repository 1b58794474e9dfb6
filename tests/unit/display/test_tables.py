"""Tables of results in a notebook: numbers as people write them, and what is left out is said."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from trailprint.display.tables import ResultTable


def show(**columns: list[object]) -> str:
    return ResultTable("growth", pa.table(columns))._repr_html_()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1_234_567, "1,234,567"),
        (12345.6, "12,346"),
        (0.66414, "0.6641"),
        (2e-5, "below 0.0001"),
        (math.nan, "—"),
        (None, "—"),
        (True, "yes"),
        ("<10", "&lt;10"),
    ],
)
def test_numbers_are_written_for_people(value, shown):
    assert f"<td>{shown}</td>" in show(value=[value])


def test_a_table_says_how_many_rows_it_shows():
    assert "rows" not in show(x=list(range(20)))
    html = show(x=list(range(1200)))
    assert html.count("<tr>") == 21
    assert "The first 20 of 1,200 rows." in html
