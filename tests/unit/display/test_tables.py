"""Tables of results in a notebook: numbers as people write them, and what is left out is said."""

from __future__ import annotations

import pyarrow as pa

from trailprint.display.tables import ResultTable


def show(**columns: list[object]) -> str:
    return ResultTable("growth", pa.table(columns))._repr_html_()


def test_numbers_are_written_for_people():
    html = show(people=[1_234_567], seconds=[12345.6], share=[0.25], at_most=[True], low=[None])
    cells = html.split("<tbody>")[1]
    assert "<td>1,234,567</td><td>12,346</td><td>0.25</td><td>yes</td><td>—</td>" in cells


def test_a_table_says_how_many_rows_it_shows():
    assert "rows" not in show(x=list(range(20)))
    html = show(x=list(range(1200)))
    assert html.count("<tr>") == 21
    assert "The first 20 of 1,200 rows." in html
