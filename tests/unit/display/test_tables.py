"""A table as a notebook shows it."""

import math

import pytest

from trailprint.display.tables import ResultTable


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (19850.3, "19,850"),
        (66863, "66,863"),
        (0.66414, "0.6641"),
        (2e-5, "below 0.0001"),
        (math.nan, "—"),
        (None, "—"),
        (True, "True"),
        ("<10", "&lt;10"),
    ],
)
def test_numbers_in_a_notebook_have_separators_and_no_exponents(value, shown):
    table = ResultTable.from_rows("curve", [{"value": value}])
    assert f"<td>{shown}</td>" in table._repr_html_()
