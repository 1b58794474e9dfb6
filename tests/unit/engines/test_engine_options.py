"""Which engine is wanted, and what is refused."""

from __future__ import annotations

import pytest

from trailprint.engines.options import EngineOptions, choose_engine
from trailprint.engines.waves import cut_into_waves
from trailprint.errors import OptionError


def test_settings_are_read_and_the_last_counts():
    options = EngineOptions(engine="spark", spark_conf=("a.b=1", " c = x=y ", "a.b=2"))
    assert options.settings == {"a.b": "2", "c": "x=y"}


def test_an_engine_may_be_given_by_name():
    assert choose_engine("spark") == EngineOptions(engine="spark")
    assert choose_engine("local") == EngineOptions()
    options = EngineOptions(engine="spark", spark_master="local[2]")
    assert choose_engine(options) is options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "hadoop"}, "must be one of local, spark, got 'hadoop'"),
        ({"spark_master": "local[2]"}, "go with engine spark"),
        ({"spark_conf": ("a=1",)}, "go with engine spark"),
        ({"engine": "spark", "spark_conf": ("a",)}, "must be KEY=VALUE"),
        ({"engine": "spark", "spark_conf": ("=1",)}, "must be KEY=VALUE"),
    ],
)
def test_refused(options, message):
    with pytest.raises(OptionError, match=message):
        EngineOptions(**options)


@pytest.mark.parametrize("most_bytes", [1, 40, 10**9])
def test_waves_hold_every_block_once_in_order(most_bytes):
    blocks = [(0, 3), (3, 4), (4, 9), (9, 10)]
    waves = cut_into_waves(blocks, item_bytes=10, most_bytes=most_bytes)
    assert [block for wave in waves for block in wave] == blocks
    sizes = [sum(high - low for low, high in wave) * 10 for wave in waves]
    assert all(
        size <= most_bytes or len(wave) == 1 for size, wave in zip(sizes, waves, strict=True)
    )
