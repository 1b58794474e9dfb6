"""How ``--view-weights`` is read."""

from __future__ import annotations

import pytest

from trailprint.cli.match import read_weights
from trailprint.errors import OptionError


def test_weights_are_words_or_numbers_by_name():
    assert read_weights("equal") == "equal"
    assert read_weights("visits=2, days = 1") == {"visits": 2.0, "days": 1.0}


@pytest.mark.parametrize(
    ("text", "why"),
    [("visits=1,visits=2", "got 'visits' twice"), ("visits=much", "NAME=WEIGHT")],
)
def test_a_view_is_named_once_and_with_a_number(text, why):
    with pytest.raises(OptionError, match=why):
        read_weights(text)
