"""Which protections are tried, what they are called, and which none beats."""

import pytest
from tests.presence import present

from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.context import AuditContext
from trailprint.audit.frontier import find_target, mark_frontier
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.protection_parts import plan_protections
from trailprint.audit.results.kept import protections_of
from trailprint.audit.sections.protection_search import search_protections
from trailprint.audit.sections.protections import list_families, try_family
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.protections.suppress import CommonLocations
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=30, n_days=14)), engine=engine)


def make_context(events, **options):
    chosen = AuditOptions(**options)
    return AuditContext(make_sides([events], None, chosen), chosen)


def tried(context):
    return [
        protections_of(try_family(context, family, {}, lambda share: None))
        for family in list_families(context)
    ]


def test_names_with_parts_are_shortened(campus):
    families = {family.title: family for family in list_families(make_context(campus))}
    assert list(families) == [
        "none",
        "microaggregate",
        "common-locations",
        "top-locations",
        "coarsen-names",
        "coarsen-time",
    ]
    assert families["coarsen-names"].values == (2, 1)
    assert families["microaggregate"].values == (2, 5, 10)


def test_positions_are_coarsened_beyond_the_cells_they_are_on(make_events):
    rows = [(f"u{i % 5}", 46 + i % 7 / 50, 7 + i % 3 / 30) for i in range(400)]
    families = {
        f.title: f for f in list_families(make_context(make_events(rows, "user", "lat", "lon")))
    }
    assert families["coarsen-grid"].values == (2000.0, 5000.0, 10000.0)
    assert "coarsen-names" not in families


@pytest.mark.parametrize("others", [(), ("points",)])
def test_sharing_is_measured_where_points_are_asked_for(campus, others):
    context = make_context(campus, protections=("top-locations:n=5",), attacks=("trail", *others))
    points = [point for one in tried(context) for point in one.points]
    assert len(points) == 2
    assert {bool(point.singling_out) for point in points} == {bool(others)}
    parts = [part for some in plan_protections(context) for part in some]
    assert {part.depends_on["sharing"] for part in parts} == {bool(others)}


def test_nothing_costs_nothing_and_averages_of_all_protect(campus):
    context = make_context(campus, protections=("microaggregate:k=30",))
    nothing, averages = tried(context)
    assert nothing.points[0].label == "No protection"
    assert nothing.points[0].loss == 0
    assert not nothing.points[0].asked
    (point,) = averages.points
    assert point.label == "Averages of groups of 30"
    assert point.asked
    assert point.loss == pytest.approx(1)
    assert point.accuracy < nothing.points[0].accuracy


def test_a_chain_is_applied_in_order(campus):
    text = "coarsen-names:levels=1 then microaggregate:k=5"
    chain, alone = (
        tried(make_context(campus, protections=(one,)))[1].points[0]
        for one in (text, "microaggregate:k=5")
    )
    assert chain.label == "Names of 1 part then averages of groups of 5"
    assert chain.written == text
    assert chain.loss > alone.loss


def test_what_the_data_does_not_allow_is_left_out(campus):
    _, found = tried(make_context(campus, protections=("coarsen-grid:cell_m=100",)))
    assert found.points == ()
    (left_out,) = found.left_out
    assert left_out.label == "Cells of 100 m"
    assert "needs a column 'lat'" in left_out.why


def test_a_mapping_from_a_file_can_be_tried(campus, write):
    names = campus.engine.rows(f"SELECT DISTINCT location FROM ({campus.query})")
    lines = "".join(f"{name},{name.split('.')[0]}\n" for (name,) in names)
    path = write("regions.csv", "location,region\n" + lines)
    _, found = tried(make_context(campus, protections=(f"coarsen-regions:mapping={path}",)))
    assert len(found.points) == 1, found.left_out


def search(context, attacks=("histogram",)):
    before: dict[str, Outcome] = {}
    for name in attacks:
        before[f"attack/{name}"] = find_attack(name).run(context, before, lambda share: None)
    for family in list_families(context):
        before[f"protect/{family.title}"] = try_family(context, family, before, lambda s: None)
    return protections_of(search_protections(context, before, lambda share: None))


def test_a_target_is_searched_for(campus):
    context = make_context(
        campus, target_risk=0.3, attacks=("histogram",), protections=("microaggregate:k=2",)
    )
    found = search(context)
    target = present(find_target(found.points, 0.3))
    assert target.at_risk <= 0.3
    assert target.interval[1] <= 0.3
    k = target.parameters["k"]
    tried = {p.parameters["k"]: p for p in found.points if p.name == "microaggregate"}
    assert tried[k - 1].at_risk > 0.3


def test_every_family_that_ran_judges_what_matters(campus):
    attacks = ("histogram", "trail", "sequence", "combined")
    context = make_context(campus, attacks=attacks)
    found = search(context, attacks)
    marked = {point.written: point for point in mark_frontier(found.points)}
    for point in marked.values():
        families = {one.attack for one in point.judged} | {n.attack for n in point.not_judged}
        assert point.judged_by_all == (families == set(attacks))
        if point.on_frontier:
            assert point.judged_by_all
        whole = [one for one in point.judged if one.people == context.sizes.n_people]
        assert max(one.accuracy for one in whole) == pytest.approx(point.accuracy)
    averages = marked["microaggregate:k=2"]
    assert {one.attack for one in averages.not_judged} == {"sequence", "combined"}
    assert "Events are needed" in averages.not_judged[0].why
    rounded = marked["coarsen-time:unit_s=86400"]
    assert {"sequence", "combined"} <= {one.attack for one in rounded.judged}
    assert present(found.search).tried == len(found.points)


def test_groups_of_equal_records_are_counted(campus):
    context = make_context(campus, protections=("microaggregate:k=6",))
    nothing, averages = tried(context)
    groups = present(nothing.points[0].groups)
    assert (groups.smallest, groups.in_small) == (1, groups.people)
    groups = present(averages.points[0].groups)
    assert groups.smallest >= 6
    assert groups.in_small == 0


def rare_places(engine, target_risk):
    campus = read(simulate_campus(CampusOptions(n_users=90, n_days=14)), engine=engine)
    asked = ("common-locations:min_users=2",)
    return make_context(campus, target_risk=target_risk, attacks=("histogram",), protections=asked)


def test_a_target_that_no_usual_value_reaches_is_searched_beyond_them(engine):
    found = search(rare_places(engine, 0.2))
    tried = {p.parameters.get("min_users", 1): p for p in found.points}
    assert tried[20].at_risk > 0.2
    assert present(find_target(found.points, 0.2)).parameters["min_users"] > 20
    least = min(number for number, point in tried.items() if point.at_risk <= 0.2)
    assert tried[least - 1].at_risk > 0.2


def test_values_beyond_that_the_data_does_not_allow_are_no_loss(engine, monkeypatch):
    monkeypatch.setattr(CommonLocations, "stronger_values", classmethod(lambda *_: [10**6]))
    found = search(rare_places(engine, 0.01))
    assert 10**6 not in {p.parameters.get("min_users") for p in found.points}
    assert not found.left_out
