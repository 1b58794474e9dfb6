"""
What can go wrong, as one tree.

::

    TrailprintError            caught by the command line: one sentence, exit code 2
    ├── OptionError            an option's value breaks its rule
    ├── InputError             the data cannot be used as it is
    │   ├── SourceError        no such file, not a format we read, broken encoding
    │   ├── ColumnError        a column that is needed is not there
    │   └── BadRowsError       too many rows that cannot be used
    ├── OutputError            a result could not be written
    └── EngineError            Spark is not there, or could not do the work

Every message says the rule, what arrived and what to do. No message ever holds a value of the
data: names of columns, values of options and counts are all a message may show.

Messages are written with the flags of the command line, ``--size``. In Python they read ``size``:
`str` of an error gives each option the name it has there, and `TrailprintError.for_command_line`
leaves the flags.
"""

from __future__ import annotations

import errno
import os
import re

_FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EFBIG: "the system allows no larger files",
}


#: Flags whose names differ in Python by more than dashes.
_PYTHON_NAMES = {
    "between": "time_range",
    "cell": "cell_m",
    "columns": "header",
    "duration-edges": "duration_edges_s",
    "folds": "n_folds",
    "protect": "protections",
    "rounds": "n_rounds",
    "runs": "n_runs",
    "threads": "n_threads",
    "time-limit": "time_limit_s",
    **{f"{name}-column": f"column_names[{name!r}]" for name in ("user", "location", "start")},
    **{f"{name}-column": f"column_names[{name!r}]" for name in ("end", "lat", "lon")},
    "count-column": "column_names['weight']",
    "keep-column": "keep_columns",
}
#: A flag as a word of its own: not inside a quoted value.
_FLAG = re.compile(r"(?<![\w'\"-])--([a-z][a-z0-9-]*)")


def to_flag(name: str) -> str:
    """The flag of an option by its name in Python."""
    flags = {python: flag for flag, python in _PYTHON_NAMES.items()}
    return "--" + flags.get(name, name.replace("_", "-"))


class TrailprintError(Exception):
    """
    Base of every error a user can cause and mend.

    Examples
    --------
    >>> import trailprint as tp
    >>> try:
    ...     tp.read("no-such-file.csv")
    ... except tp.TrailprintError as error:
    ...     print(type(error).__name__)
    SourceError
    """

    def __str__(self) -> str:
        return in_python(super().__str__())

    def for_command_line(self) -> str:
        """The message with flags such as ``--size``."""
        return super().__str__()


def in_python(text: str) -> str:
    """A sentence that names flags, with the names that options have in Python."""
    return _FLAG.sub(lambda found: _python_name(found[1]), text)


def _python_name(flag: str) -> str:
    return _PYTHON_NAMES.get(flag, flag.replace("-", "_"))


class OptionError(TrailprintError):
    """An option's value breaks its rule."""


class InputError(TrailprintError):
    """The data cannot be used as it is."""


class SourceError(InputError):
    """The source is missing, unreadable or in no format we know."""


class ColumnError(InputError):
    """A column that is needed is not there."""


class BadRowsError(InputError):
    """More rows than allowed cannot be used."""


class OutputError(TrailprintError):
    """A result could not be written."""


class EngineError(TrailprintError):
    """The engine that was asked for is not there, or could not do the work."""


def reason_of(error: OSError) -> str:
    """
    The system's reason for an error, such as ``No such file or directory``.

    The error's own words may hold the name of a file, which may be that of a person.
    """
    if not error.errno:
        return "it is damaged"
    return _FULL.get(error.errno) or os.strerror(error.errno)
