"""
Known points: ratios to scikit-mobility and to a bare pass of DuckDB, in one run.

``--scikit-mobility PYTHON`` names an interpreter that has scikit-mobility, which needs an older
pandas than ours (see `scikit_mobility`); without it, its enumeration written from the definition
stands in.
"""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.arrays import Ints
from trailprint.attacks.points.drawn import draw_candidates
from trailprint.attacks.points.worst import find_worst
from trailprint.events.engine import Engine
from trailprint.events.places.placing import PlaceOptions, place
from trailprint.events.reading.read import read
from trailprint.features.points import build_points

#: People and places of foursquare_nyc; half of all check-ins are at a place seen before.
N_PLACES, RETURNS = 5_135, 0.5
#: Districts with ten places each, and places that people of all districts visit.
N_DISTRICTS, N_POPULAR = 1000, 200


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def report(what: str, seconds: float, unit: float, target: float, name: str) -> None:
    verdict = "meets" if seconds <= target * unit else "MISSES"
    print(
        f"{what}: {seconds:.2f} s = {seconds / unit:.3f}x {name}, {verdict} {target}x", flush=True
    )


def draw_check_ins(n_people: int) -> pa.Table:
    """Check-ins of people who go to popular places and back to their own."""
    random = np.random.default_rng(0)
    n_visits = np.maximum(3, random.lognormal(4.3, 0.8, n_people).astype(np.int64))
    user = np.repeat(np.arange(n_people), n_visits)
    chance = np.arange(1, N_PLACES + 1) ** -0.7
    where = random.choice(N_PLACES, len(user), p=chance / chance.sum())
    first = np.repeat(np.cumsum(n_visits) - n_visits, n_visits)
    at = np.arange(len(user)) - first
    back = (random.random(len(user)) < RETURNS) & (at > 0)
    earlier = first + (random.random(len(user)) ** 2 * at).astype(np.int64)
    where[back] = where[earlier[back]]
    return pa.table({"user": user, "location": where})


def enumerate_in_pandas(visits: pd.DataFrame, k: int) -> list[float]:
    """Largest risk over all choices of k visits, each compared with everybody's visits."""

    def agrees(own: pd.DataFrame, known: Any) -> int:
        wanted = pd.Series(known).value_counts()
        there = own["location"].value_counts().reindex(wanted.index, fill_value=0)
        return int((there >= wanted).all())

    risks = []
    for _, own in visits.groupby("user"):
        risk = 0.0
        for known in combinations(own["location"], k):
            n = sum(agrees(other, known) for _, other in visits.groupby("user"))
            risk = max(risk, 1 / n)
            if risk == 1.0:
                break
        risks.append(risk)
    return risks


def ask_scikit_mobility(python: str, visits: pa.Table, k: int) -> tuple[float, list[float]]:
    """Its seconds without starting, and everybody's risk by visits."""
    n = visits.num_rows
    rows = zip(visits["user"].to_pylist(), visits["location"].to_pylist(), range(n), strict=True)
    script = str(Path(__file__).with_name("scikit_mobility.py"))
    told = subprocess.run(
        [python, script, "-k", str(k)],
        input=json.dumps(list(rows)),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(told.stdout)
    return found["seconds"], found["risks"]


def bench_worst_case(*, quick: bool, python: str | None) -> None:
    n_people, n_few = (2_000, 10) if quick else (10_000, 50)
    few = draw_check_ins(n_few)
    if python is None:
        peer = "an enumeration of"
        slow, risks = timed(lambda: enumerate_in_pandas(few.to_pandas(), 2))
    else:
        peer = "scikit-mobility on"
        slow, risks = ask_scikit_mobility(python, few, 2)
    own = find_worst(build_points(read(few), "place"), "place", 2)
    assert np.allclose(1 / own, risks)
    points = build_points(read(draw_check_ins(n_people)), "place")
    seconds, fewest = timed(lambda: find_worst(points, "place", 2))
    share = np.mean(fewest == 1)
    what = f"worst case, k = 2, {n_people:,} people ({share:.1%} singled out)"
    report(what, seconds, slow, 1, f"{peer} {n_few} people ({slow:.1f} s)")


def bench_four_points() -> None:
    folder = os.environ.get("TRAILPRINT_DATA")
    path = Path(folder or "") / "foursquare_nyc_checkins.parquet"
    if folder is None or not path.exists():
        print("worst case, k = 4: foursquare_nyc is not here, left out")
        return
    for what, cell in (("places", None), ("cells of 1 km", 1000.0)):
        (events,) = place([read(str(path))], PlaceOptions(cell_m=cell))
        points = build_points(events, "place")
        two, _ = timed(partial(find_worst, points, "place", 2))
        four, _ = timed(partial(find_worst, points, "place", 4))
        report(f"worst case, k = 4, foursquare_nyc, {what}", four, two, 60, "k = 2")


def draw_points(n_people: int, n_points: int, seed: int) -> pa.Table:
    """People in their own district, 30 % of the time at popular places of all, mostly by day."""
    random = np.random.default_rng(seed)
    n = n_people * n_points
    user = np.repeat(np.arange(n_people, dtype=np.int32), n_points)
    home: Ints = random.integers(0, N_DISTRICTS, n_people)
    own = home[user] * 10 + (10 * random.random(n) ** 2).astype(np.int64)
    popularity = np.arange(1, N_POPULAR + 1) ** -0.8
    popular = random.choice(N_POPULAR, n, p=popularity / popularity.sum()) + 10 * N_DISTRICTS
    where = np.where(random.random(n) < 0.3, popular, own).astype(np.int32)
    by_hour = 0.1 + np.clip(np.sin(np.pi * (np.arange(24) - 6) / 18), 0, None)
    hour = random.choice(24, n, p=by_hour / by_hour.sum()) + 24 * random.integers(0, 28, n)
    start = np.datetime64("2024-01-01T00:00:00", "us") + hour * np.timedelta64(3600, "s")
    return pa.table({"user": user, "location": where, "start": start.astype("datetime64[us]")})


def write_points(path: Path, n_people: int) -> None:
    """In batches, and in a process of its own: what it needs is not the program's."""
    n_batches = max(1, n_people // 50_000)
    n_each, writer = n_people // n_batches, None
    for number in range(n_batches):
        table = draw_points(n_each, 100, number)
        users = pa.array(table["user"].to_numpy() + np.int32(number * n_each))
        table = table.set_column(0, "user", users)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def bench_unicity(*, quick: bool) -> None:
    n_people = 20_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.parquet"
        writer = multiprocessing.get_context("spawn").Process(
            target=write_points, args=(path, n_people)
        )
        writer.start()
        writer.join()
        _measure_unicity(path, n_people)


def _measure_unicity(path: Path, n_people: int) -> None:
    engine = Engine()
    events = read(str(path), engine=engine).materialise()
    keys = f'SELECT DISTINCT location, "start", "user" FROM ({events.query})'
    bare, _ = timed(lambda: engine.run(f"CREATE OR REPLACE TEMP TABLE bare_keys AS {keys}"))
    engine.run("DROP TABLE bare_keys")

    def measure() -> Any:
        points = build_points(events, "place-time")
        return draw_candidates(points, (1, 2, 3, 4), n_draws=10)

    seconds, counts = timed(measure)
    share = counts.tallies[-1][1] / counts.tallies[-1].sum()
    what = f"unicity, p = 4, ten draws, {n_people:,} people × 100 points ({share:.1%} unique)"
    report(what, seconds, bare, 10, f"a bare pass ({bare:.1f} s)")
    first = counts.tallies[0]
    others = float(np.arange(len(first)) @ first / first.sum())
    print(f"people who have the first point: {others:,.0f} on average")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB, {'meets' if peak < 8192 else 'MISSES'} 8,192 MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("worst-case", "unicity"))
    parser.add_argument("--scikit-mobility", metavar="PYTHON", help="an interpreter that has it")
    wanted = parser.parse_args()
    quick = wanted.quick
    small = build_points(read(draw_check_ins(50)), "place")
    find_worst(small, "place", 2)  # compiles
    draw_candidates(small, (1, 2), n_draws=1)
    if wanted.only != "unicity":
        bench_worst_case(quick=quick, python=wanted.scikit_mobility)
        bench_four_points()
    if wanted.only != "worst-case":
        bench_unicity(quick=quick)


if __name__ == "__main__":
    main()
