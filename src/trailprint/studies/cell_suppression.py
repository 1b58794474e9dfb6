"""
Cell suppression: which counts of people can be published without revealing small ones.

Counts are sums over atoms: disjoint groups of people whose sizes are not published. A reader who
knows which atoms each count sums up can set up the equations and compute the bounds of a masked
count. This module computes the same bounds before publication and hides every count that would
narrow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from trailprint.studies.small_counts import SMALL, is_small

Label = Literal["shown", "few", "hidden"]
Role = Literal["size", "total", "cell", "unpublished"]
Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedCounts:
    """
    Counts of people to be published together.

    Attributes
    ----------
    sums : ndarray of float64, shape (cells, atoms)
        One where a cell counts the people of an atom, else zero.
    values : sequence of int
        Number of people in each cell.
    roles : sequence of {"size", "total", "cell", "unpublished"}
        Sizes of the data are always shown. Totals are shown unless they are small themselves,
        whatever follows from them. Small unpublished cells must not be inferable either.
    """

    sums: Rows
    values: Sequence[int]
    roles: Sequence[Role]


def choose_labels(cells: PublishedCounts, small: int = SMALL) -> list[Label]:
    """
    Choose for each cell whether it is shown, replaced by "few", or hidden.

    A small cell becomes "few", or is hidden if that label alone would reveal its value. All other
    cells start hidden and are shown one by one, in order, as long as no small count gets tighter
    bounds. Cells that follow from the totals alone are shown: masking them would not help.
    """
    try:
        return _choose(_Reader(cells, small), cells, small)
    except _UnsolvedError:
        # Too hard for the solver: show only what is safe without a proof.
        return _label_at_least(cells, small)


def _label_at_least(cells: PublishedCounts, small: int) -> list[Label]:
    return [
        "shown" if role == "size" or (role == "total" and not is_small(value, small)) else "hidden"
        for value, role in zip(cells.values, cells.roles, strict=True)
    ]


def _choose(reader: _Reader, cells: PublishedCounts, small: int) -> list[Label]:
    known = {j for j in range(len(cells.values)) if reader.is_known(j)}
    guarded = [j for j, n in enumerate(cells.values) if is_small(n, small) and j not in known]
    if not guarded:
        return ["shown"] * len(cells.values)
    labels: list[Label] = ["shown" if j in known else "hidden" for j in range(len(cells.values))]
    for j in guarded:
        labels[j] = "hidden" if cells.roles[j] == "unpublished" else "few"
    _hide_what_few_gives_away(reader, labels, guarded)
    return _show_what_is_safe(reader, labels, guarded)


def _hide_what_few_gives_away(reader: _Reader, labels: list[Label], guarded: Sequence[int]) -> None:
    """Hide cells labelled "few" for which only one small value is possible."""
    for _ in guarded:
        given_away = [j for j in guarded if labels[j] == "few" and reader.is_bound(j, labels)]
        if not given_away:
            return
        # From now on a hidden cell may also be small, so the label reveals nothing.
        reader.is_hidden_any = True
        for j in given_away:
            labels[j] = "hidden"


def _show_what_is_safe(reader: _Reader, labels: list[Label], guarded: Sequence[int]) -> list[Label]:
    goals = [goal for j in guarded for goal in reader.list_goals(j, labels)]
    for j, label in enumerate(labels):
        if label != "hidden" or j in guarded or reader.is_unpublished(j):
            continue
        tried: list[Label] = [*labels[:j], "shown", *labels[j + 1 :]]
        if reader.follows(j, labels) or _are_all_reached(reader, goals, tried):
            labels = tried
    return labels


def _are_all_reached(reader: _Reader, goals: list[_Goal], labels: Sequence[Label]) -> bool:
    for place, goal in enumerate(goals):
        if not reader.can_reach(goal, labels):
            # A goal that fails once often fails again: check it first next time.
            goals.insert(0, goals.pop(place))
            return False
    return True


class _Goal(NamedTuple):
    """A range of values of which at least one must stay possible for a cell."""

    cell: int
    low: float
    high: float


class _UnsolvedError(Exception):
    """The solver found no solution, although the true counts satisfy all constraints."""


class _Reader:
    """A reader who knows what each cell counts and infers the masked values."""

    def __init__(self, cells: PublishedCounts, small: int) -> None:
        self._cells, self._small = cells, small
        sizes = [n for n, role in zip(cells.values, cells.roles, strict=True) if role == "size"]
        self._most = sum(sizes) or sum(cells.values)
        self._witnesses: list[Rows] = []
        self.is_hidden_any = False

    def is_unpublished(self, cell: int) -> bool:
        """Whether a cell is not published at all."""
        return self._cells.roles[cell] == "unpublished"

    def is_known(self, cell: int) -> bool:
        """Whether a cell is a total that is shown, or follows from such totals."""
        labels = _label_at_least(self._cells, self._small)
        if self.follows(cell, labels):
            return True
        if not is_small(self._cells.values[cell], self._small):
            return False
        return self._has_one_value(cell, labels, gaps=[])

    def follows(self, cell: int, labels: Sequence[Label]) -> bool:
        """Whether a cell is a linear combination of cells that are shown."""
        told = self._cells.sums[[label == "shown" for label in labels]]
        more = np.vstack([told, self._cells.sums[cell]])
        return (
            bool(np.linalg.matrix_rank(more) == np.linalg.matrix_rank(told)) if len(told) else False
        )

    def is_bound(self, cell: int, labels: Sequence[Label]) -> bool:
        """Whether only one value is possible for a cell."""
        return self._has_one_value(cell, labels, self._gaps(labels))

    def _has_one_value(self, cell: int, labels: Sequence[Label], gaps: Sequence[int]) -> bool:
        # Solutions found before usually include two values, and calling the solver is slow.
        if len(set(self._values_found(cell, labels, gaps))) > 1:
            return False
        least = self._least(cell, labels, gaps)
        if any(value != least for value in self._values_found(cell, labels, gaps)):
            return False
        return least == self._most_of(cell, labels, gaps)

    def _values_found(self, cell: int, labels: Sequence[Label], gaps: Sequence[int]) -> list[float]:
        """Values of a cell in the solutions found so far that fit the labels."""
        row = self._cells.sums[cell]
        return [float(row @ x) for x in self._witnesses if self._fits(x, labels, gaps)]

    def list_goals(self, cell: int, labels: Sequence[Label]) -> list[_Goal]:
        """
        List the goals of a small cell: both ends of its current range must stay possible.

        It may become known that the cell is not empty; values that are not small are not protected.
        """
        gaps = self._gaps(labels)
        found = self._values_found(cell, labels, gaps)
        high = float(self._small - 1)
        if max(found, default=0.0) < high:
            high = min(high, self._most_of(cell, labels, gaps))
            found = self._values_found(cell, labels, gaps)
        is_least_one = high > 1 and min(found, default=2.0) <= 1
        low = 1 if is_least_one else self._least(cell, labels, gaps)
        return [_Goal(cell, 0, max(low, 1) if high > 1 else low), _Goal(cell, high, np.inf)]

    def can_reach(self, goal: _Goal, labels: Sequence[Label]) -> bool:
        """Whether some assignment of counts to atoms fits the labels and the goal."""
        row = self._cells.sums[goal.cell]
        fitting = (x for x in self._witnesses if goal.low <= row @ x <= goal.high)
        gaps = self._gaps(labels)
        if any(self._fits(x, labels, gaps) for x in fitting):
            return True
        wide = np.concatenate([row, np.zeros(len(gaps))])
        extra = LinearConstraint(wide, goal.low, goal.high)
        return self._solve(0.0 * row, labels, gaps, extra) is not None

    def _fits(self, atoms: Rows, labels: Sequence[Label], gaps: Sequence[int]) -> bool:
        """Whether a solution found before fits the current labels."""
        counts, values = self._cells.sums @ atoms, np.array(self._cells.values)
        told = [j for j, label in enumerate(labels) if label == "shown"]
        few = [j for j, label in enumerate(labels) if label == "few"]
        apart = counts[list(gaps)]
        return bool(
            (counts[told] == values[told]).all()
            and ((counts[few] >= 1) & (counts[few] < self._small)).all()
            and ((apart == 0) | (apart >= self._small)).all()
        )

    def _gaps(self, labels: Sequence[Label]) -> list[int]:
        """
        Hidden cells that must be zero or at least ``small``, because they are not labelled "few".

        "Few" means at least one and fewer than ``small``. Once small cells may be hidden too,
        nothing follows from a hidden cell, and the list is empty.
        """
        hidden = [j for j, label in enumerate(labels) if label == "hidden"]
        return [] if self.is_hidden_any else [j for j in hidden if not self.is_unpublished(j)]

    def _least(self, cell: int, labels: Sequence[Label], gaps: Sequence[int]) -> int:
        """Lower bound of a cell, given the labels."""
        return self._end(cell, 1.0, labels, gaps)

    def _most_of(self, cell: int, labels: Sequence[Label], gaps: Sequence[int]) -> int:
        """Upper bound of a cell, given the labels."""
        return self._end(cell, -1.0, labels, gaps)

    def _end(self, cell: int, sign: float, labels: Sequence[Label], gaps: Sequence[int]) -> int:
        row = self._cells.sums[cell]
        found = self._solve(sign * row, labels, gaps)
        if found is None:
            raise _UnsolvedError
        return round(float(row @ found))

    def _solve(
        self,
        goal: Rows,
        labels: Sequence[Label],
        gaps: Sequence[int],
        *extra: LinearConstraint,
    ) -> Rows | None:
        """Minimise ``goal`` over the counts of atoms that fit the labels; None if none fit."""
        n_atoms, n_gaps = self._cells.sums.shape[1], len(gaps)
        found = milp(
            np.concatenate([goal, np.zeros(n_gaps)]),
            constraints=[*self._constraints(labels, gaps), *extra],
            integrality=np.ones(n_atoms + n_gaps),
            bounds=Bounds(0, np.concatenate([np.full(n_atoms, self._most), np.ones(n_gaps)])),
        )
        if found.x is None:
            return None
        atoms: Rows = np.round(found.x[:n_atoms])
        self._witnesses.append(atoms)
        return atoms

    def _constraints(self, labels: Sequence[Label], gaps: Sequence[int]) -> list[LinearConstraint]:
        """Shown cells as equations, "few" as bounds, and a binary variable for each gap."""
        sums, values = self._cells.sums, np.array(self._cells.values)
        told = [j for j, label in enumerate(labels) if label == "shown"]
        few = [j for j, label in enumerate(labels) if label == "few"]
        wide = np.hstack([sums, np.zeros((len(sums), len(gaps)))])
        switch = np.zeros((len(gaps), wide.shape[1]))
        switch[np.arange(len(gaps)), sums.shape[1] + np.arange(len(gaps))] = 1.0
        rows = [
            (wide[told], values[told], values[told]),
            (wide[few], 1, self._small - 1),
            (wide[gaps] - self._small * switch, 0, np.inf),
            (wide[gaps] - self._most * switch, -np.inf, 0),
        ]
        return [LinearConstraint(a, low, high) for a, low, high in rows if len(a)]
