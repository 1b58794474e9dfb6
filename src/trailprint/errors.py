"""
What can go wrong, as one tree.

::

    TrailprintError            caught by the command line: one sentence, exit code 2
    ├── OptionError            an option's value breaks its rule
    ├── InputError             the data cannot be used as it is
    │   ├── SourceError        no such file, not a format we read, broken encoding
    │   ├── ColumnError        a column that is needed is not there
    │   └── BadRowsError       too many rows that cannot be used
    └── OutputError            a result could not be written

Every message says the rule, what arrived and what to do. No message ever holds a value of the
data: names of columns, values of options and counts are all a message may show.
"""

from __future__ import annotations

import errno
import os

_FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EFBIG: "the system allows no larger files",
}


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


def reason_of(error: OSError) -> str:
    """
    The system's reason for an error, such as ``No such file or directory``.

    The error's own words may hold the name of a file, which may be that of a person.
    """
    if not error.errno:
        return "it is damaged"
    return _FULL.get(error.errno) or os.strerror(error.errno)
