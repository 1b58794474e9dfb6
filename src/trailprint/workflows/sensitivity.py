"""``trailprint.workflows.study_sensitivity``: how trail matching depends on locations and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.display.discreet import Words
from trailprint.display.tables import ResultTable
from trailprint.errors import OptionError
from trailprint.events.results import Makers, Result
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.studies.options import SensitivityOptions
from trailprint.studies.popularity import ZipfFit, fit_zipf
from trailprint.studies.trail_sensitivity import (
    add_locations,
    leave_one_out,
    rank_locations,
    withhold,
)
from trailprint.workflows.trails import TrailResult


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensitivityResult(Result):
    """
    Rates of re-identification, one row for each setting.

    ``zipf`` is the law fitted to the popularity of locations, and None if another thing is varied.
    """

    _NO_PLOT = "a study of sensitivity has no chart"

    options: SensitivityOptions
    rows: tuple[Mapping[str, Any], ...]
    zipf: ZipfFit | None = None

    def _shown(self) -> dict[str, object]:
        return {"varied": Words(self.options.sensitivity), "rows": len(self.rows)}

    def _makers(self) -> Makers:
        return {"sensitivity": lambda: ResultTable.from_rows("sensitivity", self.rows)}

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain values, ready for JSON; no identifiers."""
        rows = [dict(row) for row in self.rows]
        return {"sensitivity": rows} | ({} if self.zipf is None else {"zipf": asdict(self.zipf)})


@check_arguments()
@shows_progress
def study_sensitivity(
    result: TrailResult,
    options: SensitivityOptions,
    *,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> SensitivityResult:
    """
    Match trails again with fewer locations, or with names withheld.

    Parameters
    ----------
    result : TrailResult
        A result of `trailprint.trails`; its trails are matched again, by its algorithm.
    options : SensitivityOptions
        What is varied: ``locations`` leaves out each location in turn, ``popularity`` adds them
        by their number of visitors, ``withholding`` withholds names at random.
    seed : int
        Seed of the random choice of names to withhold.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.options import SensitivityOptions
    >>> from trailprint.workflows import study_sensitivity
    >>> pseudonyms = {"user": ["p1", "p1", "p2"], "location": ["ward", "clinic", "ward"]}
    >>> names = {"user": ["n1", "n1", "n2"], "location": ["ward", "clinic", "ward"]}
    >>> found = study_sensitivity(
    ...     tp.trails(pseudonyms, names), SensitivityOptions(sensitivity="locations")
    ... )
    >>> found.table("sensitivity").to_arrow()["reidentified"].to_pylist()
    [1, 0]
    """
    if options.sensitivity is None:
        raise OptionError(
            "--sensitivity must be one of locations, popularity, withholding, got None instead.",
            option="sensitivity",
        )
    (progress or ignore_progress)(f"Varying {options.sensitivity}", None)
    if options.sensitivity == "locations":
        rows = _without_each(result, options, n_threads)
    elif options.sensitivity == "popularity":
        rows = _by_popularity(result, n_threads)
    else:
        rows = _withholding(result, options, seed, n_threads)
    zipf = fit_zipf(result.released) if options.sensitivity == "popularity" else None
    return SensitivityResult(options=options, rows=tuple(rows), zipf=zipf)


def _without_each(
    result: TrailResult, options: SensitivityOptions, n_threads: int | None
) -> list[dict[str, Any]]:
    sides = result.released, result.auxiliary
    table = leave_one_out(*sides, result.options, result.truth, n_threads=n_threads)
    ranked = rank_locations(result.released, "most-visited")
    rows: list[dict[str, Any]] = table.take(ranked).to_pylist()
    names = result.released.locations
    for rank, row in enumerate(rows, 1):
        row["location"] = names[row["location"]].as_py() if options.name_locations else f"#{rank}"
    return rows


def _by_popularity(result: TrailResult, n_threads: int | None) -> list[dict[str, Any]]:
    sides = result.released, result.auxiliary
    how = result.options, result.truth
    return [
        row
        for order in ("least-visited", "most-visited")
        for row in add_locations(*sides, *how, order=order, n_threads=n_threads).to_pylist()
    ]


def _withholding(
    result: TrailResult, options: SensitivityOptions, seed: int, n_threads: int | None
) -> list[dict[str, Any]]:
    return [
        row
        for probability in options.withhold
        for row in withhold(
            result.released,
            probability,
            n_runs=options.n_runs,
            by=options.withhold_by,
            seed=seed,
            n_threads=n_threads,
        ).to_pylist()
    ]
