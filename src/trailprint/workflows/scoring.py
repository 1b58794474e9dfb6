"""``trailprint.workflows.score``: score links made by another tool."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from trailprint.errors import InputError
from trailprint.evaluation.risk import Risk, rate_links
from trailprint.evaluation.truth import truth_from_pairs
from trailprint.events.reading.sources import TruthSource, open_id_pairs

_LINKS = "A list of links"


def score(links: TruthSource, truth: TruthSource) -> Risk:
    """
    Score links from any source against the truth.

    Parameters
    ----------
    links, truth : path or table
        Pairs of ids in columns ``released`` and ``auxiliary``. The chance level is that of random
        guessing among the people named in either.

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
    released, auxiliary = (_people(name, given, pairs) for name in ("released", "auxiliary"))
    known = truth_from_pairs(pairs, released, auxiliary)
    made = truth_from_pairs(given, released, auxiliary, one_to_one=False, what=_LINKS)
    n_correct = int(known.holds(made.released, made.auxiliary).sum())
    n_pairs = len(released) * len(auxiliary)
    return rate_links(known.n_common, made.n_common, n_correct, n_pairs)


def _refuse_empty() -> InputError:
    return InputError("Links and truth must be tables with rows, but one of them has none.")


def _people(name: str, *tables: pa.Table) -> pa.Array:
    """Return the ids of one side in any of the tables, as text."""
    columns = [table[name] for table in tables if name in table.column_names]
    try:
        chunks = [chunk for column in columns for chunk in pc.cast(column, pa.string()).chunks]
    except pa.ArrowException:
        raise InputError(f"{name} must hold ids as text or numbers.") from None
    return pc.drop_null(pc.unique(pa.chunked_array(chunks, pa.string())))
