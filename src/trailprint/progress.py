"""How far long work has come: one type for all who tell it and all who show it."""

from __future__ import annotations

from collections.abc import Callable

#: ``progress(what, done)``: what is being done, and which share of it is over (None: unknown).
Progress = Callable[[str, float | None], None]


def tell_nobody(what: str, done: float | None) -> None:
    """Progress that nobody watches."""
