"""
A part of an audit: something that can be done on its own, kept, and found again.

What is kept are plain values and arrays of row numbers and rates: never an id.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trailprint.display.discreet import Discreet
from trailprint.store import Store

PartProgress = Callable[[float | None], None]
"""Told which share of a part is over."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome(Discreet):
    """
    What a part found.

    Attributes
    ----------
    data : dict
        Plain values, ready for JSON.
    arrays : mapping
        What later parts need: flags, rates and row numbers.
    seconds : float
        How long it took, when it was done.
    estimated : float
        How long it should have taken, as was thought when it began.
    """

    data: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    estimated: float = 0.0

    @property
    def is_refused(self) -> bool:
        """Whether the data did not allow it: how long that took teaches nothing of others."""
        return self.data.get("why_not") is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """
    One thing to be done.

    Attributes
    ----------
    name : str
        Such as ``attack/histogram``.
    title : str
        What a person is told meanwhile.
    seconds : float
        How long it should take.
    compute : callable
        Does it, from the outcomes of the parts before it.
    depends_on : mapping
        Which options it depends on, as plain values: they make its key.
    needs : tuple of str
        Parts without which it cannot be done.
    uses : tuple of str
        Parts it looks at where they were done: with others of them it finds something else.
    is_asked : bool
        Done whatever the time limit, and not stopped.
    needed_bytes : float
        How much memory its arrays should take.
    least_share : float
        Of its seconds, what is enough to be of use; below one where it goes on as long as it may.
    seconds_after : callable, optional
        How long it should take now that others are done, where that depends on what they found.
    seconds_known : callable, optional
        How long it should have taken, where that depends on what it found itself.
    on_fewer : callable, optional
        The same part on some number of people only, where that says something.
    """

    name: str
    title: str
    seconds: float
    compute: Callable[[Mapping[str, Outcome], PartProgress], Outcome]
    depends_on: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    is_asked: bool = False
    needed_bytes: float = 0.0
    least_share: float = 1.0
    seconds_after: Callable[[Mapping[str, Outcome]], float] | None = None
    seconds_known: Callable[[Outcome], float] | None = None
    on_fewer: Callable[[int], Part] | None = None

    @property
    def is_open_ended(self) -> bool:
        """Whether it ends when its time is up: how long it took teaches nothing."""
        return self.least_share < 1.0

    @property
    def least_seconds(self) -> float:
        """How long it should take to be of use."""
        return self.least_share * self.seconds

    def timed(self, before: Mapping[str, Outcome]) -> Part:
        """The same, with the seconds it should take after these others."""
        if self.seconds_after is None:
            return self
        return replace(self, seconds=self.seconds_after(before))

    def known(self, outcome: Outcome) -> Part:
        """The same, with the seconds it should have taken to find this: what others learn from."""
        if self.seconds_known is None:
            return self
        return replace(self, seconds=self.seconds_known(outcome))


def key_of(part: Part, fingerprint: Mapping[str, Any], done: Collection[str]) -> str:
    """
    Where a part is kept: other data, other options or another version, another place.

    ``done`` are the names of the parts that were done before it.
    """
    used = [name for name in part.uses if name in done]
    named = {"part": part.name, "depends_on": part.depends_on, "uses": used, **fingerprint}
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
    return f"parts/{part.name.partition(':')[0].replace('/', '-')}-{digest[:20]}"


def fetch(store: Store, key: str) -> Outcome | None:
    """What was kept; None where nothing usable was."""
    kept = store.get(key)
    return None if kept is None else read_outcome(kept)


def read_outcome(kept: bytes) -> Outcome | None:
    """An outcome as it was kept; None where it is none."""
    try:
        with np.load(io.BytesIO(kept), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        about = json.loads(found.pop("about").tobytes())
        outcome = Outcome(
            data=about["data"],
            seconds=float(about["seconds"]),
            estimated=float(about.get("estimated", 0.0)),
            arrays=found,
        )
    # Nobody knows what a store gives back, and readers of archives, arrays and JSON fail on it in
    # ways of their own: too deep, too large, no such encoding.
    except Exception:
        return None
    return outcome if isinstance(outcome.data, dict) and outcome.seconds >= 0 else None


def keep(store: Store, key: str, outcome: Outcome) -> None:
    """Keep an outcome, as a whole or not at all."""
    times = {"seconds": outcome.seconds, "estimated": outcome.estimated}
    about = json.dumps({"data": outcome.data, **times}).encode()
    buffer = io.BytesIO()
    arrays = {"about": np.frombuffer(about, dtype=np.uint8), **outcome.arrays}
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    store.put(key, buffer.getvalue())
