"""
A whole audit: its time beside one bare pass of DuckDB over the same fixes, and its estimates.

Fixes are those of ``simulate gps``, each followed by others 50 ms apart and centimetres away, until
there are 24 million of 182 people.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

import trailprint as tp
from trailprint.audit.planning import clock
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.gps import GpsOptions, simulate_gps
from trailprint.simulate.web import WebOptions, simulate_web

N_PEOPLE, N_FIXES = 182, 24_000_000
MOST_PASSES, PLUS_S = 8, 180.0
LONG_S, FACTOR = 5.0, 2.0


def write_fixes(path: Path, n_fixes: int) -> None:
    fixes = simulate_gps(GpsOptions(n_users=N_PEOPLE))
    n_each = -(-n_fixes // fixes.num_rows)
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("fixes", fixes)
    connection.execute(
        f"""COPY (
            SELECT "user", round(lat + (i * 7 % 11 - 5) * 1e-6, 6) AS lat,
                   round(lon + (i * 5 % 13 - 6) * 1e-6, 6) AS lon,
                   start + to_microseconds(i * 50000) AS start
            FROM fixes, range({n_each}) AS copies(i)
        ) TO '{path}' (FORMAT parquet)"""
    )


def time_pass(path: Path) -> float:
    began = time.perf_counter()
    query = f"SELECT \"user\", count(*), min(start), avg(lat), avg(lon) FROM '{path}' GROUP BY ALL"
    duckdb.connect().sql(query).to_arrow_table()
    return time.perf_counter() - began


def bench_fixes(folder: Path, n_fixes: int) -> None:
    path, out = folder / "fixes.parquet", folder / "audit"
    write_fixes(path, n_fixes)
    bare = min(time_pass(path) for _ in range(3))
    command = [sys.executable, "-m", "trailprint", "audit", str(path), "--stays", "200m,20min"]
    began = time.perf_counter()
    subprocess.run([*command, "--out", str(out), "--json"], check=True, stdout=subprocess.DEVNULL)
    ours, target = time.perf_counter() - began, MOST_PASSES * bare + PLUS_S
    verdict = "meets" if ours <= target else "MISSES"
    print(f"audit of {n_fixes:,} fixes: {ours:.0f} s, {verdict} {target:.0f} s (pass {bare:.2f} s)")
    describe_estimates("fixes", json.loads((out / "result.json").read_text())["seconds"])


def describe_estimates(what: str, seconds: dict[str, Any]) -> None:
    """How far the estimate of each long part was from the time that it took."""
    for name, took in seconds["parts"].items():
        ratio = seconds["estimated"][name] / took
        if took > LONG_S and name != "search":
            verdict = "within" if 1 / FACTOR <= ratio <= FACTOR else "MISSES"
            print(f"{what}, {name}: {took:.1f} s, estimated {ratio:.2f} times, {verdict} {FACTOR}")


def bench_estimates(scale: float) -> None:
    """Every long part of three populations, by the processor's clock: other work counts less."""
    clock._read = time.process_time
    populations = {
        "campus": simulate_campus(CampusOptions(n_users=int(500 * scale), n_days=28)),
        "gps": simulate_gps(GpsOptions(n_users=int(250 * scale))),
        "web": simulate_web(WebOptions(n_users=int(150 * scale))),
    }
    for what, table in populations.items():
        found = tp.audit(table, n_threads=1).to_dict()
        describe_estimates(what, found["seconds"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    is_quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        bench_fixes(Path(folder), 1_500_000 if is_quick else N_FIXES)
    bench_estimates(0.2 if is_quick else 1.0)
