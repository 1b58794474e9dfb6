"""``trailprint.workflows.score``: score links made by another tool."""

from __future__ import annotations

import contextlib

import pyarrow as pa
import pyarrow.compute as pc

from trailprint.errors import ColumnError, InputError
from trailprint.evaluation.risk import Risk, rate_links
from trailprint.evaluation.truth import truth_from_pairs
from trailprint.events.reading.sources import TruthSource, open_id_pairs

_LINKS = "A list of links"

_SIDES = ("released", "auxiliary")
_WHOLE = r"^-?[0-9]+\.0+$"


def score(links: TruthSource, truth: TruthSource) -> Risk:
    """
    Score links from any source against the truth.

    Parameters
    ----------
    links, truth : path or table
        Pairs of ids in columns ``released`` and ``auxiliary``. The chance level is that of random
        guessing among the people named in either. A column of whole numbers that was written as
        ``1.0`` is read as ``1``; if none of the ids of a side is in the truth, an error is raised.

    Examples
    --------
    >>> from trailprint.workflows import score
    >>> truth = {"released": ["p1", "p2", "p3"], "auxiliary": ["ann", "bob", "cem"]}
    >>> links = {"released": ["p1", "p2"], "auxiliary": ["ann", "cem"]}
    >>> found = score(links, truth)
    >>> found.n_correct, found.n_matched, found.n_common
    (1, 2, 3)
    """
    if links is None or truth is None:
        raise _refuse_empty()
    given, pairs = open_id_pairs(links, option="links", what=_LINKS), open_id_pairs(truth)
    if not given.num_rows:
        raise _refuse_empty()
    given, pairs = _align_ids(given, pairs)
    released, auxiliary = (_people(name, given, pairs) for name in _SIDES)
    known = truth_from_pairs(pairs, released, auxiliary)
    made = truth_from_pairs(given, released, auxiliary, one_to_one=False, what=_LINKS)
    n_correct = int(known.holds(made.released, made.auxiliary).sum())
    n_pairs = len(released) * len(auxiliary)
    return rate_links(known.n_common, made.n_common, n_correct, n_pairs)


def _refuse_empty() -> InputError:
    return InputError("Links and truth must be tables with rows, but one of them has none.")


def _align_ids(links: pa.Table, truth: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return both tables with ids as text, written alike; raise if a side has no id in common."""
    for name in _SIDES:
        own, known = _to_text(name, links), _to_text(name, truth)
        if not _share_ids(own, known):
            own, known = _without_zeros(own), _without_zeros(known)
        if not _share_ids(own, known):
            raise InputError(
                f"Links must hold ids that are in the truth, but none of {name} is. Are ids "
                "written alike in both, and the columns the right way round? If so, none of these "
                "people has a known counterpart, and no link is correct."
            )
        links = links.set_column(links.column_names.index(name), name, own)
        truth = truth.set_column(truth.column_names.index(name), name, known)
    return links, truth


def _to_text(name: str, table: pa.Table) -> pa.ChunkedArray:
    """Return one side's ids as text; ``1`` for whole numbers in floating point."""
    if table.column_names.count(name) != 1:
        raise ColumnError(
            "Links and truth must have one column released and one auxiliary, but "
            f"{table.column_names.count(name)} are named {name}."
        )
    column = table[name]
    try:
        if pa.types.is_floating(column.type):
            with contextlib.suppress(pa.ArrowInvalid):  # Some have a fraction.
                column = pc.cast(column, pa.int64())
        return pc.cast(column, pa.string())
    except pa.ArrowException:
        raise InputError(f"{name} must hold ids as text or numbers.") from None


def _share_ids(ids: pa.ChunkedArray, others: pa.ChunkedArray) -> bool:
    is_shared = pc.is_in(pc.drop_null(ids), value_set=pc.drop_null(pc.unique(others)))
    return bool(pc.any(is_shared, min_count=0).as_py())


def _without_zeros(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ``1`` for ``1.0``, as pandas writes whole numbers beside a missing one, if all are."""
    are_whole = pc.all(pc.match_substring_regex(ids, _WHOLE)).as_py()
    return pc.replace_substring_regex(ids, r"\.0+$", "") if are_whole else ids


def _people(name: str, *tables: pa.Table) -> pa.Array:
    """Return the ids of one side in any of the tables."""
    chunks = [chunk for table in tables for chunk in table[name].chunks]
    return pc.drop_null(pc.unique(pa.chunked_array(chunks, pa.string())))
