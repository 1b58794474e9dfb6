"""A reader of the output may stop: what follows is done, and the exit code is right."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trailprint.cli.unheard import going_on_unheard, is_unheard

_GOING_ON = """
import sys
from trailprint.cli.unheard import going_on_unheard
with going_on_unheard():
    sys.stdin.read()
    print("nobody reads this")
print("nor this")
sys.exit(3)
"""


def test_what_follows_is_done_when_nobody_reads():
    with subprocess.Popen(
        [sys.executable, "-c", _GOING_ON],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        child.stdin.close()
        assert child.stderr.read() == b""
        assert child.wait(60) == 3


def test_other_ends_are_not_hidden():
    with pytest.raises(SystemExit, match="2"), going_on_unheard():
        sys.exit(2)


def test_it_may_have_been_noticed_elsewhere():
    def notice() -> None:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            sys.exit(1)

    with pytest.raises(SystemExit) as found:
        notice()
    assert is_unheard(found.value)
    assert is_unheard(BrokenPipeError())
    assert not is_unheard(SystemExit(1))
