"""Trail matching: ratios to the time of building the trails, in one run."""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.features.trails import build_trail_pair
from trailprint.studies.trail_sensitivity import leave_one_out


def write_releases(folder: Path, n_entities: int, n_locations: int, withheld: float) -> list[str]:
    """Every entity visits location r with probability r**-0.6; names are withheld at random."""
    random = np.random.default_rng(0)
    chance = np.arange(1, n_locations + 1) ** -0.6
    visits = [
        np.stack(np.nonzero(random.random((10_000, n_locations), dtype=np.float32) < chance))
        + np.array([[first], [0]])
        for first in range(0, n_entities, 10_000)
    ]
    entity, location = np.concatenate(visits, axis=1)
    paths = []
    for name, kept in (("pseudonyms", 1.1), ("names", 1 - withheld)):
        some = random.random(len(entity)) < kept
        table = pa.table({"user": entity[some], "location": location[some]})
        paths.append(str(folder / f"{name}.parquet"))
        pq.write_table(table, paths[-1])
    return paths


def report(what: str, seconds: float, unit: float, target: float, name: str) -> None:
    verdict = "meets" if seconds <= target * unit else "MISSES"
    print(
        f"{what}: {seconds:.2f} s = {seconds / unit:.2f}x {name}, {verdict} {target}x", flush=True
    )


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n_entities, n_locations = (20_000, 1_000) if quick else (200_000, 1_000)
    with tempfile.TemporaryDirectory(prefix="trailprint-bench-") as name:
        paths = write_releases(Path(name), n_entities, n_locations, 0.1)
        engine = Engine()
        building, (pseudonyms, names) = timed(
            lambda: build_trail_pair(*(read(path, engine=engine) for path in paths))
        )
    print(f"building {n_entities:,} x {n_entities:,} trails: {building:.2f} s")
    contained = TrailOptions(algorithm="incomplete", reserved="auxiliary")
    exact = TrailOptions(algorithm="complete", reserved="none")
    few = np.arange(n_locations) < 50
    match_trails(pseudonyms.at(few), names.at(few), contained)  # compiles
    seconds, found = timed(lambda: match_trails(pseudonyms, names, contained))
    report(f"REIDIT-I, {found.n_links:,} links", seconds, building, 5, "building")
    once = seconds
    seconds, found = timed(lambda: match_trails(pseudonyms, pseudonyms, exact))
    report(f"REIDIT-C, {found.n_links:,} links", seconds, building, 2, "building")
    truth = truth_from_ids(pseudonyms.users, names.users)
    seconds, table = timed(lambda: leave_one_out(pseudonyms, names, contained, truth))
    report(f"leaving out each of {len(table):,} locations", seconds, once, 20, "REIDIT-I")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB, {'meets' if peak < 4096 else 'MISSES'} 4,096 MB")


if __name__ == "__main__":
    main()
