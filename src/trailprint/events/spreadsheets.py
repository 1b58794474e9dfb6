"""Tables for spreadsheets, guarded against text that would run as a formula."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

_STARTS_FORMULA = frozenset("=+-@\u2212")
#: A sign before plain digits, as in phone numbers, makes a number at worst and runs nothing.
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
#: Unicode categories of controls, invisible marks and separators, which end cells or hide text.
_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
#: Characters that need quotes; some end a cell in spreadsheets of other locales.
_TO_QUOTE = re.compile(r'[",;|\'\\]|^\s|\s$')


def guard_text(text: str) -> str:
    """
    Return text with an apostrophe before anything that a spreadsheet would run as a formula.

    Control characters and invisible marks are escaped. Formulas after spaces or with a full-width
    first character are recognised too. Plain numbers are unchanged.
    """
    visible = "".join(_escape(letter) for letter in text)
    read = unicodedata.normalize("NFKC", visible).lstrip()
    is_formula = read[:1] in _STARTS_FORMULA and not _NUMBER.fullmatch(visible)
    return f"'{visible}" if read and is_formula else visible


def _escape(letter: str) -> str:
    if unicodedata.category(letter) not in _INVISIBLE:
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def guard_columns(table: pa.Table) -> pa.Table:
    """Return the table with all text guarded, column names included."""
    columns = [_guard_column(column) for column in table.columns]
    return pa.table(columns, names=[guard_text(name) for name in table.column_names])


def _guard_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return column
    coded = column.combine_chunks().dictionary_encode()
    texts = [None if text is None else guard_text(text) for text in coded.dictionary.to_pylist()]
    return pa.chunked_array([pa.array(texts, type=kind).take(coded.indices)])


def write_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV text with a header of all their names; empty if there are no rows."""
    if not rows:
        return ""
    # A row may have a field that others lack, such as the bound of a masked rate.
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines: list[list[Any]] = [names, *([row.get(name) for name in names] for row in rows)]
    return "".join(",".join(map(_cell, line)) + "\n" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, int, float)):
        return str(value)
    text = guard_text(str(value))
    return '"' + text.replace('"', '""') + '"' if _TO_QUOTE.search(text) else text
