"""Check of an audit's risk against an allowed maximum, for pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trailprint.arguments import check_fields
from trailprint.audit.results.findings import Findings, Headline
from trailprint.display.numbers import format_exact, format_percent
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.studies.small_counts import is_small

FailOn = Literal["rate", "upper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """
    Which risk is too high.

    Attributes
    ----------
    fail_above : float, optional
        End with exit code 3 if more than this share is linked, such as 0.05.
    fail_on : {"rate", "upper"}
        What --fail-above looks at: the rate, or the upper end of its 95 % interval.
    """

    fail_above: float | None = None
    fail_on: FailOn = "rate"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.fail_above is not None and not 0 <= self.fail_above <= 1:
            raise OptionError(
                f"--fail-above must be a share from 0 to 1, got "
                f"{format_exact(self.fail_above)}. Try 0.05.",
                option="fail-above",
            )
        if self.fail_above is None and self.fail_on != "rate":
            raise OptionError(
                "--fail-on goes with --fail-above: name the largest share, such as 0.05.",
                option="fail-on",
            )

    def find_excess(self, headline: Headline, n_linked: int) -> str | None:
        """
        Return a sentence if the strongest attack links too many people, else None.

        ``n_linked`` is exact, since the limit is compared exactly; for a few people the sentence
        gives no figure.
        """
        if self.fail_above is None:
            return None
        n_people, is_upper = headline.people or 0, self.fail_on == "upper"
        upper = (wilson(n_linked, n_people) or (0.0, 1.0))[1]
        measured = upper if is_upper else n_linked / max(n_people, 1)
        if measured <= self.fail_above:
            return None
        what = "The upper end of the interval" if is_upper else "The share linked"
        figure = "" if is_small(n_linked) else f" {format_percent(measured)},"
        return f"{what} is{figure} above the {format_percent(self.fail_above)} of --fail-above."

    def list_doubts(self, found: Findings) -> list[str]:
        """Return notes on attacks above the limit that do not count: tried on some people only."""
        limit, n_people = self.fail_above, found.data.common_users or 0
        if limit is None:
            return []
        return [
            f"{attack.title} was tried on {attack.people or 0:,} of {n_people:,} people only, and "
            f"is above the {format_percent(limit)} of --fail-above among them: with fewer people "
            "to confuse more are linked, so that it does not count here."
            for attack in found.attacks
            if attack.ran and (attack.people or 0) < n_people and (attack.accuracy or 0.0) > limit
        ]
