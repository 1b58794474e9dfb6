"""One CRF for each released user, trained once and kept in a store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Ints
from trailprint.attacks.options import TrainingOptions
from trailprint.attacks.sequence.crf_files import is_whole
from trailprint.attacks.sequence.worker_processes import workers_for
from trailprint.attacks.sequence.workers import prepare, train_model
from trailprint.display.discreet import Discreet
from trailprint.features.templates import Templates
from trailprint.progress import Progress
from trailprint.store import Store

#: With fewer training records than this, other processes cost more than they save.
_WORTH_PROCESSES = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Models(Discreet):
    """
    The released users' models.

    Attributes
    ----------
    templates : Templates
        What they were trained on.
    store : Store
        Where they are kept, as ``models/0``, ``models/1`` and so on.
    settings : mapping
        Parameters passed to CRFsuite.
    n_trained : int
        Number of models trained in this run; the others were already stored.
    """

    templates: Templates
    store: Store
    settings: dict[str, float]
    n_trained: int

    def model(self, user: int) -> bytes:
        """Return a user's model as CRFsuite writes it; a missing or damaged one is retrained."""
        kept = self.store.get(_name(user))
        if kept is None or not is_whole(kept):
            kept = train_model(self.templates.of_user(user), self.settings)
            self.store.put(_name(user), kept)
        return kept

    def seen(self, user: int) -> Ints:
        """Return the labels that a user's model knows."""
        first, last = self.templates.record_starts[user : user + 2]
        return np.unique(self.templates.label[first:last]).astype(np.int64)


def train_models(
    templates: Templates,
    options: TrainingOptions,
    store: Store,
    *,
    n_workers: int = 1,
    progress: Progress | None = None,
) -> Models:
    """
    Train a model for every user who has records, except for models already stored.

    Each model is stored as soon as it is trained: an interrupted run loses only those in progress.
    Damaged models in the store are trained again.
    """
    report = progress or (lambda what, done: None)
    has_records = np.flatnonzero(np.diff(templates.record_starts))
    missing = [user for user in has_records.tolist() if not is_whole(store.get(_name(user)))]
    settings = options.settings()
    if not missing:
        return Models(templates, store, settings, 0)
    what = f"Training {len(missing):,} models"
    report(what, 0.0)
    n_records = int(np.diff(templates.record_starts)[missing].sum())
    with workers_for(n_workers, prepare, is_worth=n_records >= _WORTH_PROCESSES) as run:
        tasks = ((templates.of_user(user), settings) for user in missing)
        for n_done, (number, model) in enumerate(run(train_model, tasks), start=1):
            store.put(_name(missing[number]), model)
            report(what, n_done / len(missing))
    return Models(templates, store, settings, len(missing))


def _name(user: int) -> str:
    return f"models/{user}"
