"""
Search for the least loss that reaches a goal, with single protections and chains of two.

Attacks differ in cost. A trial is first *quick*: judged by cheap attacks. Only if it could be the
cheapest sufficient one, or lies on the frontier of risk and loss, is it judged by all attacks.
More attacks never lower a risk, so anything the quick attacks rule out stays ruled out. Nothing is
claimed about chains that were not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trailprint.studies.bisection import CLOSE_COUNTS, bisect

Chain = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    One chain of protections, measured.

    Attributes
    ----------
    chain : tuple
        The protections, in order.
    loss : float
        Information loss of the chain.
    rate : float
        Share of people still linked by the strongest attack tried.
    risk : float
        Value that must not exceed the goal, such as the upper end of the rate's interval.
    is_full : bool
        Whether every attack was tried.
    """

    chain: Chain
    loss: float
    rate: float
    risk: float
    is_full: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """
    A protection with candidate values of one parameter.

    Attributes
    ----------
    name : str
        Name of the protection.
    make : callable
        Makes the protection from a value.
    values : tuple
        Values from the weakest to the strongest.
    stronger : tuple
        Further values of increasing strength, tried only if the last of ``values`` is not enough.
    neutral : int or float, optional
        A value that changes nothing, the weak end of bisection; None: no values between those
        listed are tried.
    """

    name: str
    make: Callable[[Any], Hashable]
    values: tuple[Any, ...]
    stronger: tuple[Any, ...] = ()
    neutral: Any | None = None


Pair = tuple[Choice, Choice]
"""A protection and the one applied after it."""


Measure = Callable[[Chain, bool], Trial | None]
"""Measures a chain, with all attacks if the flag is true; None if the data does not allow it."""


@dataclass(slots=True, kw_only=True)
class Search:
    """
    A search that can be stopped at any time without losing its measurements.

    Attributes
    ----------
    measure : callable
        Measures one chain.
    goal : float
        Largest acceptable risk.
    most_trials : int
        Number of measurements after which no more combinations are refined.
    close_counts : float
        Ratio of two values of an integer parameter at which bisection stops.
    trials : dict
        The fullest measurement of each chain.
    best : Trial, optional
        The trial with the least loss among those that all attacks judged and that reach the goal.
    pending : list of str
        Combinations that were not examined.
    """

    measure: Measure
    goal: float
    most_trials: int = 150
    close_counts: float = CLOSE_COUNTS
    trials: dict[Chain, Trial] = field(default_factory=dict)
    best: Trial | None = None
    pending: list[str] = field(default_factory=list)
    n_measured: int = 0
    _refused: set[Chain] = field(default_factory=set)
    _extended: dict[str, Choice] = field(default_factory=dict)
    _enough: dict[str, Any] = field(default_factory=dict)

    def learn(self, known: Iterable[Trial]) -> None:
        """Add trials that were measured before."""
        for trial in known:
            self._keep(trial)

    def search(self, choices: Sequence[Choice], pairs: Sequence[Pair] = ()) -> None:
        """Search for the goal with each protection alone, then with each pair."""
        self.pending = [f"{first.name} then {second.name}" for first, second in pairs]
        for choice in sorted(choices, key=self._least_loss):
            self._close_in((), choice)
        for first, second in pairs:
            after = self._extended.get(second.name, second)
            for value in first.values:
                self._add(first.make(value), after)
            self.pending.remove(f"{first.name} then {second.name}")

    def complete(self, chains: Iterable[Chain]) -> None:
        """Judge these chains by all attacks."""
        for chain in chains:
            self._try(chain, is_full=True)

    def complete_frontier(self) -> None:
        """Judge the Pareto front by all attacks, until every trial on it is full."""
        while True:
            open_ones = [trial for trial in self._list_unbeaten() if not trial.is_full]
            if not open_ones:
                return
            self._try(min(open_ones, key=lambda trial: trial.loss).chain, is_full=True)

    def _list_unbeaten(self) -> list[Trial]:
        trials = list(self.trials.values())
        return [trial for trial in trials if not any(_beats(other, trial) for other in trials)]

    def _least_loss(self, choice: Choice) -> float:
        """Least known loss of a choice that may suffice: the most promising is tried first."""
        chains = ((choice.make(value),) for value in choice.values)
        known = (self.trials.get(chain) for chain in chains)
        found = [trial.loss for trial in known if trial is not None and trial.risk <= self.goal]
        return min(found, default=float("inf"))

    def _add(self, first: Hashable, second: Choice) -> None:
        """Try a protection before another, unless the pair cannot be cheaper than the best."""
        alone = self._try((first,))
        if alone is None or alone.risk <= self.goal or not self._is_cheaper(alone.loss):
            return
        weakest = self._try((first, second.make(second.values[0])))
        if weakest is not None and weakest.risk > self.goal and not self._is_cheaper(weakest.loss):
            return  # Any sufficient value costs more.
        if self.n_measured < self.most_trials:
            weaker = self._up_to_enough(second)
            if not self._close_in((first,), weaker) and weaker != second:
                self._close_in((first,), second)

    def _up_to_enough(self, choice: Choice) -> Choice:
        """Limit values to the weakest that suffices alone: after another step it should too."""
        enough = self._enough.get(choice.name)
        if enough is None:
            return choice
        is_rising = choice.values[0] < choice.values[-1]
        weaker = [v for v in choice.values if (v < enough if is_rising else v > enough)]
        return replace(choice, values=(*weaker, enough))

    def _close_in(self, before: Chain, choice: Choice) -> bool:
        """Find the weakest value that suffices after some protections; return whether one does."""
        # With few people left the interval is wider, so a weaker value may suffice.
        tried = range(len(choice.values) - 1, -1, -1)[: 1 if before else None]
        chains = {place: (*before, choice.make(choice.values[place])) for place in tried}
        last = next((place for place in tried if self._suffices(chains[place])), None)
        if last is None and not before:
            choice = self._extend(choice)
            last = len(choice.values) - 1 if choice.name in self._extended else None
        if last is not None:
            enough = self._weaken(before, choice, last)
            self._enough.update({} if before else {choice.name: enough})
        return last is not None

    def _weaken(self, before: Chain, choice: Choice, last: int) -> Any:
        """Weaken a sufficient value as far as possible: first on the grid, then in between."""

        def suffices(value: Any) -> bool:
            return self._suffices((*before, choice.make(value)))

        def may_pay(weak: Any) -> bool:
            # Loss grows with strength: above a value that costs more than the best none is cheaper.
            known = None if weak is None else self.trials.get((*before, choice.make(weak)))
            return known is None or self._is_cheaper(known.loss)

        weak, first, strong = choice.neutral, 0, choice.values[last]
        while first < last and may_pay(weak):
            middle = (first + last) // 2
            if suffices(choice.values[middle]):
                strong, last = choice.values[middle], middle
            else:
                weak, first = choice.values[middle], middle + 1
        if weak is None or choice.neutral is None or weak == strong:
            return strong
        close = self.close_counts
        found = bisect(suffices, bool, weak, strong, may_pay=may_pay, close_counts=close)
        return next((value for value, is_enough in reversed(found) if is_enough), strong)

    def _extend(self, choice: Choice) -> Choice:
        """Extend to the first stronger value that suffices, if it may be cheaper than the best.

        First steps of pairs are not extended: less is left to protect after them.
        """
        weaker = self.trials.get((choice.make(choice.values[-1]),))
        for number, value in enumerate(choice.stronger, 1):
            if weaker is not None and not self._is_cheaper(weaker.loss):
                break
            if self._suffices((choice.make(value),)):
                longer = (*choice.values, *choice.stronger[:number])
                self._extended[choice.name] = replace(choice, values=longer, stronger=())
                return self._extended[choice.name]
            weaker = self.trials.get((choice.make(value),))
        return choice

    def _suffices(self, chain: Chain) -> bool:
        """Whether a chain reaches the goal; judged by all attacks if it would be the best."""
        quick = self._try(chain)
        if quick is None or quick.risk > self.goal:
            return False
        if not self._is_cheaper(quick.loss):
            return True
        full = self._try(chain, is_full=True)
        return full is not None and full.risk <= self.goal

    def _is_cheaper(self, loss: float) -> bool:
        return self.best is None or loss < self.best.loss

    def _try(self, chain: Chain, *, is_full: bool = False) -> Trial | None:
        """Measure a chain unless it is known; once more if all attacks are requested."""
        known = self.trials.get(chain)
        if known is not None and (known.is_full or not is_full):
            return known
        if chain in self._refused:
            return None
        self.n_measured += 1
        trial = self.measure(chain, is_full)
        if trial is None:
            self._refused.add(chain)
            return None
        self._keep(trial)
        return trial

    def _keep(self, trial: Trial) -> None:
        known = self.trials.get(trial.chain)
        if known is None or trial.is_full or not known.is_full:
            self.trials[trial.chain] = trial
        if trial.is_full and trial.risk <= self.goal and self._is_cheaper(trial.loss):
            self.best = trial


def _beats(other: Trial, trial: Trial) -> bool:
    own = trial.loss, trial.rate
    return other.loss <= own[0] and other.rate <= own[1] and (other.loss, other.rate) != own
