"""
Base class of the attacks of an audit: each states its question, assumptions and needs, and runs.

The plan, the options, the command's help, the page and the schema read these objects through
`trailprint.audit.attacks.registry`. To add an attack, write one file with one class and add one
line there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from trailprint.arrays import Floats, Ints
from trailprint.audit.attacks.choices import NoChoice
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import match_seconds
from trailprint.audit.planning.memory import match_bytes
from trailprint.audit.results.attacks import AttackFinding
from trailprint.events.events import Events
from trailprint.protections.protection import Protection
from trailprint.studies.judging import Judge
from trailprint.studies.repeated import PreparedAttack


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repeated:
    """
    How studies run an attack again.

    Attributes
    ----------
    name, title : str
        Name and title of the attack.
    as_is : callable
        Prepares the attack on the audited sides, with the rows of the context's histograms.
    prepare_events : callable
        Prepares the attack on changed events, given the chain of protections applied to them, if
        any; anything the attack learns is learnt again.
    """

    name: str
    title: str
    as_is: Callable[[], PreparedAttack[Any]]
    prepare_events: Callable[[Events, Events, Sequence[Protection]], PreparedAttack[Any]]

    def prepare(
        self, released: Events, auxiliary: Events, chain: Sequence[Protection] = ()
    ) -> PreparedAttack[Any]:
        """Prepare the attack on changed events."""
        return self.prepare_events(released, auxiliary, chain)


class AttackFamily(ABC):
    """
    One attack of an audit.

    Attributes
    ----------
    name : str
        Name in options, ``result.json`` and documentation.
    title, question : str
        Display title, and the question it answers in plain words.
    assumptions : tuple of str
        What the adversary knows and does; the first one is shown in the headline.
    choice : type
        Dataclass of what is stored to run its best method again.
    is_quick : bool
        Whether it may run regardless of the time limit; the first such attack does.
    judges_every_value : bool
        Whether it judges every value of a protection that is tried; other families judge only
        those that matter.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]
    choice: ClassVar[type] = NoChoice
    is_quick: ClassVar[bool] = True
    judges_every_value: ClassVar[bool] = False

    def refuse(self, context: AuditContext) -> str | None:
        """Return why the data or the memory rules it out, whatever the time; None otherwise."""
        return None

    def settings(self, context: AuditContext) -> Mapping[str, Any]:
        """Return what its outcome depends on besides the data, the seed and the weight."""
        return {}

    def needed_bytes(self, sizes: Sizes) -> float:
        """Return the bytes that its arrays take; zero if `refuse` has checked memory."""
        return match_bytes(sizes)

    @abstractmethod
    def estimate(self, context: AuditContext) -> float:
        """Return the estimated seconds of a run."""

    def estimate_known(self, context: AuditContext, outcome: Outcome) -> float:
        """Return the estimated seconds of the run that found ``outcome``."""
        return self.estimate(context)

    @abstractmethod
    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run the attack and return its outcome, made by `measuring.keep_attack`."""

    @abstractmethod
    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Return the estimated seconds of its controls; ``outcome`` is that of its run, if any."""

    @abstractmethod
    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """
        Run its controls, whose results are known in advance; ``before`` has its own outcome.

        Returns an outcome made by `measuring.keep_controls`.
        """

    def fits(self, outcome: Outcome, sizes: Sizes) -> bool:
        """Return whether a stored outcome has the additional arrays of this attack."""
        return True

    def repeat(self, context: AuditContext, outcome: Outcome | None) -> Repeated | None:
        """Return how studies repeat it as it ran for ``outcome``; None if they cannot."""
        return None

    def judge(self, context: AuditContext, outcome: Outcome) -> Judge | None:
        """
        Return how it judges protected releases as it ran for ``outcome``; None if it cannot.

        What an attack that cannot would still link is not known, and each release says so.
        """
        return None

    def estimate_judging(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Return the estimated seconds to judge a release; ``outcome`` is that of its run."""
        return self.estimate_repeat(context.sizes, outcome, on_events=True)

    def estimate_repeat(
        self, sizes: Sizes, outcome: Outcome | None, *, on_events: bool = False
    ) -> float:
        """Return the estimated seconds of one run of a study; ``on_events``: on changed events."""
        return match_seconds(sizes)

    def count_views(self, outcome: Outcome | None) -> int:
        """Return how many histograms per person it compares; ``outcome`` is that of its run."""
        return 1

    def leave_out(self, context: AuditContext, outcome: Outcome, locations: Ints) -> Floats | None:
        """Return the change in its share linked without each location; None if not measured."""
        return None

    def estimate_leave_out(self, sizes: Sizes) -> float:
        """Return the estimated seconds to leave out one location."""
        return 0.0

    def has_margins(self, outcome: Outcome) -> bool:
        """Return whether confidences are margins: how much worse matching is without a link."""
        return False

    def describe_people(self, outcome: Outcome) -> dict[str, pa.Array]:
        """Return additional columns for each person, in the order of the context's people."""
        return {}

    def finding(self, *, why_not: str | None = None) -> AttackFinding:
        """Return its description before it has run; with ``why_not``, as one that did not run."""
        return AttackFinding(
            name=self.name,
            title=self.title,
            question=self.question,
            assumptions=self.assumptions,
            ran=why_not is None,
            why_not=why_not,
        )
