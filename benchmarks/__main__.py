"""Run every benchmark and print its ratios: ``make bench``; ``--quick`` for small sizes."""

import argparse
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
arguments = parser.parse_args()
failed = False
for script in sorted(pathlib.Path(__file__).parent.glob("bench_*.py")):
    print(f"== {script.stem}", flush=True)
    command = [sys.executable, str(script), *(["--quick"] if arguments.quick else [])]
    failed |= subprocess.run(command, check=False).returncode != 0
sys.exit(failed)
