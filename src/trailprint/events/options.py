"""Options for reading a source."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from trailprint.arguments import Texts, Understood, check_argument, check_fields, understood
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError
from trailprint.events.events import Column

_WINDOW = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)(?:-|–|\.\.)([01]?\d|2[0-4]):([0-5]\d)$")

#: Stays are cut at every midnight; a hundred years limits the rows that one stay can become.
_LONGEST_STAY_DAYS = 36_600

_DELIMITER = re.compile(r'^[^"\r\n\0]\Z')
#: Python counts these as text encodings, but they are not used for files.
_NO_ENCODINGS = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape")
#: Spellings of a tab, which is hard to type in a shell.
_TABS = ("tab", "\\t")
_DAY_MIN = 24 * 60


@dataclass(frozen=True, slots=True)
class Window:
    """
    A part of the day: from ``start`` up to ``end``.

    Attributes
    ----------
    start, end : int
        Minutes after local midnight.

    Examples
    --------
    >>> from trailprint.options import Window
    >>> Window.parse("09:00-17:00").start
    540
    """

    start: int
    end: int

    @classmethod
    def parse(cls, text: str) -> Window:
        """Read ``09:00-17:00``."""
        check_argument("text", text, str)
        match = _WINDOW.match(text.strip())
        if match:
            hours = [int(part) for part in match.groups()]
            start, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
            if start < end <= _DAY_MIN:
                return cls(start, end)
        raise OptionError(
            f"A part of the day must look like 09:00-17:00 and end after it starts, got {text!r}."
        )

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.start < self.end <= _DAY_MIN:
            raise OptionError(
                f"A part of the day must start and end within {_DAY_MIN} minutes after midnight "
                f"and end after it starts, got {self.start} to {self.end} instead."
            )

    def __str__(self) -> str:
        return f"{self.start // 60:02}:{self.start % 60:02}-{self.end // 60:02}:{self.end % 60:02}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """
    How a source is to be read.

    Attributes
    ----------
    layout : str, optional
        A known research layout; 'trailprint layouts' lists them (default: recognised).
    column_names : mapping, optional
        The source's names for our columns, where they are not among the known names.
    identity : tuple of str
        Columns that together identify the user.
    whole_row : bool
        If no user column is found, all columns without another role together identify the user.
    one_place : bool
        If the source has no locations, put all events in one place, to study times alone.
    header : tuple of str
        Names of the columns of delimited files without a header row.
    delimiter : str, optional
        Field delimiter (default: detected). ``tab`` stands for a tab.
    encoding : str, optional
        Encoding of text, such as cp1250 (default: UTF-8, UTF-16 or cp1252, detected).
    timezone : str
        Time zone of days, and of times that name none.
    time_format : str, optional
        Format of unusual times, as for strptime, such as '%d/%m/%Y'.
    window : Window or str, optional
        Start-only logs: part of the day to rebuild, such as 09:00-17:00.
    present_throughout : bool
        Start-only logs: only users present for the whole ``window``.
    max_stay_days : float
        Longer stays cannot be used. Dates such as 9999-12-31 stand for "unknown".
    allow_bad_rows : bool
        Go on when more than 1 % of the rows cannot be used.
    drop_duplicates : bool
        Keep one of each set of rows that are equal in every column.
    keep_columns : tuple of str
        Other columns of the source that a release passes through as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> log = pa.table({"mac": ["m1", "m2"], "ap": ["x", "y"], "seen": ["4.3.2024", "5.3.2024"]})
    >>> names = {"user": "mac", "location": "ap", "start": "seen"}
    >>> options = tp.ReadOptions(column_names=names, time_format="%d.%m.%Y")
    >>> tp.inspect(tp.read(log, options)).first
    '2024-03-04'
    """

    layout: str | None = None
    column_names: Mapping[Column, str] = field(default_factory=dict)
    identity: Texts = understood()
    whole_row: bool = False
    one_place: bool = False
    header: Texts = understood()
    delimiter: str | None = None
    encoding: str | None = None
    timezone: str = "UTC"
    time_format: str | None = None
    window: Understood[Window | None, str] = understood(None)
    present_throughout: bool = False
    max_stay_days: float = 366.0
    allow_bad_rows: bool = False
    drop_duplicates: bool = False
    keep_columns: Texts = understood()

    @property
    def given_names(self) -> tuple[str, ...]:
        """Every column name that the user gave; a row that contains one is a header."""
        return (*self.column_names.values(), *self.identity, *self.keep_columns)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.delimiter in _TABS:
            object.__setattr__(self, "delimiter", "\t")
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _known_encoding(self.encoding))
        unknown = set(self.column_names) - set(get_args(Column))
        if unknown:
            raise OptionError(
                f"column_names must be for some of {', '.join(get_args(Column))}, got "
                f"{', '.join(sorted(unknown))} instead."
            )
        if self.delimiter is not None and not _DELIMITER.match(self.delimiter):
            raise OptionError(
                "--delimiter must be one character and neither a quote nor the end of a line, "
                f"got {self.delimiter!r} instead.",
                option="delimiter",
            )
        if not 0 < self.max_stay_days <= _LONGEST_STAY_DAYS:
            raise OptionError(
                f"--max-stay-days must be above 0 and at most {_LONGEST_STAY_DAYS:,} days, got "
                f"{format_exact(self.max_stay_days)} instead. Try 366.",
                option="max-stay-days",
            )
        if self.present_throughout and self.window is None:
            raise OptionError(
                "--present-throughout needs --window, such as 09:00-17:00.",
                option="present-throughout",
            )


def _known_encoding(name: str) -> str:
    """Return Python's name of a text encoding; raise an error if it is not one."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding or found.name in _NO_ENCODINGS:
        raise OptionError(
            f"--encoding must be an encoding of text, got {name!r} instead. Try cp1252 or utf-16.",
            option="encoding",
        )
    return found.name
