"""What is said of each person: found or not, how surely, and which view decided."""

import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks.deciding_views import find_deciding_views
from trailprint.features.views import Views
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.workflows.options import ViewOptions


@pytest.fixture(scope="module")
def campus():
    table = simulate_campus(CampusOptions(n_users=40, n_days=21))
    halves = tp.split(tp.read(table), tp.SplitOptions(at="median", active_both=True))
    return halves.released.materialise(), halves.auxiliary.materialise()


@pytest.mark.parametrize("views", [None, ViewOptions(names=["visits", "moves"], weights="equal")])
def test_people_found_are_those_the_risk_counts(campus, views):
    result = tp.match(campus[0], campus[1], tp.MatchOptions(margins=True), views=views)
    people = result.per_user().to_pydict()
    assert people["user"] == result.released.users.to_pylist()
    assert sum(people["linked"]) == present(result.risk).n_correct
    links = {row["released"]: row for row in result.links().to_pylist()}
    for row in result.per_user().to_pylist():
        link = links[row["user"]]
        assert row["linked"] == (link["auxiliary"] == row["user"])
        assert (row["weight"], row["margin"]) == (link["weight"], link["margin"])
    assert ("deciding_view" in people) == (views is not None)


def test_the_deciding_view_is_that_of_the_persons_link(campus):
    result = tp.match(
        campus[0], campus[1], views=ViewOptions(names=["visits", "moves"], weights="equal")
    )
    people = result.per_user()
    first, second = result.released, result.auxiliary
    assert isinstance(first, Views)
    assert isinstance(second, Views)
    named = find_deciding_views(first, second, present(result.view_weights), result.linkage)
    rows = result.linkage.released.tolist()
    assert people["deciding_view"].take(rows).to_pylist() == named.to_pylist()
    assert set(named.to_pylist()) >= {"visits", "moves"}
    assert people["margin"].null_count == len(people)


def test_people_without_a_link_or_a_counterpart_have_nulls(campus):
    released, auxiliary = campus
    some = auxiliary.having("\"user\" < 'user00020'").materialise()
    result = tp.match(released, some, tp.MatchOptions(size=10))
    people = result.per_user()
    linked = people["linked"].to_pylist()
    assert [found is None for found in linked] == [
        user >= "user00020" for user in people["user"].to_pylist()
    ]
    assert people["weight"].null_count == len(people) - 10
    assert sum(found is True for found in linked) == present(result.risk).n_correct


def test_of_several_links_the_right_one_counts(campus):
    options = tp.MatchOptions(method="one-by-one", direction="auxiliary")
    result = tp.match(campus[0], campus[1], options)
    linked = result.per_user()["linked"].to_pylist()
    links = result.links().to_pylist()
    right = {row["released"] for row in links if row["released"] == row["auxiliary"]}
    assert len({row["released"] for row in links}) < len(links)
    assert sum(linked) == len(right) > 0


def test_ids_are_written_only_where_asked_for(campus, tmp_path):
    result = tp.match(campus[0], campus[1])
    assert "per_user" in result.tables
    assert not any(path.stem == "per_user" for path in result.save(tmp_path / "open"))
    (private,) = [
        path
        for path in result.save(tmp_path / "closed", private="per_user")
        if path.stem == "per_user"
    ]
    assert private.stat().st_mode & 0o077 == 0
