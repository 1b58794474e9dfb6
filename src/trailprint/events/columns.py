"""Which column means what: the names we know, and help for those we do not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from trailprint.errors import ColumnError
from trailprint.events.events import Column
from trailprint.events.options import ReadOptions

#: For every column of ours the names it goes by, best first: our own, scikit-mobility's,
#: trackintel's and what people write.
KNOWN_NAMES: Mapping[Column, tuple[str, ...]] = {
    "user": ("user", "uid", "user_id"),
    "location": ("location", "location_id"),
    "start": ("start", "datetime", "tracked_at", "started_at", "timestamp", "time"),
    "end": ("end", "finished_at"),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "longitude"),
    "weight": ("count",),
}

#: What each row of a protected histogram holds, as `protect` writes it.
SHARE = "share"

ALL_KNOWN_NAMES = frozenset(name for names in KNOWN_NAMES.values() for name in names)


def find_columns(there: Sequence[str], wanted: Mapping[Column, str]) -> dict[Column, str]:
    """
    Say which of the columns ``there`` plays which part.

    ``wanted`` holds the names a user gave; the others are found by the names we know,
    whatever their case.
    """
    folded = {name.casefold(): name for name in reversed(there)}
    found: dict[Column, str] = {}
    for column, names in KNOWN_NAMES.items():
        if column in wanted:
            found[column] = _exactly(wanted[column], there, column)
            continue
        free = (folded[name] for name in names if folded.get(name) not in (None, *wanted.values()))
        match = next(free, None)
        if match is not None:
            found[column] = match
    if _is_histogram(found) and folded.get(SHARE) not in (None, *wanted.values()):
        found["weight"] = folded[SHARE]
    if ("lat" in found) != ("lon" in found):
        if "lat" in wanted or "lon" in wanted:
            raise ColumnError(
                "A position needs two columns, but only one was found. "
                "Name both with --lat-column and --lon-column."
            )
        found.pop("lat", None)
        found.pop("lon", None)
    return found


def _is_histogram(found: Mapping[Column, str]) -> bool:
    """Whether rows may stand for shares: a user, a location, no count and no time."""
    return {"user", "location"} <= set(found) and not {"weight", "start", "end"} & set(found)


def find_identity(
    there: Sequence[str], found: Mapping[Column, str], options: ReadOptions
) -> tuple[str, ...]:
    """Columns that together make the user, where that is asked for; else none."""
    for name in options.identity:
        if name not in there:
            raise ColumnError(
                f"An identity must be made of columns of the data, got {name!r} instead. "
                + describe_names(there, near=[name])
            )
    if options.identity or not options.whole_row or "user" in found:
        return options.identity
    return tuple(name for name in there if name not in found.values())


def _exactly(name: str, there: Sequence[str], column: Column) -> str:
    if name in there:
        return name
    option = "count" if column == "weight" else column
    raise ColumnError(
        f"--{option}-column must name a column of the data, got {name!r} instead. "
        + describe_names(there, near=[name])
    )


def require_columns(found: Mapping[Column, str], there: Sequence[str]) -> None:
    """Complain unless there is a user and somewhere for her to be."""
    if "user" not in found:
        raise ColumnError(
            "The data must have a column for the user. "
            + describe_names(there, near=KNOWN_NAMES["user"])
            + " Name it with --user-column."
        )
    if "location" not in found and "lat" not in found:
        raise ColumnError(
            "The data must have a column for the location, or lat and lon. "
            + describe_names(there, near=[*KNOWN_NAMES["location"], "lat", "lon", "place"])
            + " Name it with --location-column, or --lat-column and --lon-column; "
            "or say --layout per-location where it is the file's name."
        )


def describe_names(there: Sequence[str], near: Iterable[str]) -> str:
    """One sentence about the names there are, the nearest first."""
    if not there:
        return "It has no columns."
    close = nearest_names(there, near)
    rest = [name for name in there if name not in close]
    shown = ", ".join(map(_show, [*close, *rest][:20])) + (", …" if len(there) > 20 else "")
    if close:
        return f"Nearest: {', '.join(map(_show, close))}; all there are: {shown}."
    return f"There are: {shown}."


def _show(name: str) -> str:
    """A name as one short piece of a sentence, whatever it is made of."""
    plain = "".join(c if c.isprintable() else "�" for c in name)
    return plain if len(plain) <= 60 else plain[:59] + "…"


def nearest_names(there: Sequence[str], near: Iterable[str]) -> list[str]:
    """Up to three of the names ``there`` that look like one of ``near``."""
    folded = {name.casefold(): name for name in there}
    close: list[str] = []
    for name in near:
        for match in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6):
            if folded[match] not in close:
                close.append(folded[match])
    return close[:3]
