"""
Trail matching (2005 paper): REIDIT-C, REIDIT-I and REIDIT-M.

Several places each release a list of names and, separately, a list of pseudonyms. An adversary who
collects the lists sees at which places a name and a pseudonym appear: their trails. The released
side is what the paper calls de-identified, the auxiliary side identified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.attacks.likely_trail import match_likely
from trailprint.attacks.options import Algorithm, Reserved, TrailOptions
from trailprint.attacks.trail_facts import TrailFacts
from trailprint.errors import InputError, OptionError
from trailprint.features.trails import Trails
from trailprint.kernels.csr import label_equal_rows
from trailprint.kernels.trails.containment import (
    Tracks,
    build_tracks,
    count_supertrails,
    first_two_supertrails,
    link_single_supertrails,
)
from trailprint.kernels.trails.peeling import peel
from trailprint.linkage import Linkage, Ranks
from trailprint.plain import to_plain


class _Tracks:
    """Both sides and their containments, computed once for each direction."""

    def __init__(self, released: Trails, auxiliary: Trails, n_threads: int | None = None) -> None:
        self.released, self.auxiliary, self.n_threads = released, auxiliary, n_threads
        self.labels = _equal_trails(released, auxiliary)
        self._found: dict[str, tuple[Tracks, Ints]] = {}

    def sides(self, reserved: Reserved) -> tuple[Trails, Trails]:
        """Return the reserved side, whose trails are contained in the other's, and the other."""
        if reserved == "auxiliary":
            return self.auxiliary, self.released
        return self.released, self.auxiliary

    def supertrails(self, reserved: Reserved) -> tuple[Tracks, Ints]:
        """Return the tracks of a direction, and each subtrail's first two supertrails."""
        if reserved not in self._found:
            tracks = _build(*self.sides(reserved))
            self._found[reserved] = tracks, first_two_supertrails(tracks, self.n_threads)
        return self._found[reserved]

    def allow(self, reserved: Reserved) -> bool:
        """
        Whether the tracks are consistent with a release tactic, judged without ground truth.

        Unreserved releases give both sides the same trails, which is consistent with every tactic.
        If one side is reserved to the other, no place lists more records of it, it has no more
        records in total, and each of its trails is contained in one of the other's.
        """
        is_unreserved = np.array_equal(np.sort(self.labels[0]), np.sort(self.labels[1]))
        if is_unreserved or reserved == "none":
            return bool(is_unreserved)
        sub, sup = self.sides(reserved)
        n_sub, n_sup = np.count_nonzero(sub.lengths), np.count_nonzero(sup.lengths)
        if n_sub > n_sup or (sub.visitors > sup.visitors).any():
            return False
        return self.n_orphans(reserved) == 0

    def n_orphans(self, reserved: Reserved) -> int:
        """Count the trails of the reserved side that are contained in none of the other's."""
        tracks, places = self.supertrails(reserved)
        return int(np.count_nonzero((places[:, 0] < 0) & (np.diff(tracks.sub_ptr) > 0)))


def check_tactics(
    released: Trails, auxiliary: Trails, n_threads: int | None = None
) -> dict[str, bool]:
    """Return which release tactics are consistent with the tracks: no or either side reserved."""
    tracks = _Tracks(released, auxiliary, n_threads)
    return {reserved: tracks.allow(reserved) for reserved in get_args(Reserved)}


def match_trails(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions | None = None,
    *,
    location_weights: Floats | None = None,
    n_threads: int | None = None,
) -> Linkage:
    """
    Link released to auxiliary records by their trails; null trails are never linked.

    Both sides must have the same list of locations. ``facts["contradicted"]`` says whether the
    data rules out the assumed release tactic, under which no link can be wrong. If it does not,
    only ground truth could confirm the tactic. Only ``likely`` takes ``location_weights``.
    """
    options = options or TrailOptions()
    if released.locations != auxiliary.locations:
        raise InputError("Both sides must have the same locations.")
    if options.is_likely:
        return match_likely(released, auxiliary, options, location_weights)
    if location_weights is not None:
        raise OptionError(
            "--location-weights goes with --algorithm likely: sets either contain each other or "
            "do not, whatever a location weighs.",
            option="location-weights",
        )
    tracks = _Tracks(released, auxiliary, n_threads)
    reserved = _choose_reserved(options, tracks)
    algorithm = _choose_algorithm(options, reserved)
    rows, columns, n_orphans = _link(tracks, algorithm, reserved)
    order = np.argsort(rows, kind="stable")
    n_links = len(rows)
    return Linkage(
        released=rows[order],
        auxiliary=columns[order],
        weight=np.zeros(n_links),
        confidence=np.ones(n_links),
        confidence_is_least=np.zeros(n_links, dtype=bool),
        n_released=released.n_users - released.n_null,
        n_auxiliary=auxiliary.n_users - auxiliary.n_null,
        rank=_ranker(released, auxiliary, reserved, n_threads),
        facts=to_plain(
            TrailFacts(
                algorithm=algorithm,
                reserved=reserved,
                contradicted=not tracks.allow(reserved) or n_orphans > 0,
                trails_without_counterpart=n_orphans,
                upper_bound=upper_bound(auxiliary, algorithm),
            )
        ),
    )


def _choose_reserved(options: TrailOptions, tracks: _Tracks) -> Reserved:
    if options.reserved != "auto" and options.reserved != "both":
        return options.reserved
    wanted: tuple[Reserved, ...] = ("none", "auxiliary", "released")
    if options.algorithm in ("incomplete", "multiple"):
        wanted = ("auxiliary", "released")
    elif options.algorithm == "complete":
        wanted = ("none",)
    return next((tactic for tactic in wanted if tracks.allow(tactic)), wanted[0])


def _choose_algorithm(options: TrailOptions, reserved: Reserved) -> Algorithm:
    if options.algorithm != "auto":
        return options.algorithm
    return "complete" if reserved == "none" else "incomplete"


def _link(tracks: _Tracks, algorithm: Algorithm, reserved: Reserved) -> tuple[Ints, Ints, int]:
    """Return rows, columns and the number of trails left without a possible counterpart."""
    if algorithm == "complete":
        return _link_equal(*tracks.labels)
    found, places = tracks.supertrails(reserved)
    if algorithm == "multiple":
        link, n_orphans = link_single_supertrails(found, places), tracks.n_orphans(reserved)
    else:
        n_sub, n_sup = (np.count_nonzero(side.lengths) for side in tracks.sides(reserved))
        peeled = peel(found, places, both_ways=bool(n_sub == n_sup))
        link, n_orphans = peeled.link, int(np.count_nonzero(peeled.orphan))
    own = np.flatnonzero(link >= 0).astype(np.int64)
    if reserved == "auxiliary":
        return link[own], own, n_orphans
    return own, link[own], n_orphans


def _link_equal(labels: Ints, other: Ints) -> tuple[Ints, Ints, int]:
    """REIDIT-C: link equal trails that are unique on both sides."""
    n_labels = int(max(labels.max(initial=0), other.max(initial=0))) + 1
    counts = [np.bincount(side[side >= 0], minlength=n_labels) for side in (labels, other)]
    single = (counts[0] == 1) & (counts[1] == 1)
    place = np.full(n_labels, -1, dtype=np.int64)
    place[other[other >= 0]] = np.flatnonzero(other >= 0)
    rows = np.flatnonzero((labels >= 0) & single[labels]).astype(np.int64)
    n_orphans = int(counts[0][counts[1] == 0].sum() + counts[1][counts[0] == 0].sum())
    return rows, place[labels[rows]], n_orphans


def _equal_trails(released: Trails, auxiliary: Trails) -> tuple[Ints, Ints]:
    """Label each trail with a number for its distinct value, -1 for null trails."""
    indptr = np.concatenate([released.indptr, released.indptr[-1] + auxiliary.indptr[1:]]).astype(
        np.int64
    )
    indices = np.concatenate([released.indices, auxiliary.indices])
    labels = label_equal_rows(indptr, indices, np.ones(len(indices)))
    return labels[: released.n_users], labels[released.n_users :]


def _build(sub: Trails, sup: Trails) -> Tracks:
    return build_tracks((sub.indptr, sub.indices), (sup.indptr, sup.indices), len(sub.locations))


def upper_bound(auxiliary: Trails, algorithm: Algorithm) -> int:
    """Return the maximum number of possible re-identifications (section 3.4)."""
    n_auxiliary = auxiliary.n_users - auxiliary.n_null
    n_locations = int(np.count_nonzero(auxiliary.visitors))
    if algorithm == "multiple" or n_locations >= n_auxiliary.bit_length():
        return n_auxiliary
    return min(n_auxiliary, (1 << n_locations) - 1)


def _ranker(
    released: Trails, auxiliary: Trails, reserved: Reserved, n_threads: int | None
) -> Callable[[Ints, Ints], Ranks]:
    """Return a rank function: trails that fit are all tied, the others rank after them."""

    def rank(rows: Ints, columns: Ints) -> Ranks:
        sides: tuple[Any, ...] = (auxiliary, released, columns, rows)
        if reserved == "released":
            sides = (released, auxiliary, rows, columns)
        sub, sup, own, other = sides
        n_fitting, fits = count_supertrails(_build(sub, sup), own, other, n_threads)
        n_candidates = sup.n_users - sup.n_null
        return Ranks(
            n_better=np.where(fits, 0, n_fitting),
            n_tied=np.where(fits, n_fitting, n_candidates - n_fitting),
        )

    return rank
