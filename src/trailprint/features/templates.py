"""
Association activity templates: sequences as input of a linear-chain CRF (2011 paper, 5.1).

A template is one day of one user. Each of its records has a label, the location, and six features:
duration, weekday, four-hour slot, previous, next-to-previous and next location (the paper's
Table 1). All are whole numbers here; ``attributes`` writes them as text for CRFsuite.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError
from trailprint.features.options import DURATION_EDGES_S, check_edges
from trailprint.features.sequences import NA, Sequences

Codes = NDArray[np.int32]

#: Letters for duration, weekday, slot, previous, next-to-previous and next.
LETTERS = "dwspqn"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Templates(Discreet):
    """
    Records by day, sorted by user and day, as small integers.

    Attributes
    ----------
    label : ndarray of int32, per record
        Its location: a number below ``n_labels``, or ``n_labels`` for any that is never released.
    context : ndarray of int32, (records, 6)
        Duration class, weekday, slot, and the three neighbours' locations (``NA`` at the edges).
    day_starts : ndarray of int64, (days + 1)
        Index of each day's first record, and finally the number of records.
    user_starts : ndarray of int64, (users + 1)
        Index of each user's first day, and finally the number of days.
    n_labels : int
        Number of locations on the released side.
    """

    label: Codes
    context: Codes
    day_starts: Ints
    user_starts: Ints
    n_labels: int

    @property
    def n_users(self) -> int:
        """Number of users, including those without a record."""
        return len(self.user_starts) - 1

    @property
    def record_starts(self) -> Ints:
        """Index of each user's first record, and finally the number of records."""
        return self.day_starts[self.user_starts]

    def of_user(self, user: int) -> Templates:
        """The templates of one user."""
        first, last = self.user_starts[user], self.user_starts[user + 1]
        starts = self.day_starts[first : last + 1]
        records = slice(starts[0], starts[-1])
        return Templates(
            label=self.label[records],
            context=self.context[records],
            day_starts=starts - starts[0],
            user_starts=np.array([0, last - first]),
            n_labels=self.n_labels,
        )


def build_template_pair(
    released: Sequences, auxiliary: Sequences, edges_s: Sequence[float] = DURATION_EDGES_S
) -> tuple[Templates, Templates]:
    """
    Build the templates of both sides.

    Locations are numbered among those of the released side, so that the released templates (and
    the models trained on them) do not depend on the auxiliary side.
    """
    check_edges(edges_s)
    if len(released.locations) != len(auxiliary.locations):
        raise InputError("Both sides must share one list of locations. Build them as a pair.")
    occurs = np.zeros(len(released.locations), dtype=bool)
    occurs[released.location] = True
    n_labels = int(occurs.sum())
    number = np.where(occurs, np.cumsum(occurs) - 1, n_labels).astype(np.int32)
    first, second = (_build(side, number, n_labels, edges_s) for side in (released, auxiliary))
    return first, second


def _build(side: Sequences, number: Codes, n_labels: int, edges_s: Sequence[float]) -> Templates:
    duration = np.searchsorted(np.asarray(edges_s), side.duration_s, side="right")
    around = [
        np.where(place == NA, NA, number[place])
        for place in (side.previous, side.next_to_previous, side.next)
    ]
    columns = [duration, side.weekday, side.slot, *around]
    starts = side.day_starts()
    return Templates(
        label=number[side.location],
        context=np.stack(columns, axis=1).astype(np.int32),
        day_starts=starts,
        user_starts=np.searchsorted(side.user[starts[:-1]], np.arange(len(side.users) + 1)),
        n_labels=n_labels,
    )


def attributes(context: Codes) -> list[list[str]]:
    """The six features of each record as CRFsuite attributes, always in the same order."""
    return [
        [letter + str(code) for letter, code in zip(LETTERS, record, strict=True)]
        for record in context.tolist()
    ]


def fingerprint(templates: Templates) -> str:
    """Hash of the templates; it reveals nothing about them."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (
        templates.label,
        templates.context,
        templates.day_starts,
        templates.user_starts,
    ):
        digest.update(len(array).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(array).astype("<i8").tobytes())
    return digest.hexdigest()
