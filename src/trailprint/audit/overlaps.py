"""
People linked by several attacks, with cell suppression so that no small group can be derived.

Every count of the worst case and of the agreement is a sum of atoms: people tried by the same
attacks and linked by the same ones. `choose_labels` says which counts may be published together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trailprint.audit.results.attacks import Agreement, WorstCase
from trailprint.evaluation.agreement import compare_attacks, find_worst_case
from trailprint.plain import from_plain, to_plain
from trailprint.studies.cell_suppression import Label, PublishedCounts, Role, choose_labels
from trailprint.studies.small_counts import HIDDEN, SMALL
from trailprint.values import MaskedCount

Flags = NDArray[np.bool_]
Attacks = frozenset[str]
Key = tuple[str, ...]

_PAIRED: Mapping[str, tuple[bool, bool]] = {
    "both": (True, True),
    "only_first": (True, False),
    "only_second": (False, True),
    "neither": (False, False),
}


class Atom(NamedTuple):
    """People tried by the same attacks and linked by the same ones."""

    tried: Attacks
    linked: Attacks


class _Count(NamedTuple):
    """A count of people: its key, its role in cell suppression, and which atoms it counts."""

    key: Key
    role: Role
    holds: Callable[[Atom], bool]


def compare_all(
    linked: Mapping[str, Flags], tried: Mapping[str, Flags]
) -> tuple[WorstCase, tuple[Agreement, ...]]:
    """Return the worst case over attacks and the agreement of each pair; small counts masked."""
    worst = from_plain(WorstCase, to_plain(find_worst_case(linked, tried)))
    labels = _label(linked, tried, frozenset(worst.attacks))
    agreement = []
    for first, second in combinations(linked, 2):
        both = tried[first] & tried[second]
        (pair,) = compare_attacks({name: linked[name][both] for name in (first, second)})
        shown = {name: _show(getattr(pair, name), labels[first, second, name]) for name in _PAIRED}
        agreement.append(Agreement(first=first, second=second, people=int(both.sum()), **shown))
    return _mask_worst_case(worst, labels), tuple(agreement)


def _mask_worst_case(worst: WorstCase, labels: Mapping[Key, Label]) -> WorstCase:
    rows = tuple(
        replace(row, people=_show(row.people, labels["by", str(row.attacks)]))
        for row in worst.by_attacks
    )
    label, n_people = labels["linked",], worst.people or 0
    told = replace(worst, by_attacks=rows, linked=_show(worst.linked or 0, label))
    if label == "hidden" and labels["by", "0"] == "few" and n_people > SMALL:
        told = replace(told, linked=f">{n_people - SMALL}")
    return told if label == "shown" else replace(told, share=None, interval=None)


def _show(n_people: MaskedCount, label: Label) -> MaskedCount:
    if label == "shown":
        return n_people
    return f"<{SMALL}" if label == "few" else HIDDEN


def _label(
    linked: Mapping[str, Flags], tried: Mapping[str, Flags], used: Attacks
) -> dict[Key, Label]:
    """Return the label of each count; the counts that matter most to readers come first."""
    atoms = _count_atoms(linked, tried)
    counts = [
        *_list_totals(linked, atoms),
        *_list_worst_case(used),
        *_list_agreement(linked),
        *(
            _Count(("atom", str(number)), "unpublished", atom.__eq__)
            for number, atom in enumerate(atoms)
        ),
    ]
    sums = np.array([[float(count.holds(atom)) for atom in atoms] for count in counts])
    values = sums @ np.array(list(atoms.values()), dtype=np.float64)
    cells = PublishedCounts(
        sums=sums, values=[round(n) for n in values], roles=[count.role for count in counts]
    )
    return dict(zip((count.key for count in counts), choose_labels(cells), strict=True))


def _count_atoms(linked: Mapping[str, Flags], tried: Mapping[str, Flags]) -> dict[Atom, int]:
    """Return the number of people in each atom, including empty atoms."""
    names = np.array(list(linked))
    both = np.stack([np.stack(list(of.values()), axis=1) for of in (tried, linked)], axis=1)
    kinds, sizes = np.unique(both, axis=0, return_counts=True)
    there = {
        Atom(frozenset(names[by]), frozenset(names[found])): int(n)
        for (by, found), n in zip(kinds, sizes, strict=True)
    }
    groups = sorted({atom.tried for atom in there}, key=sorted)
    possible = (Atom(group, found) for group in groups for found in _subsets(group))
    return {atom: there.get(atom, 0) for atom in possible}


def _subsets(attacks: Attacks) -> Iterator[Attacks]:
    ordered = sorted(attacks)
    sizes = range(len(ordered) + 1)
    return map(frozenset, chain.from_iterable(combinations(ordered, size) for size in sizes))


def _list_totals(linked: Mapping[str, Flags], atoms: Mapping[Atom, int]) -> Iterator[_Count]:
    """Counts of the people tried by the same attacks, and of those each attack links."""
    for number, group in enumerate(dict.fromkeys(atom.tried for atom in atoms)):
        yield _Count(("tried", str(number)), "size", partial(_is_tried, group))
    for name in linked:
        yield _Count(("correct", name), "total", partial(_is_linked, name))


def _is_tried(group: Attacks, atom: Atom) -> bool:
    return atom.tried == group


def _is_linked(name: str, atom: Atom) -> bool:
    return name in atom.linked


def _list_worst_case(used: Attacks) -> Iterator[_Count]:
    yield _Count(("linked",), "cell", partial(_links_some, used, range(1, len(used) + 1)))
    for n in range(len(used) + 1):
        yield _Count(("by", str(n)), "cell", partial(_links_some, used, range(n, n + 1)))


def _links_some(used: Attacks, numbers: range, atom: Atom) -> bool:
    return used <= atom.tried and len(atom.linked & used) in numbers


def _list_agreement(linked: Mapping[str, Flags]) -> Iterator[_Count]:
    for pair in combinations(linked, 2):
        for name, found in _PAIRED.items():
            yield _Count((*pair, name), "cell", partial(_links_just, pair, found))


def _links_just(pair: tuple[str, str], found: tuple[bool, bool], atom: Atom) -> bool:
    """Return whether an atom was tried by both attacks and linked by just those in ``found``."""
    return atom.tried >= set(pair) and tuple(name in atom.linked for name in pair) == found
