"""How shares are shown to people."""

import pytest

from trailprint.cli.present import percent


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
def test_a_share_shows_digits_that_tell_and_no_rounding(share: float | None, shown: str) -> None:
    assert percent(share) == shown
