"""
What an attack of an audit is: one object that says what it asks, assumes and needs, and runs.

The plan, the options, the command's help, the page and the schema read these objects through
`trailprint.audit.attacks.registry`. A further attack is one file with one class, and one line
there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.attacks import AttackFinding


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

    @abstractmethod
    def estimate(self, context: AuditContext) -> float:
        """How many seconds it should take."""

    @abstractmethod
    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Attack; what is kept of it is made by `measuring.keep_attack`."""

    @abstractmethod
    def estimate_control(self, context: AuditContext) -> float:
        """How many seconds its controls should take."""

    @abstractmethod
    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run it where its outcome is known beforehand; ``before`` holds its own outcome."""

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
