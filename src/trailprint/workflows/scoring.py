"""``trailprint.workflows.score``: score links made by another tool."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from trailprint.errors import InputError
from trailprint.evaluation.risk import Risk, rate_links
from trailprint.evaluation.truth import truth_from_pairs
from trailprint.events.reading.sources import TruthSource, open_truth


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
    given, pairs = open_truth(links), open_truth(truth)
    if given is None or pairs is None or not given.num_rows:
        raise InputError("Links and truth must be tables with rows, but one of them has none.")
    released, auxiliary = (_people(name, given, pairs) for name in ("released", "auxiliary"))
    known = truth_from_pairs(pairs, released, auxiliary)
    made = truth_from_pairs(given, released, auxiliary, one_to_one=False)
    n_correct = int(known.holds(made.released, made.auxiliary).sum())
    n_pairs = len(released) * len(auxiliary)
    return rate_links(known.n_common, made.n_common, n_correct, n_pairs)


def _people(name: str, *tables: pa.Table) -> pa.Array:
    """Return the ids of one side in any of the tables, as text."""
    columns = [table[name] for table in tables if name in table.column_names]
    try:
        chunks = [chunk for column in columns for chunk in pc.cast(column, pa.string()).chunks]
    except pa.ArrowException:
        raise InputError(f"{name} must hold ids as text or numbers.") from None
    return pc.drop_null(pc.unique(pa.chunked_array(chunks, pa.string())))
