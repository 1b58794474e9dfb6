"""Tables that people open in a spreadsheet: no text in them may be run as a formula."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

_STARTS_FORMULA = frozenset("=+-@\u2212")
#: A sign before plain digits, as of phone numbers, is a number at worst and runs nothing.
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
#: Controls, invisible marks, line and paragraph separators: they end cells or hide what follows.
_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
#: Spreadsheets of other countries take some of these for the end of a cell.
_TO_QUOTE = re.compile(r'[",;|\'\\]|^\s|\s$')


def guard_text(text: str) -> str:
    """
    A text that no spreadsheet runs: an apostrophe before what reads as a formula.

    Control characters and invisible marks are written as escapes. Spaces before a formula and
    full-width forms of its first character are seen through. Plain numbers stay as they are.
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
    """The table with every text guarded, names of columns included."""
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
    """Rows as comma-separated text under the names of all of them; nothing for no rows."""
    if not rows:
        return ""
    # A row may have a name that others lack, such as the bound of a masked rate.
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
