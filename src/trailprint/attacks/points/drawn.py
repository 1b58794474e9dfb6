"""Unicity: how many people match points drawn at random from each person's trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Indices, Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.features.points import Points
from trailprint.kernels.subsets.drawn import count_drawn
from trailprint.kernels.subsets.postings import Postings, build_postings

Progress = Callable[[float], None]

#: Largest number of points drawn by default.
_USUAL = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateCounts(Discreet):
    """
    How many people matched the drawn points, over all targets and draws.

    Attributes
    ----------
    points : tuple of int
        Numbers of points.
    tallies : tuple of ndarray
        For each number of points, how often 0, 1, 2, … people matched, the target included.
    unique : ndarray
        People × numbers of points: number of draws in which no other person matched.
    n_users, n_draws : int
        People in the release, and draws per target.
    n_shorter : tuple of int
        For each number of points, how many targets have fewer, so that all of theirs are known.
    """

    points: tuple[int, ...]
    tallies: tuple[Ints, ...]
    unique: Ints
    n_users: int
    n_draws: int
    n_shorter: tuple[int, ...]

    @property
    def n_targets(self) -> int:
        """Number of people whose points were drawn."""
        return len(self.unique)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointPostings(Discreet):
    """Index of a release: the ``codes`` of all entries, and the people who have each code."""

    codes: Indices
    postings: Postings


def open_release(points: Points) -> PointPostings:
    """Index a release at the resolution of the points."""
    postings = build_postings(points.indptr, points.keys, points.n_keys)
    return PointPostings(codes=points.keys, postings=postings)


def open_coarser(points: Points, place_of: Indices, time_factor: int) -> PointPostings:
    """
    Index a release of coarser places and times, to match points of full resolution against.

    Whatever matched before still matches, so the same draws leave no fewer candidates.
    """
    numbers, n_keys = points.coarser_keys(place_of, time_factor)
    indptr, keys = points.merged(numbers, n_keys)
    return PointPostings(codes=numbers[points.keys], postings=build_postings(indptr, keys, n_keys))


def choose_numbers(points: Points, wanted: Sequence[int] | None) -> tuple[int, ...]:
    """Return the numbers of points to draw, at most the longest trace; by default up to ten."""
    longest = int(points.lengths.max(initial=0))
    numbers = tuple(range(1, min(longest, _USUAL) + 1)) if wanted is None else tuple(wanted)
    if max(numbers) > longest:
        raise OptionError(
            f"--points must not exceed the {longest:,} different points of the longest trace, "
            f"got {max(numbers)} instead.",
            option="points",
        )
    return numbers


def draw_candidates(
    points: Points,
    numbers: Sequence[int],
    *,
    n_draws: int,
    seed: int = 0,
    release: PointPostings | None = None,
    streams: npt.NDArray[np.uint64] | None = None,
    targets: Ints | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> CandidateCounts:
    """
    Draw points of each target repeatedly, and count the people who match them.

    Within a draw, larger sets of points contain the smaller ones, so candidates never increase.
    ``targets`` are the people whose points are drawn (default: all); candidates are counted among
    all people.
    """
    seen = open_release(points) if release is None else release
    who = np.arange(points.n_users) if targets is None else targets
    tallies = [np.zeros(points.n_users + 1, np.int64) for _ in numbers]
    unique = np.zeros((len(who), len(numbers)), np.int64)
    for draw in range(n_draws):
        counts = count_drawn(
            points.indptr,
            seen.codes,
            seen.postings,
            most=max(numbers),
            seed=_draw_seed(seed, draw),
            streams=streams,
            targets=who,
            n_threads=n_threads,
        )
        for place, number in enumerate(numbers):
            tallies[place] += np.bincount(counts[:, number - 1], minlength=points.n_users + 1)
            unique[:, place] += counts[:, number - 1] == 1
        if progress is not None:
            progress((draw + 1) / n_draws)
    return CandidateCounts(
        points=tuple(numbers),
        tallies=tuple(tallies),
        unique=unique,
        n_users=points.n_users,
        n_draws=n_draws,
        n_shorter=tuple(int(np.sum(points.lengths[who] < number)) for number in numbers),
    )


def _draw_seed(seed: int, draw: int) -> int:
    """Return a separate seed for each draw."""
    return int(np.random.SeedSequence([seed, draw]).generate_state(1, np.uint64)[0] >> 2)
