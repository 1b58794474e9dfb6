"""A folder of reproduced experiments: tidy tables, everything as JSON, and the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trailprint.display.numbers import to_json
from trailprint.errors import OutputError, reason_of
from trailprint.events.spreadsheets import write_csv
from trailprint.events.write import replacing
from trailprint.papers.experiment import Reproduction
from trailprint.report.papers_figure import write_svg
from trailprint.report.papers_page import make_figure, render_papers_page
from trailprint.system.addresses import check_writable

PAGE, RESULTS = "papers.html", "papers.json"


def open_folder(folder: str | os.PathLike[str]) -> Path:
    """Create the folder, or raise before any work is done."""
    if not str(folder).strip():
        raise OutputError("--out must name a folder, got nothing. Try --out papers/.", option="out")
    check_writable(folder)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"--out must name a folder that can be written to, got {str(folder)!r}: "
            f"{reason_of(error)}.",
            option="out",
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise OutputError(
            f"--out must name a folder that can be written to, got {str(folder)!r}.", option="out"
        )
    return path


class ResultFolder:
    """
    A folder that is filled while experiments run.

    Tables and charts of an experiment are written when it is added, and the page is rewritten:
    a run that is stopped at any time leaves a page of the finished experiments.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = open_folder(folder)
        self._results: list[Reproduction] = []

    def add(self, result: Reproduction) -> None:
        """Write one experiment, and the page of all experiments so far."""
        write_experiment(self.path, result)
        self._results.append(result)
        write_page(self.path, self._results)


def write_experiment(folder: Path, result: Reproduction) -> None:
    """
    Write one experiment's tidy table, the paper's numbers beside ours, and its charts.

    Nothing is written for an experiment that was refused.
    """
    if result.refused is not None:
        return
    label = {"experiment": result.experiment.name, "population": result.population}
    name = result.experiment.name
    compared = [comparison.to_dict() for comparison in result.outcome.comparisons]
    _write(folder / f"{name}.csv", write_csv([{**label, **row} for row in result.outcome.rows]))
    _write(folder / f"{name}-compared.csv", write_csv([{**label, **row} for row in compared]))
    for number, chart in enumerate(result.outcome.charts, 1):
        _write(folder / f"{name}-{number}.svg", write_svg(make_figure(result, chart)))


def write_page(folder: Path, results: Sequence[Reproduction]) -> Path:
    """Write the page and all results as JSON; return the page's path."""
    everything = {"experiments": [result.to_dict() for result in results]}
    text = to_json(everything, indent=1)
    _write(folder / RESULTS, text + "\n")
    _write(folder / PAGE, render_papers_page(results))
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    with replacing([path]) as (temporary,):
        Path(temporary).write_text(text, encoding="utf-8", newline="")
