"""How weights of views are given."""

from __future__ import annotations

import pytest

from trailprint.errors import OptionError
from trailprint.workflows.options import ViewOptions


def test_weights_are_words_or_numbers_by_name():
    assert ViewOptions(weights="equal").weights == "equal"
    typed = ViewOptions(weights="visits=2, days = 1")
    assert typed == ViewOptions(weights={"visits": 2.0, "days": 1.0})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("visits=1,visits=2", "weights must name a view once, got 'visits' twice"),
        ("visits=much", "weights must be learnt, equal or NAME=WEIGHT,…, got 'visits=much'"),
        ("lernt", "weights must be learnt, equal or NAME=WEIGHT,…, got 'lernt' instead"),
    ],
)
def test_a_view_is_named_once_and_with_a_number(text, why):
    with pytest.raises(OptionError, match=f"^{why}") as refused:
        ViewOptions(weights=text)
    assert refused.value.for_command_line().startswith("--view-weights must")
