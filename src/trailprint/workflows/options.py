"""Options of the views an adversary uses: self-validating, importing no heavy library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trailprint.arguments import Understood, check_fields, understood
from trailprint.errors import OptionError

Cut = Literal["median", "halves-of-weeks", "halves-of-spans", "at-random"]
CUT_AGAIN: Mapping[str, Cut] = {
    "halves-of-weeks": "halves-of-weeks",
    "fold": "halves-of-spans",
}
"""Kinds of split that can also cut one side again; for other kinds the median is used."""

WeightChoice = Literal["learnt", "equal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """
    Which views an adversary uses, and how much each counts.

    Attributes
    ----------
    names : sequence of str, optional
        Match several views at once: all, or names such as visits,days,moves. By default all
        that the data supports.
    weights : {"learnt", "equal"}, mapping or str
        With ``names``: weights of views (or NAME=WEIGHT,…). Learnt ones come from the auxiliary
        side alone.
    cut : {"median", "halves-of-weeks", "halves-of-spans", "at-random"}
        How the auxiliary side is cut in two for learning: as the data was cut. If that leaves
        fewer than 20 people, the first suitable cut is used, as in an audit.
    same_period : bool
        With ``names``: the sides are different sources about the same days. Views of calendar time
        count too, and the auxiliary side is cut at random.
    contributions : bool
        Also measure each view alone and all the others without it.
    """

    names: Sequence[str] | None = None
    weights: Understood[WeightChoice | Mapping[str, float], str] = understood("learnt")
    cut: Cut = "median"
    same_period: bool = False
    contributions: bool = True

    def __post_init__(self) -> None:
        from trailprint.features.views import choose_views

        if isinstance(self.weights, str) and self.weights not in get_args(WeightChoice):
            object.__setattr__(self, "weights", _read_weights(self.weights))
        check_fields(self)
        if self.names == ("all",):
            object.__setattr__(self, "names", None)
        choose_views(self.names, same_period=self.same_period)


def open_views(views: ViewOptions | str | Sequence[str] | None) -> ViewOptions | None:
    """Return options of views from any accepted form: names alone, or ``"all"``, are understood."""
    return views if views is None or isinstance(views, ViewOptions) else ViewOptions(names=views)


def _read_weights(text: str) -> dict[str, float]:
    """Read weights by name."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name in weights:
            raise OptionError(
                f"--view-weights must name a view once, got {name!r} twice.", option="view-weights"
            )
        try:
            weights[name] = float(number)
        except ValueError:
            raise OptionError(
                f"--view-weights must be learnt, equal or NAME=WEIGHT,…, got {part!r} instead. "
                "Try visits=2,days=1.",
                option="view-weights",
            ) from None
    return weights
