"""One CRF for each released user, trained once and kept in a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from trailprint.arrays import Ints
from trailprint.attacks.sequence_workers import is_whole, prepare, train_model
from trailprint.attacks.worker_processes import processes
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.features.templates import Templates
from trailprint.store import Store

Progress = Callable[[str, float | None], None]

#: Below this many records to learn from other processes cost more than they save.
_WORTH_PROCESSES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """
    How CRFsuite trains: L-BFGS with its own defaults.

    Attributes
    ----------
    c1, c2 : float
        Weights of the L1 and L2 penalties.
    max_iterations : int, optional
        Number of steps after which to stop, converged or not; by default when converged.
    """

    c1: float = 0.0
    c2: float = 1.0
    max_iterations: int | None = None

    def __post_init__(self) -> None:
        for name in ("c1", "c2"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise OptionError(f"{name} must be zero or more, got {value} instead.")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise OptionError(f"max_iterations must be at least 1, got {self.max_iterations}.")

    def settings(self) -> dict[str, float]:
        """What CRFsuite is told."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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
        What CRFsuite was told.
    n_trained : int
        How many were trained now; the others had been kept.
    """

    templates: Templates
    store: Store
    settings: dict[str, float]
    n_trained: int

    def model(self, user: int) -> bytes:
        """A user's model as CRFsuite writes it; one that was damaged meanwhile is trained again."""
        kept = self.store.get(_name(user))
        if kept is None or not is_whole(kept):
            kept = train_model(self.templates.of_user(user), self.settings)
            self.store.put(_name(user), kept)
        return kept

    def seen(self, user: int) -> Ints:
        """The labels a user's model knows."""
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
    Train a model for every user who has records, but for those the store has already.

    Each model is kept as soon as it is trained: an interrupted run loses those in flight only. What
    is damaged in the store is trained again.
    """
    tell = progress or (lambda what, done: None)
    has_records = np.flatnonzero(np.diff(templates.record_starts))
    missing = [user for user in has_records.tolist() if not is_whole(store.get(_name(user)))]
    settings = options.settings()
    if not missing:
        return Models(templates, store, settings, 0)
    what = f"Training {len(missing):,} models"
    tell(what, 0.0)
    n_records = int(np.diff(templates.record_starts)[missing].sum())
    with processes(n_workers if n_records >= _WORTH_PROCESSES else 1, prepare) as run:
        tasks = ((templates.of_user(user), settings) for user in missing)
        for n_done, (number, model) in enumerate(run(train_model, tasks), start=1):
            store.put(_name(missing[number]), model)
            tell(what, n_done / len(missing))
    return Models(templates, store, settings, len(missing))


def _name(user: int) -> str:
    return f"models/{user}"
