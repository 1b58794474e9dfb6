"""Two parts of one matching at once: who may use the threads when, and how far both have got."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from trailprint.kernels.column_generation import Progress, Round, Turn


class Turns:
    """Who may work when: the largest component is solved on one thread, others use what is left.

    While it is priced, on all threads, the others wait if they are to.
    """

    def __init__(self, *, others_wait: bool) -> None:
        self._others_wait = others_wait
        self._room = threading.Event()
        if not others_wait:
            self._room.set()

    @contextlib.contextmanager
    def _largest_solves(self) -> Iterator[None]:
        self._room.set()
        yield
        if self._others_wait:
            self._room.clear()

    @contextlib.contextmanager
    def of_largest(self) -> Iterator[Turn]:
        """The largest component's turns; when it is done, nobody waits any more."""
        try:
            yield self._largest_solves
        finally:
            self._room.set()

    @contextlib.contextmanager
    def of_others(self) -> Iterator[Turn]:
        """The others' turns."""
        self._room.wait()
        yield self._others_solve

    @contextlib.contextmanager
    def _others_solve(self) -> Iterator[None]:
        self._room.wait()
        yield
        self._room.wait()


class Teller:
    """Adds up what the parts of a problem have reached, whichever speaks."""

    def __init__(self, n_parts: int, progress: Progress | None) -> None:
        self._known = [Round(0, 0, 0.0, 0.0)] * n_parts
        self._progress = progress

    def of_part(self, part: int) -> Progress:
        """Who listens to one part."""

        def tell(current: Round) -> None:
            self._known[part] = current
            if self._progress is None or not all(known.number for known in self._known):
                return
            known = self._known
            self._progress(
                Round(
                    max(one.number for one in known),
                    sum(one.n_violated for one in known),
                    sum(one.total_gain for one in known),
                    sum(one.upper_bound for one in known),
                )
            )

        return tell
