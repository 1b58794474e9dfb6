"""Parse protections written as text: chains, and the values of a sweep; describe them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.reading.side_files import open_pairs
from trailprint.protections.protection import Protection
from trailprint.protections.registry import parse_protection, read_value
from trailprint.studies.frontier import find_swept


def read_chain(
    protections: Protection | str | Sequence[Protection | str], engine: Engine
) -> tuple[Protection, ...]:
    """
    Return protections, given as objects or as text, in order.

    A text names one protection, or several joined by `` then ``; a single one needs no list.
    """

    def read_pairs(path: str, columns: tuple[str, str]) -> pa.Table:
        return engine.arrow(open_pairs(engine, path, columns, "A mapping"))

    chain: list[Protection] = []
    for step in list_protections(protections):
        if isinstance(step, str):
            chain += [parse_protection(text, read_pairs) for text in step.split(" then ")]
        elif isinstance(step, Protection):
            chain.append(step)
        else:
            raise OptionError(
                "A protection must be an object or a text such as 'microaggregate:k=5', "
                f"got {_name_kind(step)} instead."
            )
    if not chain:
        raise OptionError("At least one protection is needed, got none. Try microaggregate:k=5.")
    return tuple(chain)


def list_protections(protections: object) -> list[Any]:
    """Return one or several protections as a list; a string counts as one protection."""
    if isinstance(protections, str | Protection):
        return [protections]
    if not isinstance(protections, Iterable) or isinstance(protections, bytes | Mapping):
        raise OptionError(
            "Protections must be a list such as ['microaggregate:k=5'], "
            f"got {_name_kind(protections)} instead."
        )
    return list(protections)


def _name_kind(value: object) -> str:
    """Return the name of a value's type, never its content."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def read_sweep(text: str, protections: Sequence[Protection]) -> tuple[str, tuple[Any, ...]]:
    """Parse ``key=value,value,…`` with the type that the protection declares for the key."""
    key, separator, rest = text.partition("=")
    values = [value.strip() for value in rest.split(",") if value.strip()]
    if not separator or not values:
        raise OptionError(f"A sweep must look like k=2,5,10, got {text!r} instead.")
    kind = type(protections[find_swept(protections, key.strip())])
    return key.strip(), tuple(read_value(kind, key.strip(), value) for value in values)


def describe_chain(protections: Sequence[Protection]) -> list[dict[str, Any]]:
    """Return names and parameters of protections, in order."""
    return [{"name": step.name, "parameters": step.parameters()} for step in protections]
