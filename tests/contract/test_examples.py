"""How many examples of a law are tried can be said for all of them at once."""

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SHARE = float(os.environ.get("TRAILPRINT_EXAMPLES", "0.5"))


@pytest.mark.parametrize("again", [1, 2])
@settings(max_examples=40)
@given(number=st.integers())
def test_a_law_is_tried_with_its_share_of_examples(again, number):
    law: Any = test_a_law_is_tried_with_its_share_of_examples
    assert law._hypothesis_internal_use_settings.max_examples == max(5, round(SHARE * 40))


@settings(max_examples=2)
@given(number=st.integers())
def test_a_law_that_asks_for_few_gets_them(number):
    law: Any = test_a_law_that_asks_for_few_gets_them
    assert law._hypothesis_internal_use_settings.max_examples == max(2, round(SHARE * 2))


def test_what_is_no_law_is_not_marked_as_one(request):
    assert not any(mark.name == "law" for mark in request.node.iter_markers())
