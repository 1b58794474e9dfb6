"""
How long the program takes to start, as a multiple of the bare interpreter.

``import trailprint`` is to take at most 2 ×, ``trailprint --version`` and ``--help`` at most 3 ×.
The smallest of several runs counts, taken in turn: others on the machine only make them longer.
"""

import argparse
import subprocess
import sys
import time

MOST = {
    "import trailprint": (2.0, ["-c", "import trailprint"]),
    "trailprint --version": (3.0, ["-m", "trailprint", "--version"]),
    "trailprint --help": (3.0, ["-m", "trailprint", "--help"]),
}


def run(arguments: list[str]) -> float:
    """Seconds a fresh interpreter takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def least_seconds(n_runs: int) -> dict[str, float]:
    """The shortest of several runs of each."""
    wanted = {"bare interpreter": ["-c", "pass"]} | {name: MOST[name][1] for name in MOST}
    rounds = [{name: run(wanted[name]) for name in wanted} for _ in range(n_runs)]
    return {name: min(seconds[name] for seconds in rounds) for name in wanted}


def main() -> int:
    """Print the ratios; 1 where one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it runs")
    n_runs = 3 if parser.parse_args().quick else 20
    least = least_seconds(n_runs)
    bare = least["bare interpreter"]
    print(f"bare interpreter        {1000 * bare:6.1f} ms")
    is_slow = False
    for name, (most, _) in MOST.items():
        ratio = least[name] / bare
        print(f"{name:<22}  {ratio:6.2f} × (at most {most:g} ×)")
        is_slow |= ratio > most
    return int(is_slow)


if __name__ == "__main__":
    sys.exit(main())
