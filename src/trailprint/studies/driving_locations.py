"""Which locations drive re-identification, and who can be found by a single location."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.attacks.trail import match_trails
from trailprint.attacks.trail_facts import read_variant
from trailprint.display.discreet import Discreet
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import Trails, trails_of
from trailprint.kernels.matching.metrics import LOG_SUM, METRICS, TWICE_MINIMUM, x_log_x
from trailprint.linkage import Linkage
from trailprint.studies.findings import LocationFinding, RareLocation, Why
from trailprint.studies.small_counts import SMALL, hide_change, hide_small, is_close

_RARE = (
    "People who alone visit some location, on both sides: anyone who knows that they go there has "
    "found their record, without any other knowledge."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrivingLocations(Discreet):
    """
    How much each location contributes to correct links.

    Attributes
    ----------
    contribution : ndarray of float64
        Share of each location in the gain of all correct links; sums to one, or to zero if no
        link is correct.
    visitors : ndarray of int64
        Number of released users seen at each location.
    names : list of str
        Names of the locations (sensitive).
    n_rare, n_people : int
        Number of people who can be found by one location alone, and of all people on both sides.
    n_users : int
        Number of released users.
    """

    contribution: Floats
    visitors: Ints
    names: list[str]
    n_rare: int
    n_people: int
    n_users: int

    def top(self, n_locations: int = 20) -> Ints:
        """Return the locations that contribute most; ties are ordered by location number."""
        order = np.argsort(-self.contribution, kind="stable")[:n_locations]
        return order[self.contribution[order] > 0]

    def to_finding(
        self,
        n_locations: int = 20,
        *,
        named: bool = False,
        small: int = SMALL,
        changes: Floats | None = None,
        n_linked: int = 0,
    ) -> Why:
        """
        Return the top locations for publication.

        Locations are numbered unless ``named``. Counts below ``small`` are masked, including
        changes and differences from the total. ``changes`` are the `trail_changes` of
        ``top(n_locations)``, and ``n_linked`` people were linked with all locations.
        """
        top = self.top(n_locations)
        locations = tuple(
            LocationFinding(
                label=self.names[k] if named else f"Location {place + 1}",
                users=hide_small(int(self.visitors[k]), small, of=self.n_users),
                contribution=float(self.contribution[k]),
                leave_one_out=None
                if changes is None
                else hide_change(float(changes[place]), n_linked, self.n_people, small),
            )
            for place, k in enumerate(top)
        )
        rare = self._count_rare(small)
        return Why(locations=locations, one_rare_location=rare, reading=self._read(top))

    def _count_rare(self, small: int) -> RareLocation:
        is_shown = self.n_people and not is_close(self.n_rare, self.n_people, small)
        return RareLocation(
            people=hide_small(self.n_rare, small, of=self.n_people),
            share=self.n_rare / self.n_people if is_shown else None,
            meaning=_RARE,
        )

    def _read(self, top: Ints) -> str:
        if not len(top):
            return "No link is correct, so that no location can be held responsible."
        covered = np.cumsum(np.sort(self.contribution)[::-1])
        n_half = int(np.searchsorted(covered, 0.5 - 1e-12)) + 1
        n_there = int(np.count_nonzero(self.contribution))
        return (
            f"The location that says most makes up {self.contribution[top[0]]:.1%} of what correct "
            f"links rest on. Half of it comes from {n_half:,} of {n_there:,} locations"
            f"{', so that hiding a few places would change little' if n_half > 20 else ''}."
        )


def find_driving_locations(
    released: Histograms,
    auxiliary: Histograms,
    linkage: Linkage,
    truth: Truth,
    *,
    metric: str = "jensen-shannon",
) -> DrivingLocations:
    """
    Attribute the gain of correct links to locations.

    The gain of a link is a sum over the locations that both histograms visit (`METRICS`), so each
    location has its share; time slots of one location are added up. Terms of a metric that depend
    only on totals belong to no location and are left out.

    A person can be found by one rare location alone if they are the only released user who visits
    it and their counterpart is the only auxiliary user who does.
    """
    right = correct_links(linkage, truth)
    gain = _gain_by_column(
        (released, auxiliary), (linkage.released[right], linkage.auxiliary[right]), metric
    )
    n_locations = len(released.locations)
    by_location = gain.reshape(-1, n_locations).sum(axis=0) if n_locations else gain
    total = float(by_location.sum())
    trails = trails_of(released), trails_of(auxiliary)
    return DrivingLocations(
        contribution=by_location / total if total > 0 else by_location,
        visitors=trails[0].visitors,
        names=released.locations.to_pylist(),
        n_rare=_count_alone(*trails, truth),
        n_people=truth.n_common,
        n_users=trails[0].n_users,
    )


def _gain_by_column(
    sides: tuple[Histograms, Histograms], links: tuple[Ints, Ints], metric: str
) -> Floats:
    """The gain of some links, summed by column of the histograms."""
    kind = METRICS[metric]
    matrices = [side.scaled(kind.scaling)[rows] for side, rows in zip(sides, links, strict=True)]
    width = matrices[0].shape[1]
    keys = [
        np.repeat(np.arange(m.shape[0]), np.diff(m.indptr)) * width + m.indices for m in matrices
    ]
    shared, first, second = np.intersect1d(
        keys[0], keys[1], assume_unique=True, return_indices=True
    )
    terms = _terms(kind.term, matrices[0].data[first], matrices[1].data[second])
    by_column = np.bincount(shared % max(width, 1), weights=terms, minlength=width)
    # Without shared entries numpy.bincount returns integers.
    return by_column.astype(np.float64)


def _terms(term: int, p: Floats, q: Floats) -> Floats:
    """Term of each shared location in a gain; equals the kernels' `term_value`."""
    if term == LOG_SUM:
        return x_log_x(p + q) - x_log_x(p) - x_log_x(q)
    if term == TWICE_MINIMUM:
        return 2.0 * np.minimum(p, q)
    return p * q


def _count_alone(released: Trails, auxiliary: Trails, truth: Truth) -> int:
    """Count the people who are the only visitor of some location on both sides."""
    single = (released.visitors == 1) & (auxiliary.visitors == 1)
    visitor = [_only_visitor(side) for side in (released, auxiliary)]
    rows, columns = visitor[0][single], visitor[1][single]
    return len(np.unique(rows[truth.holds(rows, columns)]))


def _only_visitor(trails: Trails) -> Ints:
    """One visitor of each location, -1 if there is none; meaningful for single visitors."""
    visitor = np.full(len(trails.locations), -1, dtype=np.int64)
    visitor[trails.indices] = np.repeat(np.arange(trails.n_users), trails.lengths)
    return visitor


def trail_changes(
    released: Trails,
    auxiliary: Trails,
    linkage: Linkage,
    truth: Truth,
    locations: Ints,
    *,
    n_threads: int | None = None,
) -> Floats:
    """
    Change of the share of people re-identified by trails when each location is left out.

    ``linkage`` is the result of `match_trails` with all locations; its algorithm and reserved side
    are kept. Each location costs one run, so pass only a few; `trail_sensitivity.leave_one_out`
    does all of them at once.
    """
    options = read_variant(linkage).to_options()
    n_before = np.count_nonzero(correct_links(linkage, truth))
    n_after = []
    for location in locations:
        kept = np.arange(len(auxiliary.locations)) != location
        found = match_trails(released.at(kept), auxiliary.at(kept), options, n_threads=n_threads)
        n_after.append(np.count_nonzero(correct_links(found, truth)))
    changes: Floats = (np.array(n_after, dtype=np.float64) - n_before) / max(truth.n_common, 1)
    return changes
