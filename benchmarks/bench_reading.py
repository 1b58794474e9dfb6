"""Reading: ratios to a bare DuckDB over the same files, in one run."""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.features.histograms import build_histograms


def best_of(n: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(n):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def report(what: str, ours: float, theirs: float, target: float) -> None:
    verdict = "meets" if ours <= target * theirs else "MISSES"
    print(f"{what}: {ours:.2f} s / {theirs:.2f} s = {ours / theirs:.2f}x, {verdict} {target}x")


def write_events(path: Path, n_rows: int, user: str) -> None:
    """n_rows events of n_rows / 50 users, each at 5 places of their own among 20,000."""
    n_users = n_rows // 50
    duckdb.sql("SET TimeZone = 'UTC'")
    duckdb.sql(
        f"""COPY (
            SELECT {user} AS "user",
                   (((i * 2654435761 % {n_users}) * 7919 + (hash(i) % 5)::BIGINT * 104729) % 20000)
                   ::BIGINT AS location,
                   TIMESTAMPTZ '2024-01-01' + to_seconds(i % 2592000) AS start
            FROM (SELECT range AS i FROM range({n_rows}))
        ) TO '{path}' (FORMAT parquet)"""
    )


def bench_histograms(folder: Path, n_rows: int) -> None:
    number = f"i * 2654435761 % {n_rows // 50}"
    for kind, user in (("integer ids", number), ("text ids", f"'user' || ({number})")):
        path = folder / "events.parquet"
        write_events(path, n_rows, user)

        def bare(path: Path = path) -> object:
            query = f"SELECT \"user\", location, count(*) AS n FROM '{path}' GROUP BY ALL"
            return duckdb.connect().sql(query).to_arrow_table()

        def ours(path: Path = path) -> object:
            return build_histograms(read(str(path)))

        theirs = best_of(3, bare)
        report(f"histograms of {n_rows:,} rows, {kind}", best_of(3, ours), theirs, 1.3)


def bench_memory_limit(folder: Path, n_rows: int, memory: str) -> None:
    path = folder / "events.parquet"
    engine = Engine(memory=memory)
    start = time.perf_counter()
    histograms = build_histograms(read(str(path), engine=engine))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"histograms of {n_rows:,} rows under --memory {memory}: {seconds:.2f} s, "
        f"{histograms.n_users:,} users, process peak so far {peak:,.0f} MB"
    )


def bench_geolife(folder: Path, n_files: int, n_rows: int) -> None:
    root = folder / "geolife"
    lines = [
        f"39.{906631 + i % 900:06},116.{385564 + i % 900:06},0,492,"
        f"39744.1201851852,2008-10-{1 + i % 28:02},02:53:{i % 60:02}\n"
        for i in range(n_rows)
    ]
    header = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2\n0\n"
    with open(folder / "one.csv", "w") as one:
        one.write("user,lat,lon,zero,altitude,days,start\n")
        for i in range(n_files):
            user = root / "Data" / f"{i % 182:03}" / "Trajectory"
            user.mkdir(parents=True, exist_ok=True)
            (user / f"{i}.plt").write_text(header + "".join(lines))
            one.writelines(
                f"{i % 182:03},{line.rpartition(',')[0]} {line.rpartition(',')[2]}"
                for line in lines
            )
    theirs = best_of(2, lambda: read(str(folder / "one.csv")))
    ours = best_of(2, lambda: read(str(root)))
    report(f"GeoLife, {n_files:,} files of {n_rows:,} rows, to one CSV", ours, theirs, 2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="trailprint-bench-") as name:
        folder = Path(name)
        bench_geolife(folder, 500 if quick else 18_670, 100 if quick else 600)
        n_rows = 1_000_000 if quick else 50_000_000
        bench_histograms(folder, n_rows)
        bench_memory_limit(folder, n_rows, "500MB" if quick else "1GB")


if __name__ == "__main__":
    main()
