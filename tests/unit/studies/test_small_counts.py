"""Small counts are told as such; nobody is not small."""

from trailprint.studies.small_counts import hide_small, is_small, tell_count


def test_a_few_are_hidden_and_nobody_is_told():
    assert [hide_small(n) for n in (0, 1, 9, 10, 1234)] == [0, "<10", "<10", 10, 1234]
    assert [tell_count(n) for n in (0, 9, 1234)] == ["0", "fewer than 10", "1,234"]
    assert hide_small(4, small=5) == "<5"
    assert not is_small(5, small=5)
