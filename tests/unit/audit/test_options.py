"""What an audit may be asked for, and what is refused."""

import pytest

from trailprint.audit.options import AuditOptions, parse_duration
from trailprint.errors import OptionError
from trailprint.events.split import SplitOptions


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"attacks": ()},
            "attacks must name some of histogram, combined, trail, sequence, points, each once, "
            "got 'none'",
        ),
        ({"attacks": ("trail", "guess")}, "got 'trail,guess'"),
        ({"attacks": ("trail", "trail")}, "got 'trail,trail'"),
        ({"target_risk": 1.5}, "target_risk must be a share from 0 to 1, got 1.5"),
        ({"weight": "money"}, "weight must be one of visits, duration, day-balanced"),
        ({"users": 1}, "^users must be at least 2 people, got 1"),
        ({"sequence_users": 1}, "^sequence_users must be at least 2 people, got 1"),
        ({"time_limit_s": 0.0}, "time_limit_s must be positive"),
        ({"seed": -1}, "seed must be from 0 to"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(OptionError, match=words):
        AuditOptions(**options)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("10m", 600),
        ("1.5h", 5400),
        (" 2 min ", 120),
        ("3sec", 3),
        ("none", None),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "ten minutes", "-5m", "5d", "m", "5hec", "inf"])
def test_durations_that_are_none(text):
    with pytest.raises(OptionError, match="Try 10m"):
        parse_duration(text)


def test_an_error_names_its_flag_and_in_python_its_option():
    with pytest.raises(OptionError, match=r"^sequence_users must be at least 2") as caught:
        AuditOptions(sequence_users=1)
    assert caught.value.for_command_line().startswith("--sequence-users must be")
    assert caught.value.option == "sequence-users"


def test_settings_are_plain_values():
    plain = AuditOptions(split=SplitOptions(at="median"), protections=("noise",)).to_dict()
    assert plain["split"] == {"at": "median"}
    assert plain["protections"] == ["noise"]
    assert plain["attacks"] == ["histogram", "combined", "trail", "sequence", "points"]


@pytest.mark.parametrize(
    ("given", "seconds"), [("1h", 3600.0), ("90", 90.0), ("none", None), (float("inf"), None)]
)
def test_a_time_limit_is_understood_as_it_is_typed(given, seconds):
    assert AuditOptions(time_limit_s=given) == AuditOptions(time_limit_s=seconds)
