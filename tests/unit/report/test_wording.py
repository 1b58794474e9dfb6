"""Numbers as people write them."""

import pytest

from trailprint.report.wording import (
    count,
    date,
    in_a_hundred,
    interval,
    join,
    percent,
    plural,
    seconds,
    sentence,
    times,
    value,
)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.463, "46.3 %"), (0.0, "0.0 %"), (1.0, "100.0 %"), (0.00012, "0.012 %"), (1.06, "106.0 %")],
)
def test_shares_are_written_in_percent_with_a_digit_that_tells(share, text) -> None:
    assert percent(share).replace("\u00a0", " ") == text


def test_a_number_and_its_percent_sign_stay_together() -> None:
    assert percent(0.5) == "50.0\u00a0%"


def test_what_is_missing_is_said_in_words() -> None:
    missing = [percent(None), interval(None), count(None), times(None), seconds(None), date(None)]
    assert set(missing) == {"not known"}


def test_shares_are_pictured_in_a_hundred() -> None:
    shares = (0.463, 0.0, 0.001, 1.0, None)
    assert [in_a_hundred(share) for share in shares] == [
        "46 in 100",
        "0 in 100",
        "fewer than 1 in 100",
        "100 in 100",
        "not known",
    ]


def test_an_interval_has_its_unit_once() -> None:
    assert interval([0.433, 0.493]) == "43.3 to 49.3\u00a0%"


def test_small_counts_stay_masked() -> None:
    assert count("<10") == "fewer than 10"
    assert plural("<10", "person", "people") == "fewer than 10 people"


def test_counts_have_thousands_and_no_false_digits() -> None:
    assert (count(12345), count(2.0), count(2.5)) == ("12,345", "2", "2.5")
    assert (plural(1, "link", "links"), plural(0, "link", "links")) == ("1 link", "0 links")


def test_durations_change_their_unit() -> None:
    assert seconds(14.24) == "14.2\u00a0s"
    assert seconds(287.4) == "4\u00a0min 47\u00a0s"


def test_ratios_lose_digits_as_they_grow() -> None:
    assert (times(3.24), times(488.0)) == ("3.2 times", "488 times")


def test_words_are_joined_as_in_a_sentence() -> None:
    assert join(["a"]) == "a"
    assert join(["a", "b", "c"]) == "a, b and c"


def test_texts_end_like_sentences() -> None:
    assert [sentence(text) for text in ("a", "a.", "a?", "", None)] == ["a.", "a.", "a?", "", ""]


def test_settings_are_plain_text() -> None:
    nested = {"k": 5, "norms": ["l1", "l2"], "on": True, "limit": None, "share": 0.05}
    assert value(nested) == "k = 5, norms = l1, l2, on = yes, limit = none, share = 0.05"


def test_sentences_follow_each_other_without_commas():
    assert value(["One thing.", "Another one."]) == "One thing. Another one."
