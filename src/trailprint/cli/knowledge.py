"""The adversary's knowledge of each person: an option of every attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from trailprint.cli.groups import Panel
from trailprint.events.knowledge import Knowledge, phrase_knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeOptions:
    """
    What is known of each person on the auxiliary side.

    Attributes
    ----------
    knows : str
        What an adversary knows of each person: everything, home-work, top:K, points:K or days:N.
    """

    knows: str = "everything"

    def options(self, seed: int) -> Knowledge:
        """Return the library's options."""
        return Knowledge.parse(self.knows, seed)


Knowing = Annotated[KnowledgeOptions, Panel("Knowledge")]


def note_knowledge(known: Mapping[str, Any]) -> list[str]:
    """Notes to print below a result; none if everything is known."""
    if known["kind"] == "everything":
        return []
    phrase = phrase_knowledge(known["kind"], known["amount"])
    notes = [f"Known of each person on the auxiliary side are only {phrase}."]
    if known["note"] is not None:
        notes.append(known["note"])
    if known["people_with_less"]:
        n_people = known["people_with_less"]
        notes.append(f"People with less than that ({n_people:,}) are known completely.")
    return notes
