"""The limit on loading counts from now, not from the start of the process."""

from __future__ import annotations

import subprocess
import sys

SOURCE = """
import resource, time
resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
from trailprint.cli import memory
memory._LOADING_S = 1
while time.process_time() < 1.5:
    pass
before = memory.limit_loading()
while time.process_time() < 1.6:
    pass
memory.end_loading(before)
print(resource.getrlimit(resource.RLIMIT_CPU) == before)
"""


def test_a_process_that_has_worked_long_may_still_load():
    finished = subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True)
    assert (finished.returncode, finished.stdout) == (0, "True\n"), finished.stderr
