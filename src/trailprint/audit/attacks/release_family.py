"""
What a family of an audit is that looks at one release alone: singling out, not linking.

Nothing of it enters the headline, the worst case over attacks, growth, or what protections leave
to be linked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.parts import Outcome, PartProgress

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One part of a family: what it is called, how long it should take, and how it is done."""

    name: str
    title: str
    seconds: float
    needed_bytes: float
    compute: Compute


class ReleaseFamily(ABC):
    """
    One family that looks at the released side alone.

    Attributes
    ----------
    name : str
        In options, ``result.json`` and documentation.
    title, question : str
        For people: what it is called, and the plain question it answers.
    assumptions : tuple of str
        What the adversary knows and does.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]

    @abstractmethod
    def list_steps(self, context: AuditContext) -> Sequence[Step]:
        """What is to be done, most informative first."""

    @abstractmethod
    def fits(self, step: str, outcome: Outcome, sizes: Sizes) -> bool:
        """Whether what was kept of a step has the shape its readers rely on; may raise."""
