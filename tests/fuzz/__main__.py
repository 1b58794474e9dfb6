"""``python -m tests.fuzz``: see ``--help``."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tests.fuzz.cases import Case, make_case
from tests.fuzz.corpus import FOLDER, load_case, load_corpus, save_case
from tests.fuzz.minimise import minimise, run_one
from tests.fuzz.summary import Summary
from tests.fuzz.workers import LIMIT_S, Pool


def main() -> int:
    """Run what was asked for; 1 where a case broke a rule."""
    wanted = _parse()
    if wanted.case is not None:
        return _show(_find(wanted.case), wanted.limit)
    if wanted.minimise is not None:
        return _minimise(wanted)
    cases: Iterable[int | Case] = range(wanted.start, wanted.start + wanted.cases)
    if wanted.quick:
        quick = (number for number in itertools.count(wanted.start) if _is_quick(number))
        cases = itertools.islice(quick, wanted.cases)
    if wanted.corpus is not None:
        kept = load_corpus(wanted.corpus)
        cases = itertools.chain(kept, cases) if wanted.quick else kept
    summary = Summary()
    pool = Pool(n_workers=wanted.workers, limit_s=wanted.limit, warm=not wanted.cold)
    for report in pool.run(cases):
        summary.add(report)
        if report.problems and not wanted.silent:
            _say(f"case {report.name}: {report.problems[0].signature}", sys.stderr)
        if not wanted.silent and summary.n_cases % 500 == 0:
            _say(f"… {summary.n_cases:,} cases, {summary.n_failing:,} failing", sys.stderr)
    _say("\n".join(summary.lines()))
    return 1 if summary.failures else 0


def _is_quick(number: int) -> bool:
    """Most cases, and few of those that cost a second or more."""
    return number % 8 == 0 or not make_case(number).is_costly


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="how many cases")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--quick", action="store_true", help="few of the cases that cost much")
    parser.add_argument(
        "--corpus",
        nargs="?",
        type=Path,
        const=FOLDER,
        help="the kept cases, or those of a folder; with --quick others, too",
    )
    parser.add_argument("--workers", type=int, default=1, help="processes at once")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds a case may take")
    parser.add_argument("--cold", action="store_true", help="nothing is loaded before a case")
    parser.add_argument("--silent", action="store_true", help="only the summary")
    parser.add_argument("--case", help="show one case: its number, or a file of the corpus")
    parser.add_argument("--minimise", help="make a failing case smaller")
    parser.add_argument("--problem", default="", help="with it: part of the signature to keep")
    parser.add_argument("--save", type=Path, help="with it: the file to write")
    return parser.parse_args()


def _find(name: str) -> Case:
    if name.isdigit():
        return make_case(int(name))
    path = Path(name)
    known = {case.name: case for case in load_corpus()}
    return known[name] if name in known else load_case(path)


def _show(case: Case, limit_s: float) -> int:
    """One case with its files, what was said, and what is wrong with it."""
    _say(
        f"case {case.name}: trailprint {' '.join(map(repr, case.arguments))}"
        if case.arguments
        else case.source
    )
    for name, content in case.files.items():
        _say(f"--- {name} ({len(content):,} bytes)\n{_cut(content)}")
    report = run_one(case, limit_s)
    _say(f"--- exit code {report.ending}, {report.seconds:.2f} s\n{report.words}")
    for problem in report.problems:
        _say(f"PROBLEM {problem.signature}\n        {problem.detail}")
    return 1 if report.problems else 0


def _cut(content: bytes) -> str:
    text = content.decode("utf-8", "backslashreplace")
    return text if len(text) < 1500 else f"{text[:1500]}…"


def _minimise(wanted: argparse.Namespace) -> int:
    case = _find(wanted.minimise)
    found = [problem.signature for problem in run_one(case, wanted.limit).problems]
    chosen = next((signature for signature in found if wanted.problem in signature), None)
    if chosen is None:
        _say(f"case {case.name} has no such problem: {found}")
        return 2
    smaller = minimise(case, chosen, limit_s=wanted.limit)
    if wanted.save is not None:
        save_case(smaller, wanted.save, chosen)
    return _show(smaller, wanted.limit)


def _say(text: str, stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    stream.write(f"{text}\n".encode("utf-8", "backslashreplace").decode())
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
