"""What came of many tries, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Series:
    """Tries of one kind: how many passed, and what was wrong with the others."""

    name: str
    n_tries: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    longest_s: float = 0.0

    def add(self, faults: Iterable[str], *, note: str = "", seconds: float = 0.0) -> None:
        """Count one try; without faults it passed."""
        self.n_tries += 1
        self.longest_s = max(self.longest_s, seconds)
        found = list(faults)
        self.faults.update(found[:1])
        if note:
            self.notes[note] += 1

    @property
    def n_failed(self) -> int:
        """Tries with a fault; each counts once."""
        return self.faults.total()

    def lines(self) -> list[str]:
        """The series as rows of a table."""
        notes = ", ".join(f"{what} {n}" for what, n in self.notes.most_common())
        longest = f"{self.longest_s:.2f} s" if self.longest_s else ""
        first = f"{self.name:<34}{self.n_tries:>6}{self.n_failed:>8}{longest:>10}  {notes}"
        return [first, *(f"      {n} × {what}" for what, n in self.faults.most_common())]


def table(series: Iterable[Series]) -> str:
    """All series under one heading."""
    heading = f"{'series':<34}{'tries':>6}{'failed':>8}{'longest':>10}  endings"
    return "\n".join([heading, *(line for one in series for line in one.lines())])
