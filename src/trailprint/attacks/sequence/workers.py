"""
Training and running one CRF: what worker processes do.

CRFsuite keeps Python's lock while it works, so threads would take turns: the work goes to other
processes, as plain arrays and bytes. The answer never depends on how many there are.
"""

from __future__ import annotations

import contextlib
import operator
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.errors import OutputError, reason_of
from trailprint.features.templates import Templates, attributes
from trailprint.kernels.stopping import check_stop
from trailprint.system.scratch import Scratch

#: Magic, size, kind, version, counts of features, labels and attributes, starts of five parts.
_HEADER = struct.Struct("<4sI4sI3I5I")


class Queries:
    """The auxiliary sequences as CRFsuite takes them, each day spelt out when first needed."""

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self._days: dict[int, tuple[pycrfsuite.ItemSequence, list[str]]] = {}

    def day(self, number: int) -> tuple[pycrfsuite.ItemSequence, list[str]]:
        """A day's records and their true labels."""
        known = self._days.get(number)
        if known is None:
            records = slice(*self.templates.day_starts[number : number + 2])
            items = pycrfsuite.ItemSequence(attributes(self.templates.context[records]))
            known = items, [str(label) for label in self.templates.label[records].tolist()]
            self._days[number] = known
        return known


#: What the tasks of a process share.
_queries: Queries | None = None


def prepare(queries: Templates | None = None) -> None:
    """Remember the auxiliary sequences that are to be scored, or forget them."""
    global _queries
    _queries = None if queries is None else Queries(queries)


class _Trainer(pycrfsuite.Trainer):  # type: ignore[misc]
    """A trainer that can be stopped: CRFsuite says something after each step."""

    def message(self, message: bytes) -> None:
        check_stop()


def train_model(own: Templates, settings: dict[str, float]) -> bytes:
    """
    Train a linear-chain CRF on one user's days with L-BFGS.

    Labels and attributes are numbered by CRFsuite as they first appear, so their names do not
    matter: the same days with other names give the same weights.
    """
    trainer = _Trainer(algorithm="lbfgs", params=settings, verbose=False)
    for first, last in pairwise(own.day_starts.tolist()):
        labels = [str(label) for label in own.label[first:last].tolist()]
        trainer.append(pycrfsuite.ItemSequence(attributes(own.context[first:last])), labels)
    # CRFsuite can only write to a file.
    try:
        with contextlib.closing(Scratch()) as scratch:
            path = Path(scratch.name, "model")
            trainer.train(str(path))
            model = path.read_bytes()
    except OSError as error:
        raise _no_room(reason_of(error)) from None
    if not is_whole(model):
        raise _no_room("the disk is full")
    return model


def is_whole(model: bytes | None) -> bool:
    """
    Whether a model has the shape that CRFsuite writes: it would crash on half of one.

    The header says how long the file is and where its five parts begin. This is no proof: only
    models that we have trained ourselves may reach CRFsuite.
    """
    if model is None or len(model) < _HEADER.size:
        return False
    magic, size, kind, version, _, _, _, *starts = _HEADER.unpack_from(model)
    if (magic, size, kind, version) != (b"lCRF", len(model), b"FOMC", 100):
        return False
    parts = zip(starts, (b"FEAT", b"CQDB", b"CQDB", b"LFRF", b"AFRF"), strict=True)
    return all(model[start : start + 4] == name for start, name in parts)


def _no_room(why: str) -> OutputError:
    return OutputError(
        "A model must be written to the folder of temporary files, but that failed "
        f"({why}). Free some room, or name another folder with TMPDIR."
    )


def score_queries(
    model: bytes, seen: Ints, rows: Ints, floor: Ints, thorough: bool = False
) -> tuple[Ints, NDArray[np.bool_]]:
    """
    Run one model over some auxiliary users' days and count the records it predicts.

    Parameters
    ----------
    model, seen : bytes, ndarray of int
        The model, and the labels it has seen.
    rows, floor : ndarray of int
        Which users, and for each the score below which the exact one does not matter.
    thorough : bool
        Run over every day, even where no record could be predicted or the floor is out of reach.

    Returns
    -------
    ndarray of int, ndarray of bool
        The score, or a bound below the floor; and whether it is the score.
    """
    if _queries is None:
        raise RuntimeError("A process must know the queries before it scores them.")
    known = np.zeros(_queries.templates.n_labels + 1, dtype=bool)
    known[seen] = True
    tagger = pycrfsuite.Tagger()
    # The tagger reads from these bytes as long as it is open, and ``model`` keeps them.
    with tagger.open_inmemory(model):
        found = [
            _score(tagger, _queries, known, row, -1 if thorough else least)
            for row, least in zip(rows.tolist(), floor.tolist(), strict=True)
        ]
    scores = np.array([score for score, _ in found], dtype=np.int64)
    return scores, np.array([is_exact for _, is_exact in found], dtype=bool)


def _score(
    tagger: pycrfsuite.Tagger, queries: Queries, known: NDArray[np.bool_], row: int, floor: int
) -> tuple[int, bool]:
    """One user's score; a floor below zero asks for every day to be run."""
    check_stop()
    days = range(*queries.templates.user_starts[row : row + 2].tolist())
    starts = queries.templates.day_starts[days.start : days.stop + 1]
    reach = known[queries.templates.label[starts[0] : starts[-1]]]
    possible = np.add.reduceat(reach, starts[:-1] - starts[0], dtype=np.int64).tolist()
    hits, left = 0, sum(possible)
    for day, most in zip(days, possible, strict=True):
        if hits + left < floor:
            return hits + left, False
        if most or floor < 0:
            items, labels = queries.day(day)
            hits += sum(map(operator.eq, tagger.tag(items), labels))
            left -= most
    return hits, True
