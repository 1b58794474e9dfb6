"""Options of the attacks: they check themselves and load without third-party libraries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from trailprint.arguments import Understood, check_fields, understood
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError
from trailprint.features.options import DURATION_EDGES_S, check_edges

MetricName = Literal["jensen-shannon", "l1", "cosine", "dot", "likelihood"]
AnyMetricName = Literal[MetricName, "transport"]
Method = Literal["joint", "one-by-one"]
Direction = Literal["released", "auxiliary"]
Algorithm = Literal["complete", "incomplete", "multiple", "likely"]
Reserved = Literal["auxiliary", "released", "none"]
Model = Literal["crf", "distance", "markov", "mobility-markov", "histogram"]

REACH_M = 1_000.0
"""Distance in metres up to which two places count as partly the same: the usual cell size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """
    How histograms are compared and matched.

    Attributes
    ----------
    metric : {"jensen-shannon", "l1", "cosine", "dot", "likelihood", "transport"}
        How two histograms are compared. ``jensen-shannon`` is the papers' weight (7),
        ``likelihood`` is for histograms of unequal lengths, ``transport`` counts how far apart
        places are and is for small problems with positions.
    reach_m : float
        Transport: distance in metres beyond which all places count as equally far apart.
    method : {"joint", "one-by-one"}
        All users at once, or each on their own.
    size : int, optional
        Joint: number of links to make. By default as many as possible; a given size is the
        papers' A2.
    gap : float
        Joint: stop once the matching is proven to be within this share of the best.
    direction : {"released", "auxiliary"}
        One-by-one: whose records are looked up among the other side's.
    margins : bool
        Joint: also how much worse the best matching without each link would be. That matching has
        the same number of links.
    seed : int
        Decides ties.

    Examples
    --------
    >>> import trailprint as tp
    >>> tp.MatchOptions(metric="l1", margins=True).method
    'joint'
    """

    metric: AnyMetricName = "jensen-shannon"
    reach_m: float = REACH_M
    method: Method = "joint"
    size: int | None = None
    gap: float = 0.0
    direction: Direction = "released"
    margins: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (self.reach_m > 0 and math.isfinite(self.reach_m)):
            raise OptionError(
                f"--reach must be a positive number of metres, "
                f"got {format_exact(self.reach_m)}. Try 1000.",
                option="reach",
            )
        if self.metric != "transport" and self.reach_m != REACH_M:
            raise OptionError(
                "--reach goes with --metric transport: no other has distances.", option="reach"
            )
        if self.size is not None and self.size < 1:
            raise OptionError(
                f"--size must be at least 1 link, got {self.size} instead.", option="size"
            )
        if not 0 <= self.gap < 1:
            raise OptionError(
                f"--gap must be a share from 0 to below 1, got {format_exact(self.gap)} instead.",
                option="gap",
            )
        if self.method != "joint" and (self.size is not None or self.gap or self.margins):
            raise OptionError("--size, --gap and --margins go with --method joint.", option="size")
        if self.method == "joint" and self.direction != "released":
            raise OptionError("--direction goes with --method one-by-one.", option="direction")
        if self.margins and self.gap:
            raise OptionError(
                "--margins needs an exact matching and does not go with --gap.", option="margins"
            )


_MOST_OBSERVATIONS = 10**15
"""Larger than any real data, and small enough to compute with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionOptions:
    """
    The required error exponent and the length of the strings behind the histograms.

    Attributes
    ----------
    reject_lambda : float
        Answer match or no match with this error exponent, in bits. With λ, the probability of a
        wrong match should fall as 2^(−λn).
    string_length : int, optional
        With ``reject_lambda``: how many observations each histogram stands for. This is the n
        above. By default each user's visits are counted, which needs the metric ``likelihood`` of
        `MatchOptions`; n is then their mean.
    reject_certainly : bool
        With ``reject_lambda``: no wrong match is likelier than 2^(−λn), however small n is. This
        rejects more often than the paper's test, whose guarantee is for large n.
    """

    reject_lambda: float
    string_length: int | None = None
    reject_certainly: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if not (self.reject_lambda > 0 and math.isfinite(self.reject_lambda)):
            raise OptionError(
                "--reject-lambda must be a positive number of bits, got "
                f"{format_exact(self.reject_lambda)}.",
                option="reject-lambda",
            )
        if self.string_length is None:
            return
        if self.string_length < 1:
            raise OptionError(
                f"--string-length must be at least 1 observation, got {self.string_length}.",
                option="string-length",
            )
        if self.string_length > _MOST_OBSERVATIONS:
            raise OptionError(
                f"--string-length must be at most {_MOST_OBSERVATIONS:,} observations, got more.",
                option="string-length",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailOptions:
    """
    Algorithm and assumptions about the releases for trail matching.

    Attributes
    ----------
    algorithm : {"auto", "complete", "incomplete", "multiple", "likely"}
        REIDIT-C, -I or -M of the 2005 paper, or the most likely counterpart where either side may
        lack or add entries. ``auto`` chooses by the release tactic.
    reserved : {"auto", "auxiliary", "released", "none", "both"}
        Which side may be missing entries that the other has. ``none``: neither (an unreserved
        release); ``auto``: the first of none, auxiliary, released that the data allows; ``both``:
        either side, which only ``likely`` supports.
    precision : float, optional
        Keep only links expected to be right at least this often; for ``likely``, by default all.
    agreement : float, optional
        How much the two trails of a person agree, between 0 and 1; for ``likely``, by default
        learnt from the two sides.

    Examples
    --------
    >>> import trailprint as tp
    >>> tp.TrailOptions(algorithm="incomplete", reserved="auxiliary").reserved
    'auxiliary'
    """

    algorithm: Literal["auto", "complete", "incomplete", "multiple", "likely"] = "auto"
    reserved: Literal["auto", "auxiliary", "released", "none", "both"] = "auto"
    precision: float | None = None
    agreement: float | None = None

    @property
    def is_likely(self) -> bool:
        """Whether either side may lack entries that the other has."""
        return self.algorithm == "likely" or self.reserved == "both"

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_likely()
        if self.algorithm == "complete" and self.reserved in ("auxiliary", "released"):
            raise OptionError(
                "--algorithm complete assumes that no side is reserved: use --reserved none, or "
                "--algorithm incomplete.",
                option="algorithm",
            )
        if self.algorithm in ("incomplete", "multiple") and self.reserved == "none":
            raise OptionError(
                f"--algorithm {self.algorithm} needs a reserved side: use --reserved auxiliary "
                "or released.",
                option="algorithm",
            )

    def _check_likely(self) -> None:
        if self.is_likely and (
            self.algorithm not in ("auto", "likely") or self.reserved not in ("auto", "both")
        ):
            raise OptionError(
                "--reserved both goes with --algorithm likely only, got "
                f"--algorithm {self.algorithm} --reserved {self.reserved}.",
                option="reserved",
            )
        for name, value in (("precision", self.precision), ("agreement", self.agreement)):
            if value is None:
                continue
            if not self.is_likely:
                raise OptionError(f"--{name} is for --algorithm likely only: add it.", option=name)
            if not 0 < value < 1:
                raise OptionError(
                    f"--{name} must be above 0 and below 1, got {format_exact(value)}. Try 0.9.",
                    option=name,
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """
    Options of CRFsuite's L-BFGS training; defaults are CRFsuite's.

    Attributes
    ----------
    c1, c2 : float
        Weights of the L1 and L2 penalties.
    max_iterations : int, optional
        Number of steps after which to stop, converged or not; by default when converged.
    """

    c1: float = 0.0
    c2: float = 1.0
    max_iterations: int | None = None

    def __post_init__(self) -> None:
        for name in ("c1", "c2"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise OptionError(f"{name} must be zero or more, got {value} instead.")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise OptionError(f"max_iterations must be at least 1, got {self.max_iterations}.")

    def settings(self) -> dict[str, float]:
        """Return the parameters passed to CRFsuite."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """
    How sequences are compared.

    Attributes
    ----------
    model : {"crf", "distance", "markov", "mobility-markov", "histogram"}
        How days are compared. The paper's CRF per user, or a simpler model as a baseline.
    duration_edges_s : tuple of float or str
        CRF: boundaries between classes of durations, in seconds.
    days : int, optional
        Only each auxiliary user's first days with data. By default all.
    joint : bool
        Each released user is taken at most once. The total score of the links is maximised.
    all_pairs : bool
        CRF: run every model over every sequence, as a check. It shows that skipping some of them
        does not change the result.
    training : TrainingOptions
        CRF: how the models are trained.
    seed : int
        Decides ties.

    Examples
    --------
    >>> import trailprint as tp
    >>> tp.CorrelateOptions(model="markov", days=3).days
    3
    """

    model: Model = "crf"
    duration_edges_s: Understood[tuple[float, ...], str | Sequence[float]] = understood(
        DURATION_EDGES_S
    )
    days: int | None = None
    joint: bool = False
    all_pairs: bool = False
    training: TrainingOptions = field(default_factory=TrainingOptions)
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.days is not None and self.days < 1:
            raise OptionError(f"--days must be at least 1, got {self.days} instead.", option="days")
        if self.all_pairs and self.model != "crf":
            raise OptionError(
                "--all-pairs goes with --model crf: the others skip nothing.", option="all-pairs"
            )
        if self.model != "crf" and self.duration_edges_s != DURATION_EDGES_S:
            raise OptionError(
                "--duration-edges goes with --model crf: no other has classes.",
                option="duration-edges",
            )
        check_edges(self.duration_edges_s)
