"""Of two methods of an attack, the one that finds more people counts."""

import numpy as np
from tests.presence import present

from trailprint.audit.methods import CandidateMethod, choose_method
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks

TRUTH = Truth.from_partner(np.arange(4), "file")


def tried(title, auxiliary):
    n = len(auxiliary)
    linkage = Linkage(
        released=np.arange(n),
        auxiliary=np.asarray(auxiliary),
        weight=np.zeros(n),
        confidence=np.ones(n),
        confidence_is_least=np.zeros(n, dtype=bool),
        n_released=4,
        n_auxiliary=4,
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
    )
    return CandidateMethod(title=title, linkage=linkage, seconds=0.0)


def test_the_simpler_method_counts_only_where_it_finds_more():
    own, simple = tried("Own", [0, 1, 3, 2]), tried("A simple one", [0, 1, 2, 3])
    found = choose_method(own, simple, TRUTH)
    assert (found.best.title, present(found.other).title) == ("A simple one", "Own")
    assert found.notes[0].endswith("so that it is the one shown: a simple one.")


def test_a_tie_goes_to_the_attack_itself():
    own, simple = tried("Own", [0, 1, 3, 2]), tried("Simple", [1, 0, 2, 3])
    found = choose_method(own, simple, TRUTH)
    assert (found.best.title, present(found.other).title, found.notes) == ("Own", "Simple", ())


def test_one_method_alone_has_nothing_to_be_compared_with():
    own = tried("Own", [0, 1])
    assert choose_method(own, own, TRUTH).other is None
