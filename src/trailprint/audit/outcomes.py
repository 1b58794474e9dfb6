"""
Which people each attack linked, stored so that audits of the same people can be compared person
by person.

People are stored as keyed hashes of their ids: without the user's key, which is not in the folder,
nobody can find out whether a given person is included. Only runs of the same user can be paired.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.audit.parts import Outcome, keep, read_outcome
from trailprint.display.discreet import Discreet
from trailprint.display.numbers import to_json
from trailprint.store import Store, read_piece
from trailprint.system.sealing import user_key

WORK = "work"
"""Subfolder of an audit's folder that holds finished parts."""

WORK_MANIFEST: Mapping[str, Any] = {"work": "trailprint audit", "format": 1}
"""Manifest that the work folder of every audit is sealed with."""

_NAME = "people/outcomes"
_PURPOSE = b"trailprint people 1"
_PREFIX = "linked_by_"
#: Value in `linked` of a person an attack was not tried on.
NOT_TRIED = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PersonOutcomes(Discreet):
    """
    Which people each attack linked.

    Attributes
    ----------
    people : ndarray of bytes
        Unique keyed hashes of ids.
    linked : mapping of ndarray of int8
        For each attack, 1 or 0 for each person, or -1 if it was not tried on them.
    """

    people: NDArray[np.bytes_]
    linked: Mapping[str, NDArray[np.int8]]

    def renamed(self, new: NDArray[np.bytes_], old: NDArray[np.bytes_]) -> PersonOutcomes:
        """Return the outcomes with the hashes ``new`` replaced by ``old``."""
        order = np.argsort(new)
        place = np.minimum(np.searchsorted(new, self.people, sorter=order), max(len(new) - 1, 0))
        if not len(new):
            return self
        at = order[place]
        return replace(self, people=np.where(new[at] == self.people, old[at], self.people))


def hash_people(ids: Iterable[object]) -> NDArray[np.bytes_]:
    """Return keyed hashes of ids; equal ids have equal hashes in all runs of one user."""
    key = hmac.digest(user_key(), _PURPOSE, "sha256")
    hashed = [hmac.digest(key, str(one).encode(), "sha256").hex()[:32].encode() for one in ids]
    return np.array(hashed, dtype="S32")


def collect_outcomes(people: pa.Array, attacked: Mapping[str, Outcome]) -> PersonOutcomes:
    """Return what the attacks of one audit found for each person."""
    linked = {
        name: np.where(
            np.isnan(outcome.arrays["risk"]), NOT_TRIED, outcome.arrays["linked"].astype(np.int8)
        ).astype(np.int8)
        for name, outcome in attacked.items()
    }
    return PersonOutcomes(people=hash_people(people.to_pylist()), linked=linked)


def keep_outcomes(store: Store, plain: Mapping[str, Any], found: PersonOutcomes) -> None:
    """Store outcomes with the finished parts; ``plain`` is the result they belong to."""
    arrays: dict[str, NDArray[Any]] = {"people": found.people}
    arrays |= {f"{_PREFIX}{name}": flags for name, flags in found.linked.items()}
    keep(store, _NAME, Outcome(data={"result": _identify(plain)}, arrays=arrays))


def find_outcomes(folder: Path, plain: Mapping[str, Any]) -> PersonOutcomes | None:
    """Return what was stored with a result; None if missing or of another user or result."""
    kept = read_piece(folder / WORK, WORK_MANIFEST, _NAME)
    outcome = None if kept is None else read_outcome(kept)
    if outcome is None or outcome.data.get("result") != _identify(plain):
        return None
    arrays = dict(outcome.arrays)
    people = arrays.pop("people").astype("S32")
    linked = {name.removeprefix(_PREFIX): flags.astype(np.int8) for name, flags in arrays.items()}
    return PersonOutcomes(people=people, linked=linked)


def _identify(plain: Mapping[str, Any]) -> str:
    """Return a hash that identifies a result: no two runs take exactly the same time."""
    own = {name: plain.get(name) for name in ("data", "attacks", "seconds", "seed")}
    text = json.dumps(json.loads(to_json(own)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
