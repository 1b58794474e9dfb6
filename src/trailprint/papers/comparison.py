"""Compare a paper's figures with ours, and say how informative agreement is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

#: What our figure is based on. Agreement is informative only for the first two.
Standing = Literal["own data", "predicted", "tuned", "forced"]

#: How a paper gives a figure; "more than" is a bound, so no difference from it is defined.
Wording = Literal["exactly", "about", "more than", "up to"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """
    What a figure from simulated people is based on.

    Attributes
    ----------
    standing : {"predicted", "tuned", "forced"}
        Nothing was tuned to it; the simulation was tuned to it; it is true by construction.
    because : str
        For tuned figures, what they were tuned to and by whom; for forced ones, why.
    on_any_data : bool
        Whether it is forced by the method, so that the user's own data give it as well.
    """

    standing: Literal["predicted", "tuned", "forced"]
    because: str
    on_any_data: bool = False


PREDICTED = Basis(standing="predicted", because="Nothing was tuned to it.")


def tuned(because: str) -> Basis:
    """Return the basis of a figure to which a simulation was tuned."""
    return Basis(standing="tuned", because=because)


def forced(because: str, *, on_any_data: bool = False) -> Basis:
    """Return the basis of a figure that is true by construction."""
    return Basis(standing="forced", because=because, on_any_data=on_any_data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """
    One figure of the paper next to ours.

    Attributes
    ----------
    quantity : str
        What is compared.
    paper : float, optional
        What the paper gives; None where it gives no number.
    ours : float, optional
        What was measured here.
    basis : Basis
        What ours is based on when people are simulated.
    unit : str
        Unit of both figures.
    paper_to : float, optional
        The end of a range that begins with ``paper``.
    paper_says : {"exactly", "about", "more than", "up to"}
        How the paper gives it. "Up to" is the best of several, and so is ours.
    is_derived : bool
        Whether ``paper`` follows from numbers that the paper prints instead of being printed.
    source : str, optional
        The dataset this figure is about, if it is only one of the experiment's.
    is_own : bool
        Whether it was measured on the user's own data.
    """

    quantity: str
    paper: float | None
    ours: float | None
    basis: Basis
    unit: str = "%"
    paper_to: float | None = None
    paper_says: Wording = "exactly"
    is_derived: bool = False
    source: str | None = None
    is_own: bool = False

    @property
    def standing(self) -> Standing:
        """What our figure is based on, which decides how informative agreement is."""
        if self.is_own and not self.basis.on_any_data:
            return "own data"
        return self.basis.standing

    @property
    def because(self) -> str:
        """Why it has this standing, in a sentence."""
        return "Measured on your data." if self.standing == "own data" else self.basis.because

    @property
    def speaks(self) -> bool:
        """Whether agreement or disagreement is informative about method or data."""
        return self.standing in ("own data", "predicted")

    @property
    def difference(self) -> float | None:
        """
        Ours minus the paper's, in ``unit`` (percentage points where that is ``%``).

        Zero within a range, otherwise the difference from the nearer end; None for a bound.
        """
        if self.paper is None or self.ours is None or self.paper_says == "more than":
            return None
        nearest = min(max(self.ours, self.paper), self.paper_to or self.paper)
        return self.ours - nearest

    def on_own_data(self, is_own: bool) -> Comparison:
        """Return the same figure, marked as measured on the user's own data or not."""
        return replace(self, is_own=is_own)

    def paper_text(self, write: Callable[[float], str], unit: str = "") -> str | None:
        """Return the paper's number as the paper gives it; None if it gives none."""
        if self.paper is None:
            return None
        ends = (self.paper,) if self.paper_to is None else (self.paper, self.paper_to)
        number = "–".join(map(write, ends)) + (f"\u00a0{unit}" if unit else "")
        said = "" if self.paper_says == "exactly" else f"{self.paper_says} "
        return f"{said}{number}{' (derived)' if self.is_derived else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "quantity": self.quantity,
            "paper": self.paper,
            "paper_to": self.paper_to,
            "paper_says": self.paper_says,
            "paper_is_derived": self.is_derived,
            "ours": self.ours,
            "unit": self.unit,
            # None if agreement says nothing, as on the page, so that it is not taken for a result.
            "difference": self.difference if self.speaks else None,
            "standing": self.standing,
            "because": self.because,
        }


def compare_share(
    quantity: str, paper_percent: float | None, ours: float | None, basis: Basis, **more: Any
) -> Comparison:
    """Return a comparison in percent; ours is a share between zero and one."""
    percent = None if ours is None else 100 * ours
    return Comparison(quantity=quantity, paper=paper_percent, ours=percent, basis=basis, **more)
