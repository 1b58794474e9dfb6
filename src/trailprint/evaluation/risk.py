"""Success of an attack: correct links among the possible ones, with interval and chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arguments import check_argument
from trailprint.display.discreet import Words
from trailprint.display.numbers import format_exact, format_percent
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """
    Success of an attack.

    Attributes
    ----------
    n_common : int
        Released records with a true counterpart: those that can be re-identified at all.
    n_matched, n_correct : int
        Links made, and those that are correct.
    accuracy, accuracy_interval : float, (float, float)
        Correct links per record that has a counterpart, with Wilson's 95 % interval.
    precision : float
        Correct links per link made.
    chance : float
        Expected accuracy of the same number of links drawn at random.
    """

    n_common: int
    n_matched: int
    n_correct: int
    accuracy: float | None
    accuracy_interval: tuple[float, float] | None
    precision: float | None
    chance: float | None


def measure_risk(linkage: Linkage, truth: Truth) -> Risk | None:
    """Compare links with the truth; None without a truth."""
    if truth.source == "none":
        return None
    n_correct = int(np.count_nonzero(correct_links(linkage, truth)))
    n_common, n_matched = truth.n_common, linkage.n_links
    n_pairs = linkage.n_released * linkage.n_auxiliary
    return rate_links(n_common, n_matched, n_correct, n_pairs)


def rate_links(n_common: int, n_matched: int, n_correct: int, n_pairs: int) -> Risk:
    """Compute rates from counts; ``n_pairs`` is the number of pairs that could have been linked."""
    return Risk(
        n_common=n_common,
        n_matched=n_matched,
        n_correct=n_correct,
        accuracy=n_correct / n_common if n_common else None,
        accuracy_interval=wilson(n_correct, n_common),
        precision=n_correct / n_matched if n_matched else None,
        chance=n_matched / n_pairs if n_pairs else None,
    )


def correct_links(linkage: Linkage, truth: Truth) -> NDArray[np.bool_]:
    """Flag the links that are correct."""
    return truth.holds(linkage.released, linkage.auxiliary)


def show_risk(risk: Risk | None) -> dict[str, object]:
    """The part of a result's ``repr`` that shows its risk."""
    if risk is None or risk.accuracy is None:
        return {"correct": None}
    return {"correct": risk.n_correct, "accuracy": Words(format_percent(risk.accuracy))}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveragePoint:
    """The share of links with at least this confidence, and the share of them that is correct."""

    margin: float
    coverage: float
    precision: float
    links: int


def precision_at_coverage(
    linkage: Linkage, truth: Truth, n_points: int = 100
) -> list[CoveragePoint]:
    """
    Precision if links below a margin are rejected, from the most confident links to all.

    Links of equal confidence are kept or rejected together, so their order does not matter.
    """
    if not linkage.n_links:
        return []
    order = np.argsort(-linkage.confidence, kind="stable")
    confidence = linkage.confidence[order]
    n_right = np.cumsum(correct_links(linkage, truth)[order])
    last_of_ties = np.flatnonzero(np.append(np.diff(confidence) != 0, True))
    steps = np.linspace(0, len(last_of_ties) - 1, min(n_points, len(last_of_ties)))
    return [
        CoveragePoint(
            margin=float(confidence[i]),
            coverage=float((i + 1) / linkage.n_links),
            precision=float(n_right[i] / (i + 1)),
            links=int(i + 1),
        )
        for i in last_of_ties[np.unique(steps.astype(np.int64))]
    ]


def check_precision(precision: float) -> None:
    """Raise an error unless a wanted precision is a share above 0."""
    check_argument("precision", precision, float)
    if not 0 < precision <= 1:
        raise OptionError(
            "--precision must be above 0 and at most 1, "
            f"got {format_exact(precision)} instead. Try 0.9.",
            option="precision",
        )


def margin_for_precision(linkage: Linkage, truth: Truth, wanted: float) -> CoveragePoint | None:
    """The smallest margin at which links reach the wanted precision; None if none does."""
    points = precision_at_coverage(linkage, truth, n_points=linkage.n_links)
    reaching = [point for point in points if point.precision >= wanted]
    return reaching[-1] if reaching else None
