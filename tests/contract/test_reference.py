"""The command reference says what the program says, and every option says something."""

import re
from pathlib import Path

import pytest

from trailprint.cli import front, reference

ROOT = Path(__file__).parents[2]
COMMANDS = ROOT / "docs" / "reference" / "commands.md"


def test_every_command_argument_and_option_has_help():
    assert reference.without_help() == []


def test_the_reference_is_up_to_date():
    assert COMMANDS.read_text(encoding="utf-8") == reference.render(), "run make reference"


def test_the_first_page_is_what_help_prints():
    assert front.write_help(reference.WIDTH) in reference.render()


def test_the_readme_lists_every_command_once():
    chapter = (ROOT / "README.md").read_text(encoding="utf-8").split("## Commands")[1]
    listed = re.findall(r"^\| `([a-z]+)` \|", chapter.split("\n## ")[0], re.MULTILINE)
    assert sorted(listed) == sorted(front.COMMANDS)


def test_the_reference_does_not_depend_on_the_terminal(monkeypatch):
    before = reference.render()
    for name, value in {"COLUMNS": "40", "TERM": "dumb", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert reference.render() == before


def test_no_line_is_wider_than_the_page():
    assert max(len(line) for line in reference.render().splitlines()) <= reference.WIDTH


def test_check_passes_on_what_was_written_and_fails_with_one_sentence_otherwise(
    tmp_path, capsys: pytest.CaptureFixture[str]
):
    page = tmp_path / "reference" / "commands.md"
    assert reference.main([str(page), "--check"]) == 1
    assert reference.main([str(page)]) == 0
    assert reference.main([str(page), "--check"]) == 0
    page.write_text(page.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    capsys.readouterr()
    assert reference.main([str(page), "--check"]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "make reference" in message
