"""
The tree of exceptions.

::

    TrailprintError            caught by the command line: one sentence, exit code 2
    ├── OptionError            an option's value breaks its rule
    ├── InputError             the data cannot be used as it is
    │   ├── SourceError        no such file, unknown format, broken encoding
    │   ├── ColumnError        a required column is missing
    │   └── BadRowsError       too many unusable rows
    ├── OutputError            a result could not be written
    └── EngineError            Spark is missing, or failed

Every message states the rule, what was given instead, and what to do. No message contains values of
the data, only names of columns, values of options and counts.

An error also holds what a program needs to help: the option concerned and values to try for it. No
code reads them out of the message.

Messages are written with the flags of the command line, ``--size``. `str` of an error replaces each
flag by the option's name in Python, ``size``; `TrailprintError.for_command_line` keeps the flags.
Commands in quotes, ``'trailprint match --size 3'``, are the same for both.
"""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EFBIG: "the system allows no larger files",
}


#: Flags whose names in Python differ by more than the dashes.
_PYTHON_NAMES = {
    "between": "time_range",
    "cell": "cell_m",
    "columns": "header",
    "duration-edges": "duration_edges_s",
    "folds": "n_folds",
    "protect": "protections",
    "reach": "reach_m",
    "rounds": "n_rounds",
    "runs": "n_runs",
    "threads": "n_threads",
    "time-limit": "time_limit_s",
    "view-weights": "weights",
    **{f"{name}-column": f"column_names[{name!r}]" for name in ("user", "location", "start")},
    **{f"{name}-column": f"column_names[{name!r}]" for name in ("end", "lat", "lon")},
    "count-column": "column_names['weight']",
    "keep-column": "keep_columns",
}
#: Further such flags, whose names in Python are also those of other flags.
_SHARED_NAMES = {"set": "settings"}
#: A quoted command, or a flag as a separate word, not inside a quoted value.
_FLAG = re.compile(r"'trailprint [^']*'|(?<![\w'\"-])--([a-z][a-z0-9-]*)")


def spell_option(name: str) -> str:
    """Return the flag of an option without its dashes, given the option's name in Python."""
    flags = {python: flag for flag, python in _PYTHON_NAMES.items()}
    return flags.get(name, name.replace("_", "-"))


def to_flag(name: str) -> str:
    """Return the flag of an option, given its name in Python."""
    return f"--{spell_option(name)}"


class TrailprintError(Exception):
    """
    Base class of all errors that a user can cause and fix.

    Attributes
    ----------
    option : str, optional
        The option concerned, as its flag without dashes: ``time-format``. ``table`` is the name
        after ``::`` in a source.
    suggestions : tuple of str
        Values to try for this option. They hold nothing of the data that the message may not.

    Examples
    --------
    >>> import trailprint as tp
    >>> try:
    ...     tp.read("no-such-file.csv")
    ... except tp.TrailprintError as error:
    ...     print(type(error).__name__)
    SourceError
    """

    def __init__(
        self, message: str = "", *, option: str | None = None, suggestions: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.option = option
        self.suggestions = tuple(suggestions)

    def __str__(self) -> str:
        return in_python(super().__str__())

    def for_command_line(self) -> str:
        """The message with flags such as ``--size``."""
        return super().__str__()


def in_python(text: str) -> str:
    """Replace flags in a sentence by the names of the options in Python."""
    return _FLAG.sub(lambda found: _python_name(found[1]) if found[1] else found[0], text)


def _python_name(flag: str) -> str:
    return {**_PYTHON_NAMES, **_SHARED_NAMES}.get(flag, flag.replace("-", "_"))


class OptionError(TrailprintError):
    """An option's value breaks its rule."""


class InputError(TrailprintError):
    """The data cannot be used as it is."""


class SourceError(InputError):
    """The source is missing, unreadable or in an unknown format."""


class ColumnError(InputError):
    """A required column is missing."""


class BadRowsError(InputError):
    """More rows than allowed are unusable."""


class OutputError(TrailprintError):
    """A result could not be written."""


class EngineError(TrailprintError):
    """The requested engine is missing, or failed."""


def reason_of(error: OSError) -> str:
    """
    The system's reason for an error, such as ``No such file or directory``.

    The error's own message may contain a file name, which may identify a person.
    """
    if not error.errno:
        return "it is damaged"
    return _FULL.get(error.errno) or os.strerror(error.errno)
