"""Choose one type for a column whose type differs between files."""

from __future__ import annotations

from collections.abc import Collection

OTHER_TYPES = (
    "A column must have one type in all files that are read at once, but one has types that do not "
    "go together, such as numbers and times. Use one type."
)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_BROKEN = ("float", "double")
#: Spark's names of the types for times without a time zone, and with one.
_PLAIN, ZONED = ("date", "timestamp_ntz"), "timestamp"
#: The type of a column without any value.
_NOTHING = "void"


def choose_type(kinds: Collection[str]) -> str | None:
    """
    Return Spark's name of the common type of several types; None if there is none.

    Follows DuckDB: the widest number, times rather than days, text as a last resort. Times with a
    zone become text when mixed with text, so that the zone stays visible.

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
