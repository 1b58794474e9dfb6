"""Noise on histogram counts that guarantees user-level differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats
from trailprint.display.numbers import format_exact, format_number
from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms
from trailprint.protections.protection import HistogramChange, HistogramProtection, Seed

Kind = Literal["laplace", "geometric"]

_LAST_DIGITS = (
    "Not covered: what the last digits of real numbers may tell; kind=geometric has none."
)
_LEAST_EPSILON = 1e-6
"""Smaller values need noise so wide that floats cannot tell whole numbers apart."""
_CELLS = 2_000_000
"""Matrix cells processed at a time; bounds memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise(HistogramProtection):
    """
    Add noise to every count of every user, then cut at zero and renormalise.

    A user contributes at most ``max_events`` events; larger contributions are scaled down. Any two
    rows a user could have then differ by at most ``2 * max_events`` in l1, so noise of scale
    ``2 * max_events / epsilon`` on each count makes the whole row ``epsilon``-differentially
    private.

    Attributes
    ----------
    epsilon : float
        Privacy budget of a user's whole row, not of one event.
    max_events : int
        Bound on a user's contribution, in the unit that the histograms count.
    kind : {"laplace", "geometric"}
        Real-valued noise, or integer noise on integer counts.
    """

    name: ClassVar[str] = "noise"
    summary: ClassVar[str] = "Laplace or geometric noise on counts, user-level epsilon"
    is_random: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"epsilon": -1}
    fact_titles: ClassVar[Mapping[str, str]] = {
        "epsilon": "epsilon, for each user",
        "noise_scale": "scale of the noise, events",
    }

    epsilon: float = 1.0
    max_events: int = 100
    kind: Kind = "laplace"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not (self.epsilon >= _LEAST_EPSILON and math.isfinite(self.epsilon)):
            raise OptionError(
                f"epsilon must be a positive number of at least {_LEAST_EPSILON:f}, "
                f"got {format_exact(self.epsilon)}. Try epsilon=1."
            )
        if not 1 <= self.max_events < 2**31:
            raise OptionError(
                f"max_events must be at least 1 event, got {self.max_events!r}. Try max_events=100."
            )

    @property
    def scale(self) -> float:
        """Scale of the noise, in events."""
        return 2 * self.max_events / self.epsilon

    def change(
        self, histograms: Histograms, seed: Seed, *, n_threads: int | None = None
    ) -> HistogramChange:
        """Bound counts, add noise, cut at zero and renormalise, a block of users at a time."""
        _check_counts(histograms)
        bounded = self._bound(histograms)
        random = np.random.default_rng(seed)
        n_rows, n_columns = bounded.shape
        step = max(1, _CELLS // max(n_columns, 1))
        blocks = [
            self._noised(bounded[low : low + step].toarray(), random)
            for low in range(0, n_rows, step)
        ]
        shares = sparse.csr_array(sparse.vstack(blocks, format="csr"))
        released = Histograms(matrix=shares, users=histograms.users, locations=histograms.locations)
        total = float(histograms.matrix.data.sum())
        kept = float(bounded.data.sum()) / total if total > 0 else 1.0
        return HistogramChange(histograms=released, events_kept=kept, facts=self._facts())

    def _bound(self, histograms: Histograms) -> sparse.csr_array:
        """Counts scaled down to at most ``max_events`` per user; integers for geometric noise."""
        bounded = histograms.matrix.copy()
        factor = np.minimum(1.0, self.max_events / np.maximum(histograms.totals, 1e-300))
        bounded.data = bounded.data * np.repeat(factor, np.diff(bounded.indptr))
        if self.kind == "geometric":
            # Rounding may leave slightly less than the exact whole number.
            bounded.data = np.floor(bounded.data * (1 + 1e-12))
        return bounded

    def _noised_counts(self, counts: Floats, random: np.random.Generator) -> Floats:
        """Counts with noise. The guarantee is about these; the rest is post-processing."""
        if self.kind == "laplace":
            return counts + random.laplace(0.0, self.scale, counts.shape)
        # P(difference of two geometric numbers) decays by exp(-1 / scale) per step.
        stop = -math.expm1(-1.0 / self.scale)
        both = random.geometric(stop, (*counts.shape, 2))
        return counts + both[..., 0] - both[..., 1]

    def _noised(self, counts: Floats, random: np.random.Generator) -> sparse.csr_array:
        noised = np.maximum(self._noised_counts(counts, random), 0.0)
        totals = noised.sum(axis=1, keepdims=True)
        return sparse.csr_array(noised / np.where(totals > 0, totals, 1.0))

    def _facts(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "noise_scale": self.scale,
            "privacy_statement": list(self.statement()),
        }

    def statement(self) -> tuple[str, ...]:
        """Sentences on what is guaranteed, and what is not."""
        epsilon = format_number(self.epsilon)
        return (
            f"Guaranteed: for each user, their whole row is {epsilon}-differentially private: "
            "whatever they did, any released row is at most "
            f"e^{epsilon} times as likely as if they had done anything else.",
            f"How: at most {self.max_events:,} events of a user count, {self.kind} noise of scale "
            f"{format_number(self.scale)} on every count, also on zeros; then cut at zero and "
            "renormalised.",
            "Not covered: that a user is in the data, the list of locations, and any other release "
            "of the same people: each adds its own epsilon.",
            "Not covered: the noise follows from the seed. Choose one nobody can guess, and keep "
            "it to yourself.",
            *((_LAST_DIGITS,) if self.kind == "laplace" else ()),
        )


def _check_counts(histograms: Histograms) -> None:
    if len(histograms.slots) > 1:
        raise OptionError(
            "Noise takes one histogram for each user. Leave out --slots.", option="slots"
        )
    totals = histograms.totals
    if len(totals) and np.allclose(totals[totals > 0], 1.0) and _has_fractions(histograms):
        raise OptionError("Noise needs counts, got shares instead. Apply noise first.")


def _has_fractions(histograms: Histograms) -> bool:
    return bool(np.any(histograms.matrix.data % 1 != 0))
