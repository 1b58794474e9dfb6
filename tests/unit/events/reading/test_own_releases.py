"""A release beside another dataset is read as it was written."""

import json

from trailprint.events.options import ReadOptions
from trailprint.events.reading.own_releases import is_release, read_as_written

OPTIONS = ReadOptions(
    column_names={"user": "Card"}, time_format="%d", delimiter=";", timezone="Europe/Zurich"
)


def describe(folder, **told):
    (folder / "release.json").write_text(json.dumps(told), encoding="utf-8")


def test_what_is_said_of_columns_is_about_the_other_dataset(tmp_path):
    describe(tmp_path, schema="trailprint.release/1", data={"name": "events.csv"})
    found = read_as_written(str(tmp_path / "events.csv"), OPTIONS)
    assert found == ReadOptions(timezone="Europe/Zurich")
    assert read_as_written(str(tmp_path / "other.csv"), OPTIONS) is OPTIONS


def test_files_of_others_are_no_releases(tmp_path):
    path = str(tmp_path / "events.csv")
    assert not is_release(path)
    describe(tmp_path, schema="their.release/1", data={"name": "events.csv"})
    assert not is_release(path)
    for text in ("[]", "{", '{"schema": 3}', "[" * 100_000):
        (tmp_path / "release.json").write_text(text, encoding="utf-8")
        assert not is_release(path)
