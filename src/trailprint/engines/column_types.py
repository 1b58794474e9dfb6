"""One type for a column that files were written with in several."""

from __future__ import annotations

from collections.abc import Collection

OTHER_TYPES = (
    "A column must have one type in all files that are read at once, but one has types that do not "
    "go together, such as numbers and times. Write them alike."
)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_BROKEN = ("float", "double")
#: Times without a zone, as Spark calls them, and with one.
_PLAIN, ZONED = ("date", "timestamp_ntz"), "timestamp"
#: What a file without any value has.
_NOTHING = "void"


def choose_type(kinds: Collection[str]) -> str | None:
    """
    The type, as Spark calls it, that values of several become; None where there is none.

    As DuckDB does it: the widest number, times rather than days, text where nothing else will do.
    What has a zone becomes text beside what has none, so that whoever reads it sees both.

    Examples
    --------
    >>> choose_type(["int", "bigint"]), choose_type(["date", "timestamp_ntz"])
    ('bigint', 'timestamp_ntz')
    >>> choose_type(["int", "string"]), choose_type(["int", "timestamp"])
    ('string', None)
    """
    found = set(kinds) - {_NOTHING}
    if len(found) <= 1:
        return next(iter(found), _NOTHING)
    if found <= {*_WHOLE, *_BROKEN}:
        widest = (*_WHOLE, *_BROKEN)
        return max(found, key=widest.index)
    if found <= set(_PLAIN):
        return "timestamp_ntz"
    is_text = found <= {*_WHOLE, "string"} or found <= {*_PLAIN, ZONED, "string"}
    return "string" if is_text else None
