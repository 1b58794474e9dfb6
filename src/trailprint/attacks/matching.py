"""
Match two sides of scaled sparse rows: jointly with a proof, or one record at a time.

Shared by histograms and views: takes a `Problem`, returns a `Linkage`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.options import MatchOptions
from trailprint.display.discreet import Discreet
from trailprint.display.numbers import format_number
from trailprint.errors import InputError, OptionError
from trailprint.kernels.csr import Csr
from trailprint.kernels.matching.join import Join, row_work, swap_sides
from trailprint.kernels.matching.lookup import RowChoice, choose_columns, rank_pairs
from trailprint.kernels.matching.margins import SEARCH_WORK, Margins, link_margins
from trailprint.kernels.matching.metrics import Metric
from trailprint.kernels.matching.pricing import Round
from trailprint.kernels.matching.reduction import Reduced, reduce_problem
from trailprint.kernels.matching.solve import Solution, solve_reduced
from trailprint.kernels.passes import expecting_work
from trailprint.linkage import Linkage, Ranks
from trailprint.progress import Progress

#: A joint matching takes about as long as this many passes over all pairs, and its margins this
#: many more: measured 8 and 43 for 10,000 simulated callers, 6 and 54 for 46,986.
JOINT_PASSES, MARGIN_PASSES = 7.0, 50.0
_SOLVED = JOINT_PASSES / (JOINT_PASSES + MARGIN_PASSES)
#: Of the joint matching, the passes themselves: measured 2.2 to 2.9 for 200,000 callers.
PRICED_PASSES = 2.5
#: A joint matching is called exact when its proven gap is at most this share of its gain.
EXACT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Side(Discreet):
    """
    The users of one side who have data, scaled as the metric requires.

    ``allowance`` is the amount that a user's empty slots subtract from every weight; ``allowed``
    are the histograms with extra columns that add it to every gain.
    """

    rows: Ints
    bare: Csr
    allowed: Csr
    allowance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Problem(Discreet):
    """
    Both sides in the form the kernels take: ``weight = constant - gain - allowances``.

    Columns from ``gate`` on count only for pairs that share an earlier column.
    """

    sides: tuple[Side, Side]
    n_columns: int
    metric: Metric
    join: Join
    constant: float
    n_users: tuple[int, int]
    began: float
    gate: int | None = None

    def split(self, allowed_gain: Floats, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
        """Return gains of pairs without allowances, and weights (clipped at zero for rounding)."""
        allowance = self.sides[0].allowance[rows] + self.sides[1].allowance[columns]
        return allowed_gain - allowance, np.maximum(self.constant - allowed_gain, 0.0)


def match_problem(
    problem: Problem,
    options: MatchOptions,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    start: Floats | None = None,
) -> Linkage:
    """Link the rows of both sides; ``start`` are prices of auxiliary users for a warm start."""
    _check_size(options, problem.sides)
    if options.method == "joint":
        return _match_joint(problem, options, n_threads, progress, start)
    return _match_one_by_one(problem, options, n_threads)


def _check_size(options: MatchOptions, sides: tuple[Side, Side]) -> None:
    most = min(len(sides[0].rows), len(sides[1].rows))
    if most == 0:
        raise InputError("Both sides must have users with events, but one has none.")
    if options.size is not None and options.size > most:
        raise OptionError(
            f"--size must be at most the {most:,} users of the smaller side, got {options.size:,}.",
            option="size",
        )


def to_arrays(matrix: sparse.csr_array) -> Csr:
    """Return a matrix in the form the kernels take."""
    return (
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
    )


def _match_joint(
    problem: Problem,
    options: MatchOptions,
    n_threads: int | None,
    progress: Progress | None,
    start: Floats | None,
) -> Linkage:
    sides = problem.sides
    # If everyone is linked, allowances add up to the same total in every matching.
    is_bare = options.size is None and len(sides[0].rows) == len(sides[1].rows)
    reduced = _reduce(problem, options, is_bare=is_bare)
    solution = _solve(reduced, sides[1], options, n_threads, progress, start)
    linked = np.flatnonzero(solution.column >= 0)
    gain, weight = _split_gain(problem, solution, linked, is_bare=is_bare)
    facts = _joint_facts(solution, gain, weight)
    passes = time.perf_counter() - problem.began - solution.solve_seconds
    confidence, is_least = gain, np.zeros(len(linked), dtype=bool)
    if options.margins:
        margins = _measure_margins(reduced, solution, len(linked), n_threads, progress)
        confidence, is_least = margins.margin[linked], margins.at_least[linked]
        facts |= _second_best(margins, facts["total_weight"])
    return Linkage(
        released=sides[0].rows[linked],
        auxiliary=sides[1].rows[solution.column[linked]],
        weight=weight,
        confidence=confidence,
        confidence_is_least=is_least,
        n_released=len(sides[0].rows),
        n_auxiliary=len(sides[1].rows),
        rank=_ranker(problem, n_threads),
        facts=facts,
        seconds={"weights": passes, "solve": time.perf_counter() - problem.began - passes},
        prices=_spread(solution.v, sides[1], problem.n_users[1]),
    )


def _reduce(problem: Problem, options: MatchOptions, *, is_bare: bool) -> Reduced:
    """The matching problem with equal rows merged, with or without the users' allowances."""
    first, second = (side.bare if is_bare else side.allowed for side in problem.sides)
    return reduce_problem(
        first, second, problem.n_columns, problem.metric, options.seed, problem.gate
    )


def _solve(
    reduced: Reduced,
    auxiliary: Side,
    options: MatchOptions,
    n_threads: int | None,
    progress: Progress | None,
    start: Floats | None,
) -> Solution:
    """The best matching; from given prices where the number of links is free."""
    over = _SOLVED if options.margins else 1.0
    with expecting_work(PRICED_PASSES * _count_terms(reduced), 0.0, over):
        return solve_reduced(
            reduced,
            size=options.size,
            gap=options.gap,
            seed=options.seed,
            n_threads=n_threads,
            progress=follow(progress),
            start=None if start is None or options.size is not None else start[auxiliary.rows],
        )


def _count_terms(reduced: Reduced) -> float:
    """The work of one pass over all overlapping pairs."""
    return float(row_work(reduced.join).sum())


def _split_gain(
    problem: Problem, solution: Solution, linked: Ints, *, is_bare: bool
) -> tuple[Floats, Floats]:
    """Return gains without allowances, and weights, of the pairs that a solution links."""
    gain, partner = solution.gain[linked], solution.column[linked]
    if is_bare:
        gain = gain + problem.sides[0].allowance[linked] + problem.sides[1].allowance[partner]
    return problem.split(gain, linked, partner)


def _measure_margins(
    reduced: Reduced,
    solution: Solution,
    n_linked: int,
    n_threads: int | None,
    progress: Progress | None,
) -> Margins:
    if progress is not None:
        progress("Measuring margins", None)
    # Both sides' nearest pairs, and a search for each link.
    work = 2 * _count_terms(reduced) + SEARCH_WORK * n_linked
    with expecting_work(work, _SOLVED, 1.0):
        return link_margins(
            reduced,
            solution.column,
            solution.u,
            solution.v,
            multiplier=solution.multiplier,
            n_threads=n_threads,
        )


def _spread(prices: Floats, side: Side, n_users: int) -> Floats:
    """Return prices for all users; zero for users without data."""
    spread = np.zeros(n_users)
    spread[side.rows] = prices
    return spread


def _joint_facts(solution: Solution, gain: Floats, weight: Floats) -> dict[str, Any]:
    gap = max(0.0, solution.upper_bound - solution.total_gain)
    return {
        "total_weight": float(weight.sum()),
        "total_gain": float(gain.sum()),
        "optimality_gap": gap,
        "exact": gap <= EXACT * max(solution.total_gain, math.ulp(1.0)),
        "rounds": solution.rounds,
        "overlapping_pairs": solution.overlapping_pairs,
    }


def _second_best(margins: Margins, total_weight: float) -> dict[str, float | bool | None]:
    """Return the weight of the second-best matching; None if there is no other."""
    if not math.isfinite(margins.second_best):
        return {"second_best_weight": None, "second_best_is_least": False}
    return {
        "second_best_weight": total_weight + margins.second_best,
        "second_best_is_least": margins.second_best_at_least,
    }


def follow(progress: Progress | None) -> Callable[[Round], None] | None:
    """Return a function that tells the progress of a joint matching; None without ``progress``."""
    if progress is None:
        return None

    def report(current: Round) -> None:
        gap = max(0.0, current.upper_bound - current.total_gain)
        progress(f"Matching, round {current.number}: gap {format_number(gap)}", None)

    return report


def _match_one_by_one(problem: Problem, options: MatchOptions, n_threads: int | None) -> Linkage:
    sides, join = problem.sides, problem.join
    looking = join if options.direction == "released" else swap_sides(join)
    choice: RowChoice = choose_columns(looking, options.seed, n_threads)
    own, other = np.arange(looking.n_rows), choice.column
    rows, columns = (own, other) if options.direction == "released" else (other, own)
    gain, weight = problem.split(choice.gain, rows, columns)
    return Linkage(
        released=sides[0].rows[rows],
        auxiliary=sides[1].rows[columns],
        weight=weight,
        confidence=gain,
        confidence_is_least=np.zeros(len(own), dtype=bool),
        n_released=len(sides[0].rows),
        n_auxiliary=len(sides[1].rows),
        rank=_ranker(problem, n_threads),
        facts={
            "total_weight": float(weight.sum()),
            "total_gain": float(gain.sum()),
            "tied": int(np.count_nonzero(choice.n_tied > 1)),
        },
        seconds={"weights": time.perf_counter() - problem.began, "solve": 0.0},
    )


def _ranker(problem: Problem, n_threads: int | None) -> Callable[[Ints, Ints], Ranks]:
    """Return a function that ranks pairs of histogram rows; pairs without data rank last."""
    places = [_places(side.rows) for side in problem.sides]
    join = problem.join

    def rank(rows: Ints, columns: Ints) -> Ranks:
        n_better = np.full(len(rows), join.n_cols, dtype=np.int64)
        n_tied = np.ones(len(rows), dtype=np.int64)
        own, other = _look_up(places[0], rows), _look_up(places[1], columns)
        known = np.flatnonzero((own >= 0) & (other >= 0))
        found = rank_pairs(join, own[known], other[known], n_threads)
        n_better[known], n_tied[known] = found.n_better, found.n_tied
        return Ranks(n_better=n_better, n_tied=n_tied)

    return rank


def _places(rows: Ints) -> Ints:
    places = np.full(int(rows[-1]) + 1, -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    return places


def _look_up(places: Ints, rows: Ints) -> Ints:
    inside = rows < len(places)
    return np.where(inside, places[np.where(inside, rows, 0)], -1)
