"""
Association activity templates: sequences as what a linear-chain CRF reads (2011, 5.1).

A template is one user's one day. Each of its records has a label, the location, and six features:
duration, weekday, four-hour slot, previous, next-to-previous and next location (the paper's
Table 1). All are whole numbers here; ``attributes`` spells them out for CRFsuite.
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

#: Duration, weekday, slot, previous, next-to-previous, next: the letter each is spelt with.
LETTERS = "dwspqn"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Templates(Discreet):
    """
    Days of records, sorted by user and day, as small numbers.

    Attributes
    ----------
    label : ndarray of int32, per record
        Its location: a number below ``n_labels``, or ``n_labels`` for all that are never released.
    context : ndarray of int32, (records, 6)
        Duration class, weekday, slot, and the three neighbours' locations (``NA`` at the edges).
    day_starts : ndarray of int64, (days + 1)
        Where each day's records begin, and at last their number.
    user_starts : ndarray of int64, (users + 1)
        Where each user's days begin, and at last their number.
    n_labels : int
        How many locations the released side has.
    """

    label: Codes
    context: Codes
    day_starts: Ints
    user_starts: Ints
    n_labels: int

    @property
    def n_users(self) -> int:
        """How many users there are, those without a record included."""
        return len(self.user_starts) - 1

    @property
    def record_starts(self) -> Ints:
        """Where each user's records begin, and at last their number."""
        return self.day_starts[self.user_starts]

    def of_user(self, user: int) -> Templates:
        """One user's templates alone."""
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
    The templates of both sides.

    Locations are numbered among those of the released side, so that the released templates (and
    the models trained on them) do not depend on what they are compared with.
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
    """The six features of each record as CRFsuite takes them, always in the same order."""
    return [
        [letter + str(code) for letter, code in zip(LETTERS, record, strict=True)]
        for record in context.tolist()
    ]


def fingerprint(templates: Templates) -> str:
    """A number that differs when the templates differ, and tells nothing of them."""
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
