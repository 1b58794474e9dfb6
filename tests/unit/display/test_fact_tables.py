"""Names and values for a notebook: escaped, and written as people write them."""

from __future__ import annotations

import pytest

from trailprint.display.fact_tables import show, write_facts


def test_nothing_in_a_table_can_run():
    written = write_facts([("<b>", "<script>")], ["a & b"])
    assert "<script>" not in written
    assert "&lt;script&gt;" in written
    assert written.endswith("<p><small>a &amp; b</small></p>")


@pytest.mark.parametrize(
    ("value", "text"), [(None, "—"), (True, "yes"), (12345, "12,345"), (0.5, "0.5"), ("x", "x")]
)
def test_values_as_people_write_them(value, text):
    assert show(value) == text
