"""
Train and run one CRF: the tasks of worker processes.

CRFsuite holds the GIL while it works, so threads would take turns: the work goes to other
processes, as plain arrays and bytes. Results do not depend on the number of processes.
"""

from __future__ import annotations

import contextlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.attacks.sequence.crf_files import is_whole, read_chain
from trailprint.errors import OutputError, reason_of
from trailprint.features.templates import Templates, attributes
from trailprint.kernels.chains import DayRecords, count_predicted
from trailprint.kernels.stopping import check_stop
from trailprint.system.scratch import Scratch

#: Auxiliary sequences shared by all tasks of a process.
_queries: Templates | None = None


def prepare(queries: Templates | None = None) -> None:
    """Set the auxiliary sequences to be scored, or clear them."""
    global _queries
    _queries = queries


class _Trainer(pycrfsuite.Trainer):  # type: ignore[misc]
    """A trainer that can be stopped: CRFsuite calls ``message`` after each step."""

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
        The users to score, and for each the score below which the exact one does not matter.
    thorough : bool
        Run over every day, even where no record could be predicted or the floor is out of reach.

    Returns
    -------
    ndarray of int, ndarray of bool
        The score, or a bound below the floor; and whether it is the exact score.
    """
    if _queries is None:
        raise RuntimeError("A process must know the queries before it scores them.")
    queries = _queries
    known = np.zeros(queries.n_labels + 1, dtype=np.bool_)
    known[seen] = True
    days = DayRecords(queries.label, queries.context, queries.day_starts, queries.user_starts)
    chain = read_chain(model, int(queries.context.max(initial=0)))
    return count_predicted(chain, days, known, rows, np.where(thorough, -1, floor))
