"""Switches that were given a value, and advice that must apply."""

import pytest

from trailprint.cli.audit import _advise
from trailprint.cli.program import build_program
from trailprint.cli.switches import check_flags
from trailprint.errors import OptionError

program = build_program()


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "x.csv", "--out", "o", "--per-user", "true"),
        ("match", "a.csv", "b.csv", "--margins", "False"),
        ("inspect", "x.csv", "--json", "1"),
    ],
)
def test_a_switch_with_a_value_is_refused_in_a_sentence(run, words):
    done = run(*words)

    assert done.code == 2
    assert done.err.count("\n") == 1
    assert f"{words[-2]} takes no value, got '{words[-1]}'." in done.err


def test_values_of_options_and_files_are_left_alone(tmp_path, monkeypatch):
    check_flags(program, ["match", "a.csv", "--seed", "1"])
    check_flags(program, ["match", "--margins", "a.csv"])
    check_flags(program, [])
    check_flags(program, ["nonsense", "--margins", "true"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true").write_text("user,location\n")
    check_flags(program, ["match", "--margins", "true"])
    with pytest.raises(OptionError):
        check_flags(program, ["match", "--margins", "false"])


@pytest.mark.parametrize(
    ("n_people", "advice"),
    [
        (0, ""),
        (60, ""),
        (300, ", or --users 100 for people drawn at random"),
        (3000, ", or --users 1000 for people drawn at random"),
        (100_000, ", or --users 5000 for people drawn at random"),
    ],
)
def test_advice_to_take_fewer_people_applies(n_people, advice):
    assert _advise(n_people) == advice
