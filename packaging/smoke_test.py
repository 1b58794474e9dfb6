"""
Try an installed Trailprint as a newcomer would, away from its source.

Run by the Python of the environment under test: ``python smoke_test.py VERSION``. Only the standard
library is used here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("trailprint")


def run(folder: str, *command: object) -> str:
    """Run a command in ``folder``; what it printed."""
    began = time.perf_counter()
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    print(f"{time.perf_counter() - began:6.1f} s  {Path(words[0]).name} {' '.join(words[1:])}")
    if done.returncode:
        sys.exit(f"It failed with exit code {done.returncode}:\n{done.stderr}")
    return done.stdout


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"The package is not fit to be released: {what}.")


def main(wanted: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        where = run(folder, sys.executable, "-c", "import trailprint; print(trailprint.__file__)")
        check(where.startswith(sys.prefix), "it was imported from elsewhere")
        check(run(folder, PROGRAM, "--version").strip() == wanted, "it has another version")
        people = "people.parquet"
        run(folder, PROGRAM, "simulate", "campus", "--users", 30, "--days", 14, "--out", people)
        summary = json.loads(run(folder, PROGRAM, "inspect", people, "--json"))
        check(summary["users"] == 30, "it lost or invented people")
        run(folder, PROGRAM, "demo", "--users", 20, "--out", "demo")
        report = Path(folder, "demo", "report.html").read_text(encoding="utf-8")
        check("</html>" in report and "<svg" in report, "its report is not whole")
    print("It works.")


if __name__ == "__main__":
    main(sys.argv[1])
