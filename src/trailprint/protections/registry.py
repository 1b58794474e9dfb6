"""Every protection by name, and how one is written as text: ``NAME[:key=value,…]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

import pyarrow as pa

from trailprint.errors import OptionError
from trailprint.protections.alike_trails import AlikeTrails
from trailprint.protections.coarsen import CoarsenGrid, CoarsenNames, CoarsenRegions, CoarsenTime
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.noise import Noise
from trailprint.protections.perturb import PerturbLocations, PerturbTimes
from trailprint.protections.protection import Protection
from trailprint.protections.suppress import (
    ActiveUsers,
    CommonLocations,
    Period,
    TopLocations,
    Weekdays,
)

#: Reads a file of pairs, given its name and its two columns.
ReadPairs = Callable[[str, tuple[str, str]], pa.Table]

_KINDS: tuple[type[Protection], ...] = (
    CoarsenGrid,
    CoarsenRegions,
    CoarsenNames,
    CoarsenTime,
    TopLocations,
    CommonLocations,
    Weekdays,
    Period,
    ActiveUsers,
    AlikeTrails,
    PerturbLocations,
    PerturbTimes,
    Microaggregate,
    Noise,
)

PROTECTIONS: dict[str, type[Protection]] = {kind.name: kind for kind in _KINDS}


def register_protection(kind: type[Protection]) -> None:
    """Register a protection from another package."""
    PROTECTIONS[kind.name] = kind


def parse_protection(text: str, read_pairs: ReadPairs | None = None) -> Protection:
    """Parse ``NAME[:key=value,…]``; files named as parameters are read by ``read_pairs``."""
    name, _, rest = text.partition(":")
    kind = find_protection(name)
    parts = [part for part in rest.split(",") if part.strip()]
    given = dict(_read_part(kind, part, read_pairs) for part in parts)
    if len(given) < len(parts):
        raise OptionError(f"{name} must get each parameter once, got {text!r}.")
    missing = [item.name for item in fields(kind) if _is_required(item) and item.name not in given]
    if missing:
        raise OptionError(
            f"{name} needs {', '.join(missing)}, got none. Write {name}:{missing[0]}=…"
        )
    return kind(**given)


def check_chain(text: str) -> None:
    """Raise an error if a text does not name protections, joined by `` then ``; opens no file."""

    def read_pairs(_: str, columns: tuple[str, str]) -> pa.Table:
        return pa.table({name: pa.array([], pa.string()) for name in columns})

    for step in text.split(" then "):
        parse_protection(step, read_pairs)


def write_protection(step: Protection) -> str:
    """A protection as text for `parse_protection`, with required, audited and changed values."""
    given = [
        f"{item.name}={_spell(getattr(step, item.name))}"
        for item in fields(step)
        if item.name == step.audited
        or _is_required(item)
        or getattr(step, item.name) != item.default
    ]
    return f"{step.name}:{','.join(given)}" if given else step.name


def is_writable(step: Protection) -> bool:
    """Whether a protection can be written as text: not if a parameter comes from a file."""
    return not any("file" in item.metadata for item in fields(step))


def _spell(value: object) -> str:
    """A value as text; a number with no more digits than needed."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if not isinstance(value, float) or float(short) == value else repr(value)


def find_protection(name: str) -> type[Protection]:
    """The class of protection with this name."""
    if name.strip() not in PROTECTIONS:
        known = ", ".join(PROTECTIONS)
        raise OptionError(f"A protection must be one of {known}, got {name!r} instead.")
    return PROTECTIONS[name.strip()]


def _is_required(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _read_part(
    kind: type[Protection], part: str, read_pairs: ReadPairs | None
) -> tuple[str, object]:
    key, separator, value = (piece.strip() for piece in part.partition("="))
    if not separator:
        raise OptionError(f"A parameter must look like key=value, got {part!r} instead.")
    return key, read_value(kind, key, value, read_pairs)


def read_value(
    kind: type[Protection], key: str, text: str, read_pairs: ReadPairs | None = None
) -> object:
    """Parse one parameter's value as the type that the protection declares."""
    own = {item.name: item for item in fields(kind)}
    if key not in own:
        *others, last = own
        known = f"{', '.join(others)} and {last}" if others else last
        raise OptionError(f"{kind.name} takes {known}, got {key!r} instead.")
    columns = own[key].metadata.get("file")
    if columns is not None:
        if read_pairs is None:
            raise OptionError(f"{kind.name} needs {key} as a table, got text instead.")
        return read_pairs(text, columns)
    wanted = get_type_hints(kind)[key]
    if wanted not in (int, float):
        return text
    try:
        return wanted(text)
    except ValueError:
        what = "a whole number" if wanted is int else "a number"
        raise OptionError(f"{key} must be {what}, got {text!r} instead.") from None


def describe_protections() -> dict[str, dict[str, Any]]:
    """Summaries, parameters with defaults, and what is changed, of all protections."""
    return {
        name: {
            "summary": kind.summary,
            "parameters": {item.name: _default(item) for item in fields(kind)},
            "applies_to": kind.applies_to,
            "public": kind.is_public,
        }
        for name, kind in PROTECTIONS.items()
    }


def _default(item: Field[Any]) -> object:
    return None if _is_required(item) else item.default


def list_kinds(chain: Sequence[str]) -> list[type[Protection]]:
    """The classes of protections written as text, in order; no file is opened."""
    steps = [step for text in chain for step in text.split(" then ")]
    return [find_protection(step.partition(":")[0]) for step in steps]


def file_parameters(text: str) -> list[str]:
    """The files named in the text of a chain of protections; none is opened or checked."""
    found = []
    for step in text.split(" then "):
        name, _, rest = step.partition(":")
        kind = PROTECTIONS.get(name.strip())
        files = {item.name for item in fields(kind) if "file" in item.metadata} if kind else ()
        pairs = (part.partition("=") for part in rest.split(","))
        found += [value.strip() for key, _, value in pairs if key.strip() in files]
    return found
