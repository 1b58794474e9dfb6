"""Lazy loading of names of a package."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def late(package: str, where: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for ``package``; ``where`` maps each name to its module."""

    def find(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(where[name]), name)

    return find
