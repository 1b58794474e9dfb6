"""Which column means what: the names we know, and help for those we do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trailprint.errors import ColumnError
from trailprint.events.events import Column
from trailprint.events.headers import Header
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

#: Names of columns that hold where a row comes from, while it is read, begin like this.
_OURS = "trailprint_path"

ALL_KNOWN_NAMES = frozenset(name for names in KNOWN_NAMES.values() for name in names)


def find_columns(there: Header, wanted: Mapping[Column, str]) -> dict[Column, str]:
    """
    Say which of the columns ``there`` plays which part.

    ``wanted`` holds the names a user gave; the others are found by the names we know,
    whatever their case.
    """
    folded = {name.casefold(): name for name in reversed(there.names)}
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


def check_once(names: Sequence[str], wanted: Sequence[str]) -> None:
    """
    Raise an error when a column that will be used could be one of several.

    Names we know are found whatever their case, so two cases of one are the same name.
    """
    if any(name.casefold().startswith(_OURS) for name in names):
        raise ColumnError(f"A column must not be named {_OURS}, which we use ourselves. Rename it.")
    exactly, folded = Counter(names), Counter(name.casefold() for name in names)
    chosen = {name.casefold() for name in wanted}
    for name in names:
        is_known = name.casefold() in (ALL_KNOWN_NAMES | {SHARE}) - chosen
        n_there = folded[name.casefold()] if is_known else exactly[name] * (name in wanted)
        if n_there > 1:
            raise ColumnError(
                f"A column must be named once, but {name!r} is there {n_there} times. "
                "Rename all but one."
            )


def _is_histogram(found: Mapping[Column, str]) -> bool:
    """Whether rows may stand for shares: a user, a location, no count and no time."""
    return {"user", "location"} <= set(found) and not {"weight", "start", "end"} & set(found)


def find_identity(
    there: Header, found: Mapping[Column, str], options: ReadOptions
) -> tuple[str, ...]:
    """Columns that together make the user, where that is asked for; else none."""
    for name in options.identity:
        if name not in there.names:
            raise ColumnError(
                f"An identity must be made of columns of the data, got {name!r} instead. "
                + there.describe(near=[name])
            )
    if options.identity or not options.whole_row or "user" in found:
        return options.identity
    return tuple(name for name in there.names if name not in found.values())


def _exactly(name: str, there: Header, column: Column) -> str:
    if name in there.names:
        return name
    option = "count" if column == "weight" else column
    raise ColumnError(
        f"--{option}-column must name a column of the data, got {name!r} instead. "
        + there.describe(near=[name])
    )


def require_columns(found: Mapping[Column, str], there: Header) -> None:
    """Raise an error unless there is a user and a place or position."""
    if "user" not in found:
        raise ColumnError(
            "The data must have a column for the user. "
            + there.describe(near=KNOWN_NAMES["user"])
            + " Name it with --user-column."
        )
    if "location" not in found and "lat" not in found:
        raise ColumnError(
            "The data must have a column for the location, or lat and lon. "
            + there.describe(near=[*KNOWN_NAMES["location"], "lat", "lon", "place"])
            + " Name it with --location-column, or --lat-column and --lon-column; "
            "or say --layout per-location where it is the file's name."
        )
