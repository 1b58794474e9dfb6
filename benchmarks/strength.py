"""
Whether several views ever link fewer people than one: data, cuts, seeds.

Run it with ``python benchmarks/bench_combined.py --only strength``. Research data is read from the
folder that TRAILPRINT_DATA names; without one, only simulated populations are tried.

``python benchmarks/strength.py --fresh`` is a check on people whom no choice was made on:
populations of other seeds, and of research data half of the people, drawn again for each seed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

import trailprint as tp
from trailprint import simulate
from trailprint.errors import InputError
from trailprint.simulate.call_records import call_records
from trailprint.workflows.options import ViewOptions

#: Most points that several views may lie below one, as a mean over the seeds.
MOST_LOST = 1.0
N_SEEDS = 5
#: The first seed of a check on fresh people.
FRESH = 1_000
DATA = Path(os.environ.get("TRAILPRINT_DATA", "missing"))


class Cut(NamedTuple):
    """How data is cut, and how the auxiliary side is cut again for learning."""

    split: tp.SplitOptions
    again: Literal["median", "halves-of-weeks", "halves-of-spans"] = "median"


CUTS: Mapping[str, Cut] = {
    "median event": Cut(tp.SplitOptions(at="median", active_both=True)),
    "halves of weeks": Cut(
        tp.SplitOptions(halves_of_weeks=True, active_both=True), "halves-of-weeks"
    ),
    "busiest weeks": Cut(tp.SplitOptions(busiest_weeks=True, active_both=True)),
    "halves of spans": Cut(tp.SplitOptions(fold="1/2", active_both=True), "halves-of-spans"),
}


class Row(NamedTuple):
    """One dataset at one cut: people, and accuracies in percent by seed."""

    data: str
    cut: str
    n_people: int
    one_view: list[float]
    combined: list[float]

    @property
    def difference(self) -> float:
        """Points that several views gain, as a mean over the seeds."""
        return float(np.mean(self.combined) - np.mean(self.one_view))

    def __str__(self) -> str:
        worst = float(np.min(np.subtract(self.combined, self.one_view)))
        mark = " BELOW" if self.difference < -MOST_LOST else ""
        return (
            f"| {self.data} | {self.cut} | {self.n_people:,} | {np.mean(self.one_view):.1f} "
            f"| {np.mean(self.combined):.1f} | {self.difference:+.1f} | {worst:+.1f} |{mark}"
        )


def measure_strength(*, quick: bool = False, fresh: bool = False, only: str = "") -> bool:
    """Print a table of all data and cuts; whether several views were never weaker."""
    first = FRESH if fresh else 0
    seeds = range(first, first + (1 if quick else N_SEEDS))
    print("| data | cut | people | one view | combined | difference | least of the seeds |")
    print("|---|---|---:|---:|---:|---:|---:|")
    was_weaker = False
    for name, make in _populations(quick=quick, fresh=fresh):
        for cut in CUTS if only in name else ():
            row = _measure(name, make, cut, seeds)
            print(row or f"| {name} | {cut} | cannot be cut |", flush=True)
            was_weaker |= row is not None and row.difference < -MOST_LOST
    return not was_weaker


def _measure(name: str, make: Callable[[int], tp.Events], cut: str, seeds: range) -> Row | None:
    row = Row(name, cut, 0, [], [])
    for seed in seeds:
        try:
            sides = tp.split(make(seed), CUTS[cut].split)
        except InputError:
            return None
        pair = sides.released.materialise(), sides.auxiliary.materialise()
        views = ViewOptions(contributions=False, cut=CUTS[cut].again)
        for found, looks in ((row.one_view, None), (row.combined, views)):
            result = tp.match(*pair, tp.MatchOptions(seed=seed), views=looks)
            found.append(100.0 * result.to_dict()["accuracy"])
            row = row._replace(n_people=result.truth.n_common)
    return row


def _populations(*, quick: bool, fresh: bool) -> Iterator[tuple[str, Callable[[int], tp.Events]]]:
    """Research data, the same for every seed unless fresh, and populations, always another one."""
    for path in () if quick else sorted(DATA.glob("*.parquet")):
        events = tp.read(path).materialise()
        yield path.stem, partial(_draw_half if fresh else _same_for_every_seed, events)
    for kind, (n_users, make) in SIMULATED.items():
        yield f"simulated {kind}", partial(_read_made, make, 60 if quick else n_users)


def _same_for_every_seed(events: tp.Events, seed: int) -> tp.Events:
    return events


def _draw_half(events: tp.Events, seed: int) -> tp.Events:
    """Each person by lot; hashed twice, as seeds alone would only swap the halves."""
    return events.having(f'hash(hash("user", {seed})) % 2 = 0')


def _read_made(make: Callable[[int, int], pa.Table], n_users: int, seed: int) -> tp.Events:
    return tp.read(make(n_users, seed))


def _campus(n_users: int, seed: int) -> pa.Table:
    return simulate.simulate_campus(simulate.CampusOptions(n_users=n_users, seed=seed))


def _weekday_campus(n_users: int, seed: int) -> pa.Table:
    options = simulate.WeekdayCampusOptions(n_users=n_users, seed=seed)
    return simulate.simulate_weekday_campus(options)


def _calls(n_users: int, seed: int) -> pa.Table:
    return call_records(simulate.simulate_calls(n_users, seed=seed), seed=seed)


def _gps(n_users: int, seed: int) -> pa.Table:
    return simulate.simulate_gps(simulate.GpsOptions(n_users=n_users, seed=seed))


def _web(n_users: int, seed: int) -> pa.Table:
    return simulate.simulate_web(simulate.WebOptions(n_users=n_users, seed=seed))


def _households(n_users: int, seed: int) -> pa.Table:
    return simulate.simulate_households(simulate.HouseholdOptions(n_users=n_users, seed=seed))


SIMULATED: Mapping[str, tuple[int, Callable[[int, int], pa.Table]]] = {
    "campus": (300, _campus),
    "weekday campus": (300, _weekday_campus),
    "calls": (300, _calls),
    "gps": (154, _gps),
    "web": (121, _web),
    "households": (300, _households),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fresh", action="store_true", help="people no choice was made on")
    parser.add_argument("--only", default="", help="data with this in its name")
    wanted = parser.parse_args()
    held = measure_strength(quick=wanted.quick, fresh=wanted.fresh, only=wanted.only)
    sys.exit(not held)
