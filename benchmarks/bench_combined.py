"""Several views matched exactly, measured against one view, as ratios in one run.

Run ``python benchmarks/bench_combined.py`` (``--quick`` for small sizes, ``--only`` for one part).
Every size runs in a process of its own, so that peak memory is its own. The part ``strength``
compares accuracies at several cuts of research data and simulated populations: see `strength`.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

# As the command does: threads of linear algebra would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import trailprint as tp
from trailprint.attacks.combined import match_views
from trailprint.attacks.view_weights import ViewWeights
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import truth_from_ids
from trailprint.features.views import build_view_pair
from trailprint.simulate.call_records import call_records
from trailprint.simulate.calls import simulate_calls
from trailprint.workflows.options import ViewOptions
from trailprint.workflows.views import build_views

PAPER_USERS, PAPER_CITIES, PAPER_ANTENNAS = 46_986, 60, 1_211
#: Most times one view's matching, learning included, and most memory, by people.
TARGETS = {10_000: (5.0, 3.0), PAPER_USERS: (4.0, 3.0)}


def sides(n_users: int) -> tuple[tp.Events, tp.Events]:
    """Two weeks of calls, one for each side."""
    population = simulate_calls(n_users, n_cities=PAPER_CITIES, n_antennas=PAPER_ANTENNAS)
    events = tp.read(call_records(population))
    cut = tp.split(events, tp.SplitOptions(at="2012-04-16", active_both=True))
    return cut.released.materialise(), cut.auxiliary.materialise()


def measure(n_users: int) -> bool:
    """Print the ratios of one size; whether they keep to the targets."""
    warm_up()
    released, auxiliary = sides(n_users)
    seconds: dict[str, float] = {}
    accuracy: dict[str, float] = {}
    for name in ("one view", "views"):
        began = time.perf_counter()
        if name == "one view":
            pair = build_view_pair(released, auxiliary, ["visits"])
            weights = ViewWeights(shares={"visits": 1.0})
        else:
            options = ViewOptions(contributions=False)
            first, second, weights = build_views(released, auxiliary, options)
            pair = first, second
        linkage = match_views(*pair, weights)
        seconds[name] = time.perf_counter() - began
        truth = truth_from_ids(pair[0].users, pair[1].users)
        risk = measure_risk(linkage, truth)
        accuracy[name] = risk.n_correct / risk.n_common if risk else 0.0
    most, most_gb = TARGETS.get(n_users, (5.0, 3.0))
    ratio = seconds["views"] / seconds["one view"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"  {n_users:,} callers: one view {seconds['one view']:.1f} s, {accuracy['one view']:.1%}"
    )
    print(f"  views {seconds['views']:.1f} s, {accuracy['views']:.1%}, weights {weights.source}:")
    print("   ", ", ".join(f"{name} {share:.2f}" for name, share in weights.shares.items()))
    for what, value, target in (("times one view", ratio, most), ("peak GB", memory, most_gb)):
        verdict = "ok" if value <= target else "MISSED"
        print(f"  {what:<40} {value:>8.2f}   target {target:<6} {verdict}", flush=True)
    return ratio <= most and memory <= most_gb


def warm_up() -> None:
    """Compile, or load what was compiled, before anything is timed."""
    released, auxiliary = sides(300)
    match_views(*build_views(released, auxiliary, ViewOptions(contributions=False)))


def main() -> int:
    """Run the parts that are wanted, everything in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--users", type=int)
    parser.add_argument("--only", choices=("cost", "strength"), help="run one part")
    arguments = parser.parse_args()
    if arguments.users:
        return 0 if measure(arguments.users) else 1
    sizes = (1_000,) if arguments.quick else tuple(TARGETS)
    strength = str(Path(__file__).with_name("strength.py"))
    parts = {
        "cost": [[__file__, "--users", str(size)] for size in sizes],
        "strength": [[strength, *["--quick"] * arguments.quick]],
    }
    wanted = [arguments.only] if arguments.only else list(parts)
    commands = [[sys.executable, *command] for part in wanted for command in parts[part]]
    return max(subprocess.run(command, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
