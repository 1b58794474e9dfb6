"""Micro-aggregation: k-anonymous histograms by replacing groups by means (2016 paper, V-B)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.errors import InputError, OptionError
from trailprint.features.histograms import Histograms
from trailprint.kernels.csr import label_equal_rows
from trailprint.kernels.distances.sparse_rows import (
    L1,
    L2,
    Rows,
    build_rows,
    distances_to_mean,
    group_distortions,
    mean_rows,
)
from trailprint.kernels.grouping.selection import group_by_mdav, select_groups
from trailprint.kernels.threads import run_together
from trailprint.protections.loss import relative_loss
from trailprint.protections.protection import (
    AuditedData,
    HistogramChange,
    HistogramProtection,
    Seed,
    Unit,
    double_up,
)

Norm = Literal["l1", "l2"]
Method = Literal["group-selection", "mdav"]

#: Up to this many users, MDAV's groups are refined too, so that the loss never exceeds MDAV's.
BOTH_STARTS = 20_000
#: Most members of candidate groups kept at a time (users × k); beyond this, only MDAV is used,
#: which keeps no candidates.
MOST_OFFERS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregate(HistogramProtection):
    """
    Replace each user's histogram by the mean of a group of at least ``k`` similar ones.

    Attributes
    ----------
    k : int
        Group size: every released row equals at least k - 1 others.
    norm : {"l1", "l2"}
        Measure of distortion: the sum of absolute or of squared differences to the mean.
    method : {"group-selection", "mdav"}
        Greedy selection of groups with refinement, or MDAV, the standard baseline.
    """

    name: ClassVar[str] = "microaggregate"
    summary: ClassVar[str] = "groups of k or more users replaced by their mean histogram"
    monotone: ClassVar[Mapping[str, int]] = {"k": 1}
    units: ClassVar[Mapping[str, Unit]] = {"k": "people"}
    is_compiled_ahead: ClassVar[bool] = True
    fact_titles: ClassVar[Mapping[str, str]] = {
        "k": "k",
        "groups": "groups",
        "smallest_group": "smallest group",
    }
    audited: ClassVar[str | None] = "k"
    audit_rank: ClassVar[int] = 1

    k: int = 5
    norm: Norm = "l1"
    method: Method = "group-selection"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if self.k < 1:
            raise OptionError(f"k must be at least 1 user, got {self.k!r}. Try k=5.")

    def label(self) -> str:
        """The group size, as text."""
        return f"Averages of groups of {self.k}"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[int]:
        """Group sizes that leave at least two groups."""
        return [k for k in (2, 5, 10, 20) if 2 * k <= data.n_users]

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[int]:
        """Group sizes doubled repeatedly, as long as there are two groups."""
        return double_up(20, data.n_users // 2)

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int:
        """Groups of one user."""
        return 1

    def seconds(self, n_users: int, n_visited: int) -> float:
        """Estimated seconds of grouping; larger groups take longer to refine."""
        return 0.005 + 5e-7 * math.pow(self.k, 0.8) * math.pow(n_users * n_visited, 0.75)

    def change(
        self, histograms: Histograms, seed: Seed, *, n_threads: int | None = None
    ) -> HistogramChange:
        """Group users, average and check the result; users without data are left out."""
        _check_one_slot(histograms)
        kept = np.flatnonzero(np.diff(histograms.matrix.indptr) > 0).astype(np.int64)
        some = histograms.select(kept)
        if self.k > some.n_users:
            raise OptionError(
                f"k must be at most the number of users, {some.n_users:,}, got {self.k:,}. "
                "Choose a smaller k."
            )
        rows = _rows(some, self.norm)
        group = find_groups(rows, self.k, self.method, n_threads)
        released = Histograms(
            matrix=_replace_by_means(rows, group),
            users=some.users,
            locations=some.locations,
            slots=some.slots,
        )
        return HistogramChange(histograms=released, facts=self._facts(rows, group, released))

    def _facts(self, rows: Rows, group: Ints, released: Histograms) -> dict[str, Any]:
        """Facts about the groups, and the guarantee, measured on the released data."""
        smallest = int(np.bincount(equal_rows(released.matrix)).min())
        if smallest < self.k:
            raise RuntimeError("micro-aggregation must leave k equal rows, but some have fewer")
        n_groups = int(group.max()) + 1
        return {
            "k": self.k,
            "groups": n_groups,
            "groups_per_user": n_groups / rows.n_rows,
            "smallest_group": smallest,
            "grouping_loss": grouping_loss(rows, group),
        }


def _check_one_slot(histograms: Histograms) -> None:
    if len(histograms.slots) > 1:
        raise OptionError(
            "Micro-aggregation takes one histogram for each user, "
            f"got {len(histograms.slots)} slots instead. Leave out --slots.",
            option="slots",
        )
    if not histograms.n_users:
        raise InputError("At least one user must have events, but none has.")


def _rows(histograms: Histograms, norm: Norm) -> Rows:
    own = histograms.probabilities()
    code = L1 if norm == "l1" else L2
    return build_rows(own.indptr, own.indices, own.data, own.shape[1], code)


def find_groups(rows: Rows, k: int, method: Method, n_threads: int | None = None) -> Ints:
    """
    Group number of each row, from zero; each group has at least k rows.

    Group selection refines several initial groupings and keeps the best; with few users, MDAV's is
    among them, so that the result is never worse than MDAV's.
    """
    if k == 1:
        return np.arange(rows.n_rows)
    if method == "mdav":
        return group_by_mdav(rows, k)
    starts: list[Method] = []
    if rows.n_rows * k <= MOST_OFFERS:
        starts.append("group-selection")
    if not starts or rows.n_rows <= BOTH_STARTS:
        starts.append("mdav")
    jobs = [(rows, k, start, n_threads) for start in starts]
    refined = run_together(_refine_from, jobs, n_threads)
    return min(refined, key=lambda group: total_distortion(rows, group))


def _refine_from(rows: Rows, k: int, start: Method, n_threads: int | None) -> Ints:
    """Groups from one initial grouping, refined. Refinement uses one thread, so two run at once."""
    from trailprint.kernels.grouping.refinement import refine_groups

    group = group_by_mdav(rows, k) if start == "mdav" else select_groups(rows, k, n_threads)
    return refine_groups(rows, group, k, n_threads)


def total_distortion(rows: Rows, group: Ints) -> float:
    """Sum over all rows of the distance to their group's mean."""
    return float(group_distortions(rows, group).sum())


def grouping_loss(rows: Rows, group: Ints) -> float:
    """L of equation (11) in the norm of ``rows``: 0 ungrouped, 1 for a single group."""
    return relative_loss(total_distortion(rows, group), float(distances_to_mean(rows).sum()))


def _replace_by_means(rows: Rows, group: Ints) -> sparse.csr_array:
    """Each row's group mean, bit-identical for all rows of a group."""
    if len(np.unique(group)) == rows.n_rows:
        shape = (rows.n_rows, rows.n_columns)
        return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape)
    means = mean_rows(rows, group)
    shape = (means.n_rows, rows.n_columns)
    return sparse.csr_array((means.data, means.indices, means.indptr), shape=shape)[group]


def equal_rows(matrix: sparse.csr_array) -> Ints:
    """A label from zero for each row; equal rows have equal labels."""
    labels: Ints = label_equal_rows(matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
    labels[labels < 0] = labels.max(initial=-1) + 1
    return labels
