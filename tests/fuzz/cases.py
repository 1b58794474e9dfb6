"""One case: files, and what is done with them. Its number decides everything."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Options whose value is written to.
OUTPUT_OPTIONS = (
    "--out",
    "--released",
    "--auxiliary",
    "--links",
    "--work",
    "--per-user",
    "--release",
    "--keys",
)
#: Of these, options whose files are meant to hold people.
_DATA_OPTIONS = tuple(option for option in OUTPUT_OPTIONS if option != "--out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    Files in a folder of their own, and a command or a few lines of Python run there.

    ``arguments`` are those of the program; where ``source`` is given, it is run instead.
    """

    name: str
    files: Mapping[str, bytes]
    arguments: tuple[str, ...] = ()
    source: str = ""

    @property
    def command(self) -> str:
        """The command, or ``python``."""
        return "python" if self.source else next(iter(self.arguments), "")

    @property
    def text(self) -> str:
        """All that a person typed, who may see it again."""
        return self.source if self.source else " ".join(self.arguments)

    @property
    def is_costly(self) -> bool:
        """Whether this may take more than a fraction of a second."""
        return self.command in ("audit", "reproduce", "demo") or "audit(" in self.source

    @property
    def names_locations(self) -> bool:
        """Whether locations may be named in outputs."""
        return "--name-locations" in self.arguments or "name_locations=True" in self.source

    def outputs(self) -> tuple[str, ...]:
        """Where something may be written; what was done to a release is written beside it."""
        named = [(name, value) for name, value in self._pairs() if name in OUTPUT_OPTIONS and value]
        beside = [
            str(Path(value).parent / "release.json") for n, value in named if n == "--release"
        ]
        return (*(value for _, value in named), *beside)

    def data_outputs(self) -> tuple[str, ...]:
        """Where people's data is meant to go."""
        options = _DATA_OPTIONS if self.command == "audit" else OUTPUT_OPTIONS
        prepared = [f"{folder}/prepared" for folder in self.kept_outputs()]
        return (
            *(value for name, value in self._pairs() if name in options and value),
            *(prepared if "--keep-prepared" in self.arguments else ()),
        )

    def kept_outputs(self) -> tuple[str, ...]:
        """Where finished work stays, also when the rest fails."""
        work = {value for name, value in self._pairs() if name == "--work" and value}
        if self.command == "audit":
            work |= {f"{value}/work" for name, value in self._pairs() if name == "--out" and value}
        return tuple(sorted(work))

    def _pairs(self) -> list[tuple[str, str]]:
        given = [
            tuple(one.split("=", 1))
            for one in self.arguments
            if one.startswith("--") and "=" in one
        ]
        return [*zip(self.arguments, self.arguments[1:], strict=False), *given]  # type: ignore[list-item]


def make_case(number: int) -> Case:
    """The case of this number."""
    from tests.fuzz.api import draw_source
    from tests.fuzz.commands import draw_command

    rng = random.Random(f"trailprint {number}")
    if rng.random() < 0.15:
        source, files = draw_source(rng)
        return Case(name=str(number), files=files, source=source)
    arguments, files = draw_command(rng)
    return Case(name=str(number), files=files, arguments=tuple(arguments))
