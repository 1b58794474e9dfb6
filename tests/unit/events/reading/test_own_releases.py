"""A release beside another dataset is read as it was written."""

import json

import trailprint as tp
from trailprint.events.options import ReadOptions
from trailprint.events.reading.own_releases import (
    SCHEMA,
    find_released,
    is_release,
    read_as_written,
)

OPTIONS = ReadOptions(
    column_names={"user": "Card"}, time_format="%d", delimiter=";", timezone="Europe/Zurich"
)


def describe(folder, **reported):
    (folder / "release.json").write_text(json.dumps(reported), encoding="utf-8")


def test_what_is_said_of_columns_is_about_the_other_dataset(tmp_path):
    describe(tmp_path, schema="trailprint.release/1", data={"name": "events.csv"})
    found = read_as_written(str(tmp_path / "events.csv"), OPTIONS)
    assert found == ReadOptions(timezone="Europe/Zurich")
    assert read_as_written(str(tmp_path / "other.csv"), OPTIONS) is OPTIONS


def test_a_folder_that_is_a_release_stands_for_its_data(tmp_path):
    data = tmp_path / "events.csv"
    data.write_text("user,location\na,x\nb,y\n", encoding="utf-8")
    describe(tmp_path, schema="trailprint.release/1", data={"name": "events.csv"})
    assert find_released(tmp_path) == data
    assert is_release(str(tmp_path))
    assert tp.read(tmp_path).count() == 2
    assert read_as_written(str(tmp_path), OPTIONS) == ReadOptions(timezone="Europe/Zurich")
    assert find_released(data) == data
    assert find_released(str(tmp_path / "*.csv")) == str(tmp_path / "*.csv")


def test_a_release_names_no_file_elsewhere_and_none_that_is_missing(tmp_path):
    (tmp_path / "secret.csv").write_text("user,location\na,x\n", encoding="utf-8")
    folder = tmp_path / "release"
    folder.mkdir()
    for name in ("../secret.csv", str(tmp_path / "secret.csv"), "gone.csv", "..", ""):
        describe(folder, schema="trailprint.release/1", data={"name": name})
        assert find_released(folder) == folder
        assert not is_release(str(folder))


def test_files_of_others_are_no_releases(tmp_path):
    path = str(tmp_path / "events.csv")
    assert not is_release(path)
    describe(tmp_path, schema="their.release/1", data={"name": "events.csv"})
    assert not is_release(path)
    for text in ("[]", "{", '{"schema": 3}', "[" * 100_000):
        (tmp_path / "release.json").write_text(text, encoding="utf-8")
        assert not is_release(path)


def test_releases_of_this_and_of_later_versions_are_recognised(tmp_path):
    (tmp_path / "events.csv").write_text("user,location\na,x\n", encoding="utf-8")
    for schema in (SCHEMA, f"{SCHEMA}2"):
        describe(tmp_path, schema=schema, data={"name": "events.csv"})
        assert is_release(str(tmp_path))
