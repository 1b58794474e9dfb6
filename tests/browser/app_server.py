"""The app as a person starts it: a server process, a folder with a messy file."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

N_PEOPLE, N_DAYS = 24, 28


@dataclass(frozen=True, slots=True)
class Running:
    """A server, where to find it, and the folder it was started with."""

    process: subprocess.Popen[str]
    address: str
    folder: Path

    @property
    def home(self) -> str:
        return self.address.partition("?")[0]


def start_app(folder: Path) -> Running:
    """Start ``trailprint app`` on a free port."""
    program = [sys.executable, "-m", "trailprint", "app", str(folder), "--no-browser", "--json"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    return Running(process, json.loads("".join(lines))["address"], folder)


def stop_app(running: Running) -> None:
    """Ctrl-C, as it were."""
    running.process.terminate()
    running.process.wait(timeout=20)
    if running.process.stdout is not None:
        running.process.stdout.close()


def write_messy(path: Path) -> None:
    """Semicolons, names nobody knows, day-first times, and some rows of no use."""
    rng = random.Random(7)
    rows = ["Card No;Stop;Tap time;Fare"]
    for day in range(1, N_DAYS + 1):
        for person in range(N_PEOPLE):
            for _ in range(rng.randrange(1, 4)):
                stop = rng.choice((person % 9, person % 7, rng.randrange(12)))
                when = f"{day:02}.03.2024 {rng.randrange(6, 22):02}:{rng.randrange(60):02}"
                when = "unknown" if rng.random() < 0.03 else when
                rows.append(f"{1000 + person};Stop {stop};{when};2.40")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
