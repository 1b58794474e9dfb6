"""How shares and tables are shown to people."""

import io

import pytest
from rich.console import Console

from trailprint.cli import present
from trailprint.cli.present import percent, print_rows, print_table

NOTE = "A note of many words, " * 20 + "and an end."
ROWS = [{"order": "least-visited", "deidentified": 12, "links_made": 4, "loss": "66.4 %"}] * 3


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "—"),
        (0.0, "0.0 %"),
        (0.664, "66.4 %"),
        (1.0, "100.0 %"),
        (0.00032, "0.032 %"),
        (3.3e-16, "0.0 %"),
    ],
)
def test_a_share_shows_digits_that_matter_and_no_rounding(share: float | None, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize("columns", ["20", "80", None])
def test_without_a_terminal_no_line_is_folded(capsys, monkeypatch, columns) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    name = "a name longer than most," * 4
    print_table("Title " * 40, [(name, "value")], [NOTE])
    title, row, note = capsys.readouterr().out.splitlines()
    assert title == "Title " * 40
    assert row.split("  ") == [name, "value"]
    assert note == NOTE


@pytest.fixture
def terminal(monkeypatch):
    """A narrow terminal; what it shows."""
    screen = io.StringIO()

    def open_console(*, stderr: bool = False) -> Console:
        return Console(
            file=screen, force_terminal=True, color_system=None, width=30, highlight=False
        )

    monkeypatch.setattr(present, "open_console", open_console)
    return screen


def test_a_narrow_terminal_folds_notes_between_words(terminal) -> None:
    print_table("Title", [], [NOTE])
    lines = terminal.getvalue().splitlines()
    assert max(map(len, lines)) <= 30
    assert " ".join(line.strip() for line in lines[1:]).strip() == NOTE


def test_a_narrow_terminal_splits_no_word_of_a_table(terminal) -> None:
    print_rows("Title", ROWS, most=2)
    lines = terminal.getvalue().splitlines()
    assert [line.split() for line in lines[-3:]] == [
        *[["least-visited", "12", "4", "66.4", "%"]] * 2,
        ["…", "and", "1", "more", "rows", "with", "--json"],
    ]
    headings = " ".join(lines[1:-3]).split()
    assert sorted(headings) == ["deidentified", "links", "loss", "made", "order"]


def test_long_values_are_folded_between_words(terminal) -> None:
    value = "66.4 % (60.3 to 72.0 %) of 50 people, chance 0.4 %"
    print_table("Title", [("sequences", value)])
    lines = terminal.getvalue().splitlines()[1:]
    assert max(map(len, lines)) <= 30
    assert " ".join(lines).split() == ["sequences", *value.split()]
