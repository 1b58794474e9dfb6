"""A file and what in it is meant."""

from __future__ import annotations

import pytest

from trailprint.events.reading.inner_names import split_source


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("book.xlsx::May", ("book.xlsx", "May")),
        ("a::b::c", ("a::b", "c")),
        ("book.xlsx::", ("book.xlsx", "")),
        ("no such file", ("", None)),
    ],
)
def test_what_comes_after_the_last_colons_is_the_name(source, found):
    assert split_source(source) == found


def test_a_file_of_that_very_name_is_that_file(tmp_path):
    path = tmp_path / "odd::name.db"
    path.write_bytes(b"")
    assert split_source(path) == (str(path), None)
    assert split_source(f"{path}::visits") == (str(path), "visits")


def test_bytes_name_nothing():
    class Odd:
        def __fspath__(self) -> bytes:
            return b"x::y"

    assert split_source(Odd()) is None  # type: ignore[arg-type]
