"""``python -m tests.torture``: see ``--help``."""

from __future__ import annotations

import argparse
import random
import signal
import sys

from tests.torture.executors import executor_series
from tests.torture.interrupts import LIMIT_S, interrupt_series
from tests.torture.kills import kill_series
from tests.torture.limits import limit_series
from tests.torture.outcomes import table


def main() -> int:
    """Run the series that were asked for; 1 where a try failed."""
    wanted = _parse()
    # Started in the background, a shell has them ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    kinds = {
        "kills": lambda: kill_series(wanted.kills, random.Random(f"kills {wanted.seed}")),
        "interrupts": lambda: interrupt_series(
            wanted.interrupts, random.Random(f"interrupts {wanted.seed}"), wanted.limit
        ),
        "limits": lambda: limit_series(random.Random(f"limits {wanted.seed}")),
        "executors": lambda: executor_series(wanted.executors),
    }
    done = []
    for name in [wanted.only] if wanted.only else kinds:
        for series in kinds[name]():
            done.append(series)
            sys.stderr.write("".join(f"{line}\n" for line in series.lines()))
    sys.stdout.write(f"{table(done)}\n")
    return 1 if any(series.n_failed for series in done) else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how many kills in all")
    parser.add_argument("--interrupts", type=int, default=5, help="of each signal and command")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds to answer a signal")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--executors", type=int, default=3, help="of Spark, killed while they read")
    parser.add_argument("--only", choices=("kills", "interrupts", "limits", "executors"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
