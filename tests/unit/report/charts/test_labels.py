"""Texts beside points keep out of each other's way."""

from trailprint.report.charts.labels import SIDES, place_labels


def test_a_lonely_label_stands_at_the_upper_right() -> None:
    assert place_labels([(50, 50)], ["1"], 12) == [SIDES[0]]


def test_a_label_gives_way_to_the_point_beside_it() -> None:
    first, second = place_labels([(50, 50), (64, 42)], ["1", "2"], 12)
    assert first != SIDES[0]
    assert second == SIDES[0]


def test_points_on_one_spot_get_different_sides() -> None:
    sides = place_labels([(50, 50)] * 4, ["1", "2", "3", "4"], 12)
    assert len(set(sides)) == 4
