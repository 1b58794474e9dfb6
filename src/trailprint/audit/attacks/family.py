"""
What an attack of an audit is: one object that says what it asks, assumes and needs, and runs.

The plan, the options, the command's help, the page and the schema read these objects through
`trailprint.audit.attacks.registry`. A further attack is one file with one class, and one line
there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from trailprint.arrays import Floats, Ints
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
        Of the attack.
    as_is : callable
        Makes it ready for the audited sides, in rows of the context's histograms.
    prepare_events : callable
        Makes it ready for events that were changed, by a chain of protections if there is one;
        whatever an attack learns, it learns again.
    """

    name: str
    title: str
    as_is: Callable[[], PreparedAttack[Any]]
    prepare_events: Callable[[Events, Events, Sequence[Protection]], PreparedAttack[Any]]

    def prepare(
        self, released: Events, auxiliary: Events, chain: Sequence[Protection] = ()
    ) -> PreparedAttack[Any]:
        """Make it ready for events that were changed."""
        return self.prepare_events(released, auxiliary, chain)


class AttackFamily(ABC):
    """
    One attack of an audit.

    Attributes
    ----------
    name : str
        In options, ``result.json`` and documentation.
    title, question : str
        For people: what it is called, and the plain question it answers.
    assumptions : tuple of str
        What the adversary knows and does; the first one goes into the headline.
    choices : mapping
        What is kept to run its best method again, and the values that may have.
    is_quick : bool
        Done whatever the time limit where no attack before it is.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    is_quick: ClassVar[bool] = True

    def refuse(self, context: AuditContext) -> str | None:
        """Why the data or the memory does not allow it, whatever the time; None where it does."""
        return None

    def settings(self, context: AuditContext) -> Mapping[str, Any]:
        """What its outcome depends on beside the data, the seed and the weight."""
        return {}

    def needed_bytes(self, sizes: Sizes) -> float:
        """How much memory its arrays take; zero where `refuse` has looked at that."""
        return match_bytes(sizes)

    @abstractmethod
    def estimate(self, context: AuditContext) -> float:
        """How many seconds it should take."""

    def estimate_known(self, context: AuditContext, outcome: Outcome) -> float:
        """How many seconds it should have taken to find this."""
        return self.estimate(context)

    @abstractmethod
    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Attack; what is kept of it is made by `measuring.keep_attack`."""

    @abstractmethod
    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """How many seconds its controls should take; ``outcome`` says how it was run, if it was."""

    @abstractmethod
    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run it where its outcome is known beforehand; ``before`` holds its own outcome."""

    def fits(self, outcome: Outcome, sizes: Sizes) -> bool:
        """Whether what was kept of it has the arrays it keeps beside those of every attack."""
        return True

    def repeat(self, context: AuditContext, outcome: Outcome | None) -> Repeated | None:
        """How studies run it again, as ``outcome`` says it was run; None: not at all."""
        return None

    def judge(self, context: AuditContext, outcome: Outcome) -> Judge | None:
        """How it judges protected releases, as ``outcome`` says it was run; None: not at all."""
        return None

    def estimate_judging(self, context: AuditContext, outcome: Outcome | None) -> float:
        """How many seconds judging a protected release takes; ``outcome`` says how it was run."""
        return self.estimate_repeat(context.sizes, outcome, on_events=True)

    def estimate_repeat(
        self, sizes: Sizes, outcome: Outcome | None, *, on_events: bool = False
    ) -> float:
        """How many seconds one run of a study takes; ``on_events``: on events that changed."""
        return match_seconds(sizes)

    def count_views(self, outcome: Outcome | None) -> int:
        """How many histograms of a person it compares; ``outcome`` says how it was run."""
        return 1

    def leave_out(self, context: AuditContext, outcome: Outcome, locations: Ints) -> Floats | None:
        """How the share it links changes without each of some locations; None: not measured."""
        return None

    def estimate_leave_out(self, sizes: Sizes) -> float:
        """How many seconds leaving out one location takes."""
        return 0.0

    def has_margins(self, outcome: Outcome) -> bool:
        """Whether the confidence of its links is how much worse it gets without them."""
        return False

    def describe_people(self, outcome: Outcome) -> dict[str, pa.Array]:
        """Further columns for each person, in the order of the context's people."""
        return {}

    def finding(self, *, why_not: str | None = None) -> AttackFinding:
        """What it says of itself before it has run; with ``why_not``, that it did not."""
        return AttackFinding(
            name=self.name,
            title=self.title,
            question=self.question,
            assumptions=self.assumptions,
            ran=why_not is None,
            why_not=why_not,
        )
