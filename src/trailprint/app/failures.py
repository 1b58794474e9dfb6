"""What is wrong with a form or stopped a command: the message, and the field it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trailprint.errors import TrailprintError


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """
    An error as the app shows and keeps it.

    Attributes
    ----------
    message : str
        The message of the command line.
    option : str, optional
        The option concerned, as its flag without dashes.
    suggestions : tuple of str
        Values to try for this option.
    """

    message: str
    option: str | None = None
    suggestions: tuple[str, ...] = ()

    @classmethod
    def describe(cls, error: TrailprintError) -> Failure:
        """The failure that an error is."""
        return cls(
            message=error.for_command_line(), option=error.option, suggestions=error.suggestions
        )

    @classmethod
    def read(cls, found: object) -> Failure | None:
        """A failure from JSON; None if it is none. Files may be damaged or come from anyone."""
        if not isinstance(found, Mapping) or not isinstance(found.get("message"), str):
            return None
        option, suggestions = found.get("option"), found.get("suggestions")
        return cls(
            message=found["message"],
            option=option if isinstance(option, str) else None,
            suggestions=tuple(one for one in suggestions if isinstance(one, str))
            if isinstance(suggestions, list)
            else (),
        )

    def to_dict(self) -> dict[str, Any]:
        """The failure as JSON values, which `read` takes."""
        return {
            "message": self.message,
            "option": self.option,
            "suggestions": list(self.suggestions),
        }
