"""Unicity: randomly drawn points of everybody, and who else agrees with them."""

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

#: As many points are drawn where nobody says how many.
_USUAL = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateCounts(Discreet):
    """
    How many people agreed with the points drawn, over everybody and all draws.

    Attributes
    ----------
    points : tuple of int
        Numbers of points.
    tallies : tuple of ndarray
        For each number of points, how often 0, 1, 2, … people agreed; the person is one of them.
    unique : ndarray
        People × numbers of points: in how many draws nobody else agreed.
    n_users, n_draws : int
        People in the release, and draws of each target.
    n_shorter : tuple of int
        For each number of points, how many targets have fewer: they are known entirely.
    """

    points: tuple[int, ...]
    tallies: tuple[Ints, ...]
    unique: Ints
    n_users: int
    n_draws: int
    n_shorter: tuple[int, ...]

    @property
    def n_targets(self) -> int:
        """How many people's points were drawn."""
        return len(self.unique)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointPostings(Discreet):
    """What everybody's points agree with: ``codes`` of their entries, and who has each code."""

    codes: Indices
    postings: Postings


def open_release(points: Points) -> PointPostings:
    """A release at the resolution of the points."""
    postings = build_postings(points.indptr, points.keys, points.n_keys)
    return PointPostings(codes=points.keys, postings=postings)


def open_coarser(points: Points, place_of: Indices, time_factor: int) -> PointPostings:
    """
    A release of coarser places and times, which points of full resolution are compared with.

    What agreed before agrees still, so the same draws leave no fewer candidates.
    """
    numbers, n_keys = points.coarser_keys(place_of, time_factor)
    indptr, keys = points.merged(numbers, n_keys)
    return PointPostings(codes=numbers[points.keys], postings=build_postings(indptr, keys, n_keys))


def choose_numbers(points: Points, wanted: Sequence[int] | None) -> tuple[int, ...]:
    """Numbers of points to draw, never more than anybody has; by default up to ten."""
    longest = int(points.lengths.max(initial=0))
    numbers = tuple(range(1, min(longest, _USUAL) + 1)) if wanted is None else tuple(wanted)
    if max(numbers) > longest:
        raise OptionError(
            f"--points must not exceed the {longest:,} different points of the longest trace, "
            f"got {max(numbers)} instead."
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
    Draw points of everybody again and again, and count who agrees with them.

    Within a draw, more points contain fewer: candidates never become more. ``targets`` are the
    people whose points are drawn, everybody by default; candidates are sought among all.
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
    """A number of its own for each draw."""
    return int(np.random.SeedSequence([seed, draw]).generate_state(1, np.uint64)[0] >> 2)
