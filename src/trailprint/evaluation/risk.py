"""How well an attack did: correct links among those there could be, with interval and chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.display.discreet import Words
from trailprint.display.numbers import format_percent
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """
    What an attack achieved.

    Attributes
    ----------
    n_common : int
        Released records with a true counterpart: those who can be re-identified at all.
    n_matched, n_correct : int
        Links made, and those that are right.
    accuracy, accuracy_interval : float, (float, float)
        Right links per record that has a counterpart, with Wilson's 95 % interval.
    precision : float
        Right links per link made.
    chance : float
        The accuracy expected of as many links drawn at random.
    """

    n_common: int
    n_matched: int
    n_correct: int
    accuracy: float | None
    accuracy_interval: tuple[float, float] | None
    precision: float | None
    chance: float | None


def measure_risk(linkage: Linkage, truth: Truth) -> Risk | None:
    """Compare links with the truth; None where there is none."""
    if truth.source == "none":
        return None
    n_correct = int(np.count_nonzero(correct_links(linkage, truth)))
    n_common, n_matched = truth.n_common, linkage.n_links
    n_pairs = linkage.n_released * linkage.n_auxiliary
    return rate_links(n_common, n_matched, n_correct, n_pairs)


def rate_links(n_common: int, n_matched: int, n_correct: int, n_pairs: int) -> Risk:
    """The rates of links, from counts; ``n_pairs`` is how many pairs could have been linked."""
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
    """Which links are right."""
    return truth.holds(linkage.released, linkage.auxiliary)


def show_risk(risk: Risk | None) -> dict[str, object]:
    """What the ``repr`` of a result says of its risk."""
    if risk is None or risk.accuracy is None:
        return {"correct": None}
    return {"correct": risk.n_correct, "accuracy": Words(format_percent(risk.accuracy))}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveragePoint:
    """The share of links with at least this confidence, and how many of them are right."""

    margin: float
    coverage: float
    precision: float
    links: int


def precision_at_coverage(
    linkage: Linkage, truth: Truth, n_points: int = 100
) -> list[CoveragePoint]:
    """
    Precision when links below a margin are rejected, from the surest to all.

    Links of equal confidence are kept or rejected together, so that their order shows nothing.
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


def margin_for_precision(linkage: Linkage, truth: Truth, wanted: float) -> CoveragePoint | None:
    """The smallest margin from which on links reach the wanted precision; None if none does."""
    points = precision_at_coverage(linkage, truth, n_points=linkage.n_links)
    reaching = [point for point in points if point.precision >= wanted]
    return reaching[-1] if reaching else None
