"""Micro-aggregate: k-anonymous histograms, groups replaced by their mean (2016 paper, V-B)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

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
    double_up,
)

Norm = Literal["l1", "l2"]
Method = Literal["group-selection", "mdav"]

#: Up to this many users MDAV's groups are refined as well: the loss is never more than theirs.
BOTH_STARTS = 20_000
#: Offers of groups kept at a time: with more, groups start from MDAV, which keeps none.
MOST_OFFERS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregate(HistogramProtection):
    """
    Replace each user's histogram by the mean of a group of at least ``k`` similar ones.

    Attributes
    ----------
    k : int
        Every released row is the same as at least k - 1 others.
    norm : {"l1", "l2"}
        How distortion is measured: sums of absolute or of squared differences to the mean.
    method : {"group-selection", "mdav"}
        Groups selected one after another and refined, or the field's baseline.
    """

    name: ClassVar[str] = "microaggregate"
    summary: ClassVar[str] = "groups of k or more users replaced by their mean histogram"
    monotone: ClassVar[Mapping[str, int]] = {"k": 1}
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

    def __post_init__(self) -> None:
        if self.k < 1:
            raise OptionError(f"k must be at least 1 user, got {self.k!r}. Try k=5.")
        for name, allowed in (("norm", get_args(Norm)), ("method", get_args(Method))):
            if getattr(self, name) not in allowed:
                raise OptionError(
                    f"{name} must be one of {', '.join(allowed)}, got {getattr(self, name)!r}."
                )

    def label(self) -> str:
        """How large groups are."""
        return f"Averages of groups of {self.k}"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[int]:
        """Groups of which there are at least two."""
        return [k for k in (2, 5, 10, 20) if 2 * k <= data.n_users]

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[int]:
        """Twice as large groups again and again, as long as there are two."""
        return double_up(20, data.n_users // 2)

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int:
        """Groups of one."""
        return 1

    def seconds(self, n_users: int, n_visited: int) -> float:
        """People put into groups of the most alike; larger groups are refined for longer."""
        return 0.005 + 5e-7 * math.pow(self.k, 0.8) * math.pow(n_users * n_visited, 0.75)

    def change(
        self, histograms: Histograms, seed: Seed, *, n_threads: int | None = None
    ) -> HistogramChange:
        """Group, average and check; users without data are left out."""
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
        """Groups as they are, and the guarantee as it is found in what is released."""
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
            f"got {len(histograms.slots)} slots instead. Leave out --slots."
        )
    if not histograms.n_users:
        raise InputError("At least one user must have events, but none has.")


def _rows(histograms: Histograms, norm: Norm) -> Rows:
    own = histograms.probabilities()
    code = L1 if norm == "l1" else L2
    return build_rows(own.indptr, own.indices, own.data, own.shape[1], code)


def find_groups(rows: Rows, k: int, method: Method, n_threads: int | None = None) -> Ints:
    """
    A group for each row, numbered from zero, each of at least k rows.

    Group selection keeps the better of its refined starts; with few users it also refines
    MDAV's groups, so that it is never worse than these.
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
    """Groups of one start, refined. Refining one takes one thread, so that two go at once."""
    from trailprint.kernels.grouping.refinement import refine_groups

    group = group_by_mdav(rows, k) if start == "mdav" else select_groups(rows, k, n_threads)
    return refine_groups(rows, group, k, n_threads)


def total_distortion(rows: Rows, group: Ints) -> float:
    """The sum over all rows of the distance to their group's mean."""
    return float(group_distortions(rows, group).sum())


def grouping_loss(rows: Rows, group: Ints) -> float:
    """L of the paper's (11) in the norm of ``rows``: 0 ungrouped, 1 in one group."""
    return relative_loss(total_distortion(rows, group), float(distances_to_mean(rows).sum()))


def _replace_by_means(rows: Rows, group: Ints) -> sparse.csr_array:
    """Each row's group mean: the very same numbers for each of its rows."""
    if len(np.unique(group)) == rows.n_rows:
        shape = (rows.n_rows, rows.n_columns)
        return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape)
    means = mean_rows(rows, group)
    shape = (means.n_rows, rows.n_columns)
    return sparse.csr_array((means.data, means.indices, means.indptr), shape=shape)[group]


def equal_rows(matrix: sparse.csr_array) -> Ints:
    """A number from zero for each row, the same for rows that are the same."""
    labels: Ints = label_equal_rows(matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
    labels[labels < 0] = labels.max(initial=-1) + 1
    return labels
