"""Parsing of memory sizes: a number and its unit."""

from __future__ import annotations

import re

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([KMGT])(i?)B\s*$", re.IGNORECASE)


def parse_size(text: str) -> int | None:
    """
    Return a size with its unit in bytes; None if the text is not a size.

    Examples
    --------
    >>> parse_size("2GB"), parse_size("1.5 KiB"), parse_size("2")
    (2000000000, 1536, None)
    """
    found = _SIZE.match(text)
    if found is None:
        return None
    number, unit, binary = found.groups()
    power = "KMGT".index(unit.upper()) + 1
    return int(float(number) * (1024 if binary else 1000) ** power)
