"""
A part of an audit: a unit of work that can be run on its own, stored, and reused.

Only plain values and arrays of row numbers and rates are stored, never an id.
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
"""Called with the share of a part that is done (None: unknown)."""


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
        How long it took to run.
    estimated : float
        How long it was estimated to take when it started.
    """

    data: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    estimated: float = 0.0

    @property
    def is_refused(self) -> bool:
        """Whether the data did not allow it: its time then says nothing about other parts."""
        return self.data.get("why_not") is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """
    One unit of work.

    Attributes
    ----------
    name : str
        Such as ``attack/histogram``.
    title : str
        Shown to the user while it runs.
    seconds : float
        Estimated seconds.
    compute : callable
        Computes the outcome from those of earlier parts.
    depends_on : mapping
        Options it depends on, as plain values; they are part of its key.
    needs : tuple of str
        Names of parts without which it cannot run.
    uses : tuple of str
        Names of parts that it uses if they were run; its outcome depends on which were.
    is_asked : bool
        Whether it runs regardless of the time limit and is never stopped.
    needed_bytes : float
        Estimated memory of its arrays.
    least_share : float
        Share of its seconds that it needs to be useful; below one if it runs until stopped.
    seconds_after : callable, optional
        Estimated seconds given the outcomes of other parts, if it depends on them.
    seconds_known : callable, optional
        Estimated seconds given its own outcome, if it depends on it.
    on_fewer : callable, optional
        Makes the same part for a given number of people only, if that is meaningful.
    like : str, optional
        Name of a part that does the same with other values, and so at the same pace.
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
    like: str | None = None

    @property
    def is_open_ended(self) -> bool:
        """Whether it runs until its time is up: how long it took then says nothing."""
        return self.least_share < 1.0

    @property
    def least_seconds(self) -> float:
        """Estimated seconds that it needs to be useful."""
        return self.least_share * self.seconds

    def timed(self, before: Mapping[str, Outcome]) -> Part:
        """Return the part with its seconds estimated from the outcomes of other parts."""
        if self.seconds_after is None:
            return self
        return replace(self, seconds=self.seconds_after(before))

    def known(self, outcome: Outcome) -> Part:
        """Return the part with its seconds estimated from its own outcome, to learn from."""
        if self.seconds_known is None:
            return self
        return replace(self, seconds=self.seconds_known(outcome))


def key_of(part: Part, fingerprint: Mapping[str, Any], done: Collection[str]) -> str:
    """
    Return the storage key of a part, which depends on the data, the options and the version.

    ``done`` are the names of the parts that were run before it.
    """
    used = [name for name in part.uses if name in done]
    named = {"part": part.name, "depends_on": part.depends_on, "uses": used, **fingerprint}
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
    return f"parts/{part.name.partition(':')[0].replace('/', '-')}-{digest[:20]}"


def fetch(store: Store, key: str) -> Outcome | None:
    """Return the stored outcome; None if there is no usable one."""
    kept = store.get(key)
    return None if kept is None else read_outcome(kept)


def read_outcome(kept: bytes) -> Outcome | None:
    """Parse a stored outcome; None if it is not valid."""
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
    # A store may return anything, and readers of archives, arrays and JSON raise errors of many
    # kinds on it: too deep, too large, unknown encoding.
    except Exception:
        return None
    return outcome if isinstance(outcome.data, dict) and outcome.seconds >= 0 else None


def keep(store: Store, key: str, outcome: Outcome) -> None:
    """Store an outcome, completely or not at all."""
    times = {"seconds": outcome.seconds, "estimated": outcome.estimated}
    about = json.dumps({"data": outcome.data, **times}).encode()
    buffer = io.BytesIO()
    arrays = {"about": np.frombuffer(about, dtype=np.uint8), **outcome.arrays}
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    store.put(key, buffer.getvalue())
