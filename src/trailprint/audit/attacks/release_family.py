"""
Base class of families that look at one release alone: singling out, not linking.

Their results do not enter the headline, the worst case over attacks, growth, or the share that
protections leave linked.
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
    """One part of a family: its name, its estimated time and memory, and how to compute it."""

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
        Name in options, ``result.json`` and documentation.
    title, question : str
        Display title, and the question it answers in plain words.
    assumptions : tuple of str
        What the adversary knows and does.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]

    @abstractmethod
    def list_steps(self, context: AuditContext) -> Sequence[Step]:
        """Return the steps, most informative first."""

    @abstractmethod
    def fits(self, step: str, outcome: Outcome, sizes: Sizes) -> bool:
        """Return whether a stored outcome of a step has the expected shape; may raise."""
