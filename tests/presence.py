"""What a test knows to be there."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def present(value: Value | None) -> Value:
    """The value of something optional; the test fails where there is none."""
    assert value is not None
    return value
