"""Which engine is wanted, and what is refused."""

from __future__ import annotations

import pickle

import pytest

from trailprint.engines.options import EngineOptions, choose_engine
from trailprint.engines.waves import cut_into_waves, pickle_in_waves
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
        ({"engine": "spark", "spark_conf": ("spark.master=yarn",)}, "named by spark_master"),
        ({"worker_memory": "4"}, "a size of at least 1MB with its unit, got '4'"),
        ({"worker_memory": "999KB"}, "a size of at least 1MB with its unit, got '999KB'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(OptionError, match=message):
        EngineOptions(**options)


def test_worker_memory_is_counted_in_bytes_on_any_engine():
    assert EngineOptions().worker_bytes is None
    assert EngineOptions(worker_memory="1.5GB").worker_bytes == 1_500_000_000
    assert EngineOptions(engine="spark", worker_memory="1 MiB").worker_bytes == 1_048_576


@pytest.mark.parametrize("most_bytes", [1, 30, 10**9])
@pytest.mark.parametrize("n_tasks", [0, 1, 37])
def test_waves_of_tasks_hold_every_task_once_in_order(most_bytes, n_tasks):
    tasks = [(number, "argument") for number in range(n_tasks)]
    waves = list(pickle_in_waves(iter(tasks), n_first=2, most_bytes=most_bytes))
    assert [pickle.loads(task) for wave in waves for task in wave] == tasks
    for number, wave in enumerate(waves):
        assert 1 <= len(wave) <= 2 << min(number, 3)
        assert sum(map(len, wave)) <= most_bytes or len(wave) == 1


@pytest.mark.parametrize("most_bytes", [1, 40, 10**9])
def test_waves_hold_every_block_once_in_order(most_bytes):
    blocks = [(0, 3), (3, 4), (4, 9), (9, 10)]
    waves = cut_into_waves(blocks, item_bytes=10, most_bytes=most_bytes)
    assert [block for wave in waves for block in wave] == blocks
    sizes = [sum(high - low for low, high in wave) * 10 for wave in waves]
    assert all(
        size <= most_bytes or len(wave) == 1 for size, wave in zip(sizes, waves, strict=True)
    )
