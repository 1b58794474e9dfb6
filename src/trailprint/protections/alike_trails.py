"""k-anonymous trails: suppress visits until no set of places is unique (2005 paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from trailprint.arrays import Flags
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.features.trails import Trails, build_trails
from trailprint.kernels.csr import label_equal_rows
from trailprint.kernels.trails.alike import extend_within, group_alike
from trailprint.kernels.trails.containment import build_tracks, count_supertrails
from trailprint.protections.protection import EventProtection, Rule, Seed, Unit

Fit = Literal["equal", "within"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeTrails(EventProtection):
    """
    Suppress places of single users until every released trail fits at least ``k`` users.

    Attributes
    ----------
    k : int
        Minimum number of users a released trail must fit, including its own.
    fit : {"equal", "within"}
        ``equal``: at least k users have the same released trail. ``within``: at least k users
        were at all places of the trail in the original data.
    """

    name: ClassVar[str] = "alike-trails"
    summary: ClassVar[str] = "without places that make a trail rarer than k; fit=equal or within"
    is_public: ClassVar[bool] = False
    leaves_out: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"k": 1}
    units: ClassVar[Mapping[str, Unit]] = {"k": "people"}
    fact_titles: ClassVar[Mapping[str, str]] = {
        "k": "k",
        "visits_kept": "places kept of users' trails, share",
        "trails": "different trails released",
        "fewest_fitting": "fewest users whom a released trail fits",
    }

    k: int = 5
    fit: Fit = "equal"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not 1 <= self.k < 2**31:
            raise OptionError(f"k must be at least 1 user, got {self.k!r}. Try k=5.")

    def label(self) -> str:
        """The minimum number of fitting users, as text."""
        return f"Trails that fit {self.k} people or more"

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Choose from the release which places each user keeps."""
        released.require("location", "A choice of places")
        trails = build_trails(released)
        if self.k > trails.n_users - trails.n_null:
            raise OptionError(
                f"k must be at most the number of users, {trails.n_users - trails.n_null:,}, "
                f"got {self.k:,}. Choose a smaller k."
            )
        kept = trails.keep(self.choose_visits(trails))
        with released.engine.registered(_to_table(kept), "kept") as name:
            stored = released.engine.materialise(f"FROM {name}", "kept_visits")
        own = 'CAST("user" AS VARCHAR), CAST(location AS VARCHAR)'
        listed = f'({own}) IN (SELECT ("user", location) FROM {stored})'
        note = f"Only places that leave {self.k} users or more whom a trail fits ({self.fit})."
        return lambda events: events.having(listed, note)

    def choose_visits(self, trails: Trails) -> Flags:
        """One flag for each visit: whether it is kept."""
        pattern = (trails.indptr, trails.indices, len(trails.locations))
        kept, _ = group_alike(*pattern, self.k)
        return kept if self.fit == "equal" else extend_within(*pattern, self.k, kept)

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """What is left, and the guarantee, measured on the released data."""
        old, new = build_trails(before), build_trails(after)
        return {
            "k": self.k,
            "visits_kept": len(new.indices) / len(old.indices),
            "trails": len(np.unique(_labels(new))),
            "fewest_fitting": self._fewest(old, new),
        }

    def _fewest(self, old: Trails, new: Trails) -> int:
        if self.fit == "equal":
            return int(np.bincount(_labels(new)).min())
        number = {place: n for n, place in enumerate(old.locations.to_pylist())}
        places = np.array([number[place] for place in new.locations.to_pylist()])
        tracks = build_tracks(
            (new.indptr, places[new.indices]), (old.indptr, old.indices), len(old.locations)
        )
        own = np.arange(new.n_users)
        return int(count_supertrails(tracks, own, np.zeros_like(own))[0].min())


def _labels(trails: Trails) -> np.ndarray:
    return label_equal_rows(trails.indptr, trails.indices, np.ones(len(trails.indices)))


def _to_table(trails: Trails) -> pa.Table:
    """Visits as rows of user and location."""
    rows = np.repeat(np.arange(trails.n_users), trails.lengths)
    return pa.table(
        {
            "user": trails.users.take(pa.array(rows)),
            "location": trails.locations.take(pa.array(trails.indices)),
        }
    )
