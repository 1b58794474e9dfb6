"""Jobs are named for as long as they are ours, and stopped with what started them."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from trailprint.engines.spark.job_groups import in_job_group


class Context:
    """The part of a SparkContext that names jobs."""

    def __init__(self):
        self.names = {"spark.jobGroup.id": "theirs"}

    def getLocalProperty(self, key):
        return self.names.get(key)

    def setLocalProperty(self, key, value):
        self.names[key] = value


def test_a_group_is_named_and_forgotten():
    context, stopped = Context(), []
    with in_job_group(context, "ours", lambda: stopped.append("ours")):
        assert context.names == {"spark.jobGroup.id": "ours"}
    assert context.names == {"spark.jobGroup.id": "theirs"}
    assert not stopped


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_was_interrupted_is_stopped(error):
    context, stopped = Context(), []

    def stop():
        stopped.append("ours")
        raise RuntimeError("nobody is there any more")

    with pytest.raises(error), in_job_group(context, "ours", stop):
        raise error
    assert stopped == ["ours"]
    assert context.names == {"spark.jobGroup.id": "theirs"}
