"""Proposals of time formats for a column, tried on a sample whose values are never shown."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime

from trailprint.events.engine import Engine

_DATES = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%d %b %Y", "%d-%b-%Y", "%d %B %Y"),
    *("%b %d %Y", "%b %d, %Y", "%B %d, %Y", "%d %b %y", "%d-%b-%y", "%Y-%m-%d", "%Y %m %d"),
    *("%Y%m%d", "%d%m%Y"),
)
_CLOCKS = (
    *("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%H:%M:%S,%g", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p"),
    *("%H:%M:%S %z", "%H:%M %z", "%Hh%M", "%H.%M", "%H.%M.%S", "%H%M%S", "%H%M"),
)
_OTHERS = (
    *("%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S %z"),
    *("%d/%b/%Y:%H:%M:%S %z", "%Y%m%d%H%M%S", "%Y%m%d%H%M", "%H:%M %d.%m.%Y", "%H:%M:%S %d/%m/%Y"),
)
_SEPARATORS = (" ", ", ", "T")
FORMATS = (
    *_DATES,
    *(sep.join(pair) for pair in itertools.product(_DATES, _CLOCKS) for sep in _SEPARATORS),
    *_OTHERS,
)
#: Times of day without a date.
_CLOCKS_ALONE = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%H:%M:%S.%f")
_SAMPLE_ROWS = 300
_FEW = 5
#: A format that reads a smaller share of the sample is not proposed.
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Formats that read the same, largest share of a sample; empty if that share is too small."""

    formats: tuple[str, ...] = ()
    share: float = 0.0
    is_time_of_day: bool = False

    @property
    def is_useful(self) -> bool:
        """Whether there is anything to tell the user."""
        return self.is_time_of_day or bool(self.formats)

    def describe(self) -> str:
        """Return a sentence that helps the user to choose; empty if there is no proposal."""
        if self.is_time_of_day:
            return " These are times of day without a date: put both in one column first."
        if not self.formats:
            return ""
        if len(self.formats) == 1:
            return f" {self.formats[0]!r} reads {self.share:.0%} of a sample."
        shown = ", ".join(map(repr, self.formats))
        return f" {shown} each read {self.share:.0%} of a sample: choose one with --time-format."


def propose_formats(engine: Engine, table: str, text: str) -> Proposal:
    """Return the formats that read most of a sample of the SQL expression ``text`` of ``table``."""
    rows = engine.rows(
        f"SELECT text FROM (SELECT DISTINCT trim(CAST({text} AS VARCHAR)) AS text FROM {table}) "
        f"WHERE text <> '' ORDER BY hash(text), text LIMIT {_SAMPLE_ROWS}"
    )
    return _best_formats([row[0] for row in rows])


def _best_formats(texts: list[str]) -> Proposal:
    if not texts:
        return Proposal()
    least = _LEAST_SHARE * len(texts)
    if max(_count_read(texts, form) for form in _CLOCKS_ALONE) >= least:
        return Proposal(is_time_of_day=True)
    # Most formats read nothing, which a few texts are enough to show.
    few = texts[:_FEW]
    counts = {form: _count_read(texts, form) for form in FORMATS if _count_read(few, form)}
    most = max(counts.values(), default=0)
    if most < least:
        return Proposal()
    best = tuple(form for form, n in counts.items() if n == most)
    return Proposal(formats=best[:3], share=most / len(texts))


def _count_read(texts: list[str], form: str) -> int:
    # Milliseconds are %g in DuckDB; strptime reads them with %f.
    known = form.replace("%g", "%f")
    return sum(_is_read(text, known) for text in texts)


def _is_read(text: str, form: str) -> bool:
    try:
        return 1900 <= datetime.strptime(text, form).year <= 2100
    except ValueError:
        return False
