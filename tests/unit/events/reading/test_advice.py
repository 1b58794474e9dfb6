"""A sentence for each reason why rows cannot be used, and none for what nobody can fix."""

from __future__ import annotations

import pytest

from trailprint.events.events import Tally
from trailprint.events.options import ReadOptions
from trailprint.events.reading.advice import Advice, advise
from trailprint.events.reading.bad_rows import (
    LONG_STAY,
    OFF_GLOBE,
    UNREADABLE_POSITION,
    UNREADABLE_TIME,
)
from trailprint.events.reading.raw import Raw


@pytest.fixture
def advised(engine):
    """What is advised for some reasons, of texts of times and pairs of positions."""

    def ask(*reasons, times=("2024-03-04",), positions=((46.5, 6.6),), options=None):
        texts = ", ".join(f"('{text}')" for text in times)
        raw = Raw(query=f"SELECT * FROM (VALUES {texts}) v(t)", parts={"start": "t"}, is_text=True)
        pairs = ", ".join(map(str, positions))
        typed = f"SELECT * FROM (VALUES {pairs}) v(lat, lon)"
        tally = Tally(rows=9, bad=dict.fromkeys(reasons, 1))
        return advise(engine, raw, typed, options or ReadOptions(), tally)

    return ask


def test_nothing_is_advised_where_nothing_is_wrong(advised):
    assert advised() == Advice()


def test_a_long_stay_names_the_option_and_its_value(advised):
    reported = advised(LONG_STAY, options=ReadOptions(max_stay_days=3))
    assert "may last 3 days (--max-stay-days)" in reported.text
    assert reported.option == "max-stay-days"


def test_times_in_a_form_of_their_own_get_a_format(advised):
    reported = advised(UNREADABLE_TIME, times=["24.12.2024 10:00", "31.01.2024 09:30"])
    assert "need --time-format" in reported.text
    assert "'%d.%m.%Y %H:%M' reads 100% of a sample" in reported.text
    assert (reported.option, reported.suggestions) == ("time-format", ("%d.%m.%Y %H:%M",))


def test_a_format_that_was_given_is_blamed(advised):
    reported = advised(
        UNREADABLE_TIME, times=["24.12.2024"], options=ReadOptions(time_format="%Y/%m/%d")
    )
    assert "--time-format does not fit these times" in reported.text
    assert (reported.option, reported.suggestions) == ("time-format", ("%d.%m.%Y",))


def test_a_format_that_fits_most_times_is_not_suggested_again(advised):
    reported = advised(
        UNREADABLE_TIME, times=["24.12.2024", "x"], options=ReadOptions(time_format="%d.%m.%Y")
    )
    assert "--time-format fits the others" in reported.text
    assert (reported.option, reported.suggestions) == ("time-format", ())


def test_a_column_without_digits_holds_no_times(advised):
    reported = advised(UNREADABLE_TIME, times=["Monday", "Tuesday"])
    assert "name the column of times" in reported.text
    assert reported.option == "start-column"


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ([(120.5, 46.5), (121.0, 47.0)], "look swapped"),
        ([(600000.0, 200000.0), (601000.0, 201000.0)], "look like metres"),
        ([(200.0, 300.0), (210.0, 310.0)], "from -90 to 90"),
    ],
)
def test_positions_off_the_globe_are_explained_by_what_most_of_them_are(advised, positions, words):
    assert words in advised(OFF_GLOBE, positions=positions).text


def test_every_reason_has_its_sentence(advised):
    reported = advised(LONG_STAY, UNREADABLE_POSITION).text
    assert reported.index("--max-stay-days") < reported.index("decimal degrees")
