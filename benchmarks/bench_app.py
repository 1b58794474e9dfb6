"""
The app's pages, in milliseconds: a folder of many audits, three of them under way and watched.

Measured without a network, in this process: what a request costs, not how fast a socket is.
"""

import argparse
import fcntl
import json
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient

from trailprint.app.folders import Folder
from trailprint.app.security import Session
from trailprint.app.server import build_site

EXAMPLE = Path(__file__).parents[1] / "tests" / "examples" / "result.json"
PORT, N_RUNNING = 8000, 3


def fill(folder: Path, n_audits: int, n_files: int) -> list[int]:
    """Audits, the first of them under way, and files; handles of the locks of their processes."""
    handles = []
    for number in range(n_files):
        (folder / f"part-{number}.csv").write_text("user,location,start\n")
    for number in range(n_audits):
        place = folder / f"audit-{number}"
        place.mkdir()
        shutil.copy(EXAMPLE, place / "result.json")
        if number < N_RUNNING:
            (place / "job").mkdir()
            (place / "job" / "job.json").write_text('{"words": ["audit", "x.csv"], "pid": 0}')
            handles.append(os.open(place / "job" / "lock", os.O_CREAT | os.O_RDWR))
            fcntl.flock(handles[-1], fcntl.LOCK_EX)
    return handles


@contextmanager
def telling(folder: Path) -> Iterator[None]:
    """Progress that is written all the time, as processes do."""
    over = threading.Event()

    def report() -> None:
        step = 0
        while not over.wait(0.1):
            step += 1
            for number in range(N_RUNNING):
                told = json.dumps({"what": f"Step {step}", "done": 0.5})
                (folder / f"audit-{number}" / "job" / "progress.json").write_text(told)

    teller = threading.Thread(target=report)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def measure(ask: Callable[[], object], n_times: int) -> tuple[float, float]:
    """Milliseconds: the median and the most."""
    taken = []
    for _ in range(n_times):
        began = time.perf_counter()
        ask()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken), max(taken)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    n_times = 5 if parser.parse_args().quick else 50
    session = Session(host="127.0.0.1", port=PORT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        handles = fill(folder, n_audits=50, n_files=200)
        site = build_site(Folder(folder), session)
        with TestClient(site, base_url=f"http://127.0.0.1:{PORT}") as client, telling(folder):
            client.get(f"/?token={session.token}")
            pages = {
                "the style sheet": "/static/app.css",
                "50 audits, 200 files": "/",
                "an audit under way": "/audit?at=audit-0",
                "an audit": "/audit?at=audit-9",
                "protections": "/protect?at=audit-9",
                "comparing two": "/compare?at=audit-8&at=audit-9",
            }
            for title, path in pages.items():
                assert client.get(path).status_code == 200
                usual, most = measure(partial(client.get, path), n_times)
                print(f"{title:24} {usual:7.1f} ms, at most {most:7.1f} ms")
        for handle in handles:
            os.close(handle)


if __name__ == "__main__":
    main()
