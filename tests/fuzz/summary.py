"""What came of many cases, on one screen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.workers import Report


@dataclass(slots=True)
class Summary:
    """Counts outcomes and groups problems by what they have in common."""

    n_cases: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Report]] = field(default_factory=dict)
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")

    def add(self, report: Report) -> None:
        """Count one more case."""
        self.n_cases += 1
        self.endings[report.ending] += 1
        self.commands[report.command] += 1
        self.seconds += report.seconds
        self.slowest = max(self.slowest, (report.seconds, report.name))
        for signature in {problem.signature for problem in report.problems}:
            self.failures.setdefault(signature, []).append(report)

    @property
    def n_failing(self) -> int:
        """How many cases broke a rule."""
        return len({report.name for reports in self.failures.values() for report in reports})

    def lines(self) -> list[str]:
        """The summary as text; the most frequent failure comes first."""
        endings = ", ".join(f"{code}: {n:,}" for code, n in sorted(self.endings.items()))
        commands = ", ".join(
            f"{name or '(none)'} {n:,}" for name, n in self.commands.most_common(14)
        )
        seconds, name = self.slowest
        lines = [
            f"{self.n_cases:,} cases, {self.n_failing:,} failing in {len(self.failures):,} ways",
            f"exit codes: {endings}",
            f"commands: {commands}",
            f"{self.seconds:,.0f} s in cases; the slowest took {seconds:.1f} s (case {name})",
        ]
        ordered = sorted(self.failures.items(), key=lambda item: -len(item[1]))
        return lines + [_line(signature, reports) for signature, reports in ordered]


def _line(signature: str, reports: list[Report]) -> str:
    smallest = min(reports, key=_order)
    return f"{len(reports):6,} × {signature}   [case {smallest.name}, {smallest.command}]"


def _order(report: Report) -> tuple[int, str]:
    return (int(report.name), "") if report.name.isdigit() else (-1, report.name)
