"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def late(package: str, where: Mapping[str, str]) -> Callable[[str], object]:
    """A ``__getattr__`` for ``package`` that finds each name in the module ``where`` says."""

    def find(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(where[name]), name)

    return find
