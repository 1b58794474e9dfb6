"""What is shown of a few plain tables, worked out by hand."""

import numpy as np

from trailprint.studies.cell_suppression import PublishedCounts, Role, choose_labels

#: Of two attacks: both, only the first, only the second, neither.
SUMS = np.array(
    [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], *np.eye(4, dtype=int)], dtype=float
)
ROLES: tuple[Role, ...] = ("size", "total", "total", "cell", "cell", "cell", "cell", "cell")


def label(*atoms):
    values = [int(n) for n in SUMS @ np.array(atoms)]
    return choose_labels(PublishedCounts(sums=SUMS, values=values, roles=ROLES))


def test_without_small_counts_everything_is_shown():
    assert label(40, 30, 20, 10) == ["shown"] * 8
    assert label(40, 30, 0, 30) == ["shown"] * 8


def test_a_table_with_published_margins_hides_all_its_cells():
    # One cell less, and the small one would be a difference of totals.
    assert label(40, 30, 7, 50) == [
        *["shown"] * 3,
        "hidden",
        "hidden",
        "hidden",
        "few",
        "hidden",
    ]


def test_a_small_total_is_not_shown_either():
    labels = label(4, 60, 0, 80)
    assert labels[:3] == ["shown", "shown", "few"]
    assert labels[4] == "few"
    assert "shown" in labels[3:]  # nothing follows from who is linked by the first attack


def test_what_totals_reveal_anyway_is_shown():
    # Everybody is linked by the first: whom the second does not link follows.
    assert label(93, 7, 0, 0) == ["shown"] * 8


def test_a_word_that_would_give_one_person_away_is_not_said():
    # One person is not linked by the first: "few" by the second only would mean this one.
    labels = label(50, 49, 1, 0)
    assert labels[6] == labels[7] == "hidden"


def test_a_solver_that_fails_leaves_only_totals(monkeypatch):
    class Failed:
        x = None

    monkeypatch.setattr("trailprint.studies.cell_suppression.milp", lambda *a, **k: Failed())
    assert label(40, 30, 7, 50) == [*["shown"] * 3, *["hidden"] * 5]
