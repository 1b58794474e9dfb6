"""Formatting of numbers, for people and for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_DIGITS = 4
"""Significant digits in tables for people."""
_LEAST = 1e-4
"""Numbers closer to zero than this are shown as "below" it."""
_ROUNDING = 1e-12
"""Shares below this are zero up to floating-point rounding."""


def to_json(values: Any, *, indent: int | None = 2) -> str:
    """Return strict JSON, which has neither infinity nor NaN: both are written as null."""
    return json.dumps(to_finite(values), ensure_ascii=False, indent=indent, allow_nan=False)


def to_finite(values: Any) -> Any:
    """Return plain values with None in place of every number that is not finite."""
    if isinstance(values, float):
        return values if math.isfinite(values) else None
    if isinstance(values, Mapping):
        return {name: to_finite(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [to_finite(value) for value in values]
    return values


def format_number(number: float) -> str:
    """Return a number with thousands separators, four significant digits and no exponent."""
    if not math.isfinite(number):
        return "—" if math.isnan(number) else ("∞" if number > 0 else "-∞")
    if number == int(number):
        return f"{int(number):,}"
    if abs(number) < _LEAST:
        return f"below {_LEAST:g}" if number > 0 else f"above -{_LEAST:g}"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(number))))
    whole, point, rest = f"{number:,.{decimals}f}".partition(".")
    rest = rest.rstrip("0")
    return f"{whole}{point}{rest}" if rest else whole


def format_exact(number: float) -> str:
    """Return every digit of a number: 5 and not 5.0, 1,000,000 and not 1e+06."""
    if not math.isfinite(number):
        return str(number)
    return f"{Decimal(str(number)):,f}".removesuffix(".0")


def format_percent(share: float) -> str:
    """Return a share in percent: one decimal, or two significant digits if that would show 0.0."""
    if not _ROUNDING < abs(share) < 0.0005:
        return f"{100 * share:.1f} %"
    return f"{100 * share:.2g} %" if abs(share) >= 1e-6 else "below 0.0001 %"


def format_seconds(seconds: float) -> str:
    """Return a duration as text: ``5.3 s``, ``7 min 40 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s"
