"""Sequence correlation on a simulated campus: runs saved, time, memory, cores busy."""

import argparse
import os
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from trailprint.attacks.options import CorrelateOptions, TrainingOptions
from trailprint.attacks.sequence.correlation import correlate_sequences, describe_training
from trailprint.evaluation.candidates import CandidateSets
from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.features.sequences import Sequences, build_sequences
from trailprint.linkage import Linkage
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import FolderStore, MemoryStore
from trailprint.studies.folds import cut_fold, fold_of_visits

TICKS = os.sysconf("SC_CLK_TCK")
MOST_MB, MOST_S, MOST_SHARE = 4096, 1800, 0.10


class Watch(threading.Thread):
    """Memory and processor time of this process and all it started, looked at twice a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mb, self._over = 0.0, threading.Event()
        self._cpu: dict[int, float] = {}

    def __enter__(self) -> "Watch":
        self.began = time.perf_counter()
        self._before = sum(self._look().values())
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._over.set()
        self.join()
        self._look()
        self.seconds = time.perf_counter() - self.began
        self.busy = (sum(self._cpu.values()) - self._before) / self.seconds

    def run(self) -> None:
        while not self._over.wait(0.5):
            self._look()

    def _look(self) -> dict[int, float]:
        table = dict(filter(None, map(_stat, Path("/proc").glob("[0-9]*"))))
        own = {os.getpid()}
        while more := {pid for pid, row in table.items() if row[0] in own} - own:
            own |= more
        self._cpu.update({pid: table[pid][1] for pid in own & table.keys()})
        self.peak_mb = max(self.peak_mb, sum(table[pid][2] for pid in own & table.keys()))
        return self._cpu


def _stat(folder: Path) -> tuple[int, tuple[int, float, float]] | None:
    """A process's parent, seconds of processor time and megabytes."""
    try:
        row = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    resident = int(row[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return int(folder.name), (int(row[1]), (int(row[11]) + int(row[12])) / TICKS, resident)


def one_round(n_users: int, engine: Engine) -> tuple[Sequences, Sequences]:
    """One of ten bins held out: this number of people on the paper's whole campus."""
    campus = simulate_campus(replace(CampusOptions.paper(), n_users=n_users))
    sequences = build_sequences(read(campus, engine=engine))
    return cut_fold(sequences, fold_of_visits(sequences, 10), 4)


def sets_of(linkage: Linkage, sides: tuple[Sequences, Sequences]) -> CandidateSets:
    """Equal ids are equal people; everybody is on both sides."""
    rows = np.flatnonzero(np.isin(sides[0].users.to_numpy(False), sides[1].users.to_numpy(False)))
    ranks = linkage.rank(rows, np.arange(len(rows)))
    return CandidateSets(mscis=ranks.n_better + ranks.n_tied, n_candidates=linkage.n_released)


def check(n_users: int, engine: Engine) -> None:
    sides, store = one_round(n_users, engine), MemoryStore()
    found, seconds = [], []
    # Models are trained, and kernels loaded, before anything is timed.
    correlate_sequences(*sides, CorrelateOptions(), store=store)
    for all_pairs in (False, True):
        linkage = correlate_sequences(*sides, CorrelateOptions(all_pairs=all_pairs), store=store)
        found.append(sets_of(linkage, sides).mscis)
        seconds.append((linkage.facts["taggings"], linkage.seconds["score"]))
    same = "meets" if np.array_equal(found[0], found[1]) else "MISSES"
    (few, quick), (many, slow) = seconds
    print(
        f"{n_users:,} users, {few:,} of {many:,} runs ({few / many:.1%}): scoring {quick:.2f} s "
        f"= {quick / slow:.2f}x all pairs ({slow:.2f} s), {same} identical MSCIS",
        flush=True,
    )


def measure(n_users: int, engine: Engine, folder: str) -> None:
    sides = one_round(n_users, engine)
    options = CorrelateOptions(training=TrainingOptions())
    with Watch() as watch:
        store = FolderStore(folder, describe_training(sides[0], options))
        linkage = correlate_sequences(*sides, options, store=store)
        sets = sets_of(linkage, sides)
    share = linkage.facts["taggings"] / linkage.facts["taggings_all_pairs"]
    rates = ", ".join(f"top-{k} {sets.top(k):.1%}" for k in (1, 2, 5, 20))
    train, score = (linkage.seconds[part] for part in ("train", "score"))
    print(f"{n_users:,} users, one round: {rates}, median {sets.median:g}", flush=True)
    print(f"runs: {share:.1%} of all pairs, {verdict(share, MOST_SHARE)} 10 %")
    print(
        f"time: {watch.seconds:.0f} s (training {train:.0f}, scoring {score:.0f}), "
        f"{watch.busy:.2f} cores busy, {verdict(watch.seconds, MOST_S)} {MOST_S:,} s"
    )
    print(f"peak memory: {watch.peak_mb:,.0f} MB, {verdict(watch.peak_mb, MOST_MB)} {MOST_MB:,} MB")


def verdict(value: float, most: float) -> str:
    return "meets" if value <= most else "MISSES"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    engine = Engine()
    check(60 if quick else 300, engine)
    with tempfile.TemporaryDirectory(prefix="trailprint-bench-") as folder:
        measure(200 if quick else 4285, engine, folder)


if __name__ == "__main__":
    main()
