"""How a delimited file is written, found from its first lines."""

from __future__ import annotations

import pytest

from trailprint.errors import SourceError
from trailprint.events.reading.dialects import first_rows, sniff
from trailprint.events.reading.files import find_files


@pytest.fixture
def look(write):
    """The dialect of a text."""

    def look(text: str, delimiter: str | None = None, wanted: tuple[str, ...] = ()):
        path = write("data.csv", text)
        return sniff(find_files(path), path, delimiter=delimiter, wanted=wanted)

    return look


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_makes_all_rows_alike(look, delimiter):
    rows = [("user", "location"), ("a", "x, y; z"), ("b", "x")]
    quoted = (f'{first}{delimiter}"{second}"' for first, second in rows)
    found = look("\n".join(quoted))
    assert (found.delimiter, found.width, found.names) == (delimiter, 2, ("user", "location"))


def test_a_delimiter_that_is_given_is_not_guessed(look):
    assert look("a;b,c\nd;e,f\n", delimiter=";").width == 2


@pytest.mark.parametrize(
    ("first", "wanted", "is_header"),
    [
        ("user,location", (), True),
        ("who,where", ("who",), True),
        ("who,2024-05-01", (), False),
        ("17,x", (), False),
        ("ann,x", (), False),
    ],
)
def test_a_first_row_is_a_header_only_where_it_reads_like_one(look, first, wanted, is_header):
    found = look(f"{first}\nann,x\nbob,y\n", wanted=wanted)
    assert bool(found.names) == is_header


def test_a_word_above_values_is_proven_and_a_lone_line_is_not(look):
    assert look("user,count\na,3\nb,5\n").header.is_proven
    assert not look("user,location\n").header.is_proven


def test_nothing_and_binary_data_are_refused(look):
    with pytest.raises(SourceError, match=r"must have rows, but .* is empty"):
        look(" \n \n")
    with pytest.raises(SourceError):
        look("a,b\0c\n")


def test_the_first_rows_are_split(write):
    path = write("data.csv", "a;b\nc;d\n\n")
    assert first_rows(find_files(path), path, delimiter=None) == [["a", "b"], ["c", "d"]]
