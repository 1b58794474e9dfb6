"""A few lines of Python that use the library, correctly or not."""

from __future__ import annotations

import json
import random

from tests.fuzz.layouts import COLUMNS, Files, draw_file
from tests.fuzz.mutations import mutate_files, mutate_table
from tests.fuzz.populations import Table, draw_population, draw_shape, with_times

#: What ``load`` gives, as a table of some library or as something else.
_TABLES = (
    "pd.DataFrame({0})", "pd.DataFrame({0})", "pl.DataFrame({0})", "pa.table({0})",
    "pa.table({0})",
    "duckdb.from_arrow(pa.table({0}), connection=duckdb.connect())",
    "pl.LazyFrame({0})", "pa.Table.from_pydict({0}).to_batches()[0]", "{0}",
    "list(map(list, {0}.items()))", "pd.DataFrame({0}).to_dict('records')",
    "pd.DataFrame({0}).set_index('user')", "pd.DataFrame()", "pd.DataFrame({0}).iloc[:0]",
    "pa.table({0}).slice(0, 0)", "pl.DataFrame()", "pd.DataFrame({0})['user']",
    "pd.concat([pd.DataFrame({0})] * 2, axis=1)",
    "pd.DataFrame({0}).rename(columns={{'user': 5}})", "pd.DataFrame({0}).astype('category')",
    "pd.DataFrame({0}).astype('string')", "np.zeros((3, 3))", "None", "5", "b'data.csv'",
    "Path('data.csv')", "''", "[]", "{{}}", "object()", "[Path('data.csv')]",
)  # fmt: skip

#: Columns that the changes below look at: a mutation may have taken one away.
_CHANGED = ("user", "start")
#: What may be done to a pandas table before it is read.
_CHANGES = (
    "frame['start'] = pd.to_datetime(frame['start'], errors='coerce')",
    "frame['start'] = pd.to_datetime(frame['start'], errors='coerce', utc=True)",
    "frame['start'] = pd.to_datetime(frame['start'], errors='coerce').dt.to_period('D')",
    "frame['start'] = pd.to_datetime(frame['start'], errors='coerce').dt.date",
    "frame['start'] = pd.to_datetime(frame['start'], errors='coerce') - pd.Timestamp('2024-01-01')",
    "frame['start'] = [dt.datetime(2024, 3, 1 + i % 28) for i in range(len(frame))]",
    "frame['start'] = [dt.datetime.min, *[dt.datetime.max] * (len(frame) - 1)][: len(frame)]",
    "frame['user'] = [1 if i % 2 else 'uzqx001e' for i in range(len(frame))]",
    "frame['user'] = [(u,) for u in frame['user']]",
    "frame['user'] = [[u] for u in frame['user']]", "frame['user'] = float('nan')",
    "frame['user'] = None", "frame['user'] = range(len(frame))",
    "frame['user'] = frame['user'].astype('category')", "frame['location'] = b'bzqx\\xff'",
    "frame['location'] = [{'a': p} for p in frame['user']]",
    "frame['lat'], frame['lon'] = float('inf'), float('nan')",
    "frame['lat'], frame['lon'] = 1 + 2j, 1.0", "frame['count'] = float('nan')",
    "frame['count'] = 2**63", "frame['count'] = -1", "frame['count'] = 0",
    "frame['count'] = 10**7", "frame['count'] = True",
    "frame['count'] = [Decimal('1.5')] * len(frame)", "frame = frame.iloc[::-1]",
    "frame.columns = pd.MultiIndex.from_product([['a'], frame.columns])",
    "frame.columns = [c.upper() for c in frame.columns]",
    "frame.columns = ['user'] * len(frame.columns)", "frame['end'] = pd.Timestamp('2262-04-11')",
    "frame['end'] = '9999-12-31'", "frame['user'] = np.arange(len(frame)).astype('float16')",
    "frame['start'] = [dt.datetime(2024, 3, 1, tzinfo=(None, dt.UTC)[i % 2]) for i in "
    "range(len(frame))]",
    "frame['remark'] = [1 if i % 2 else 'uzqx001e' for i in range(len(frame))]",
    "frame['location'] = pd.arrays.SparseArray([0] * len(frame))",
    "frame['user'] = pd.Series(['uzqx\\ud800'] * len(frame), dtype=object, index=frame.index)",
)  # fmt: skip

_READS = ("tp.ReadOptions()",) * 5 + (
    "tp.ReadOptions(timezone='Europe/Zurich')", "tp.ReadOptions(allow_bad_rows=True)",
    "tp.ReadOptions(drop_duplicates=True, allow_bad_rows=True)", "tp.ReadOptions(layout='web')",
    "tp.ReadOptions(column_names={'user': 'location', 'location': 'user'})",
    "tp.ReadOptions(whole_row=True)", "tp.ReadOptions(one_place=True)",
    "tp.ReadOptions(identity=('user', 'location'))",
    "tp.ReadOptions(header=('a', 'b'))", "tp.ReadOptions(column_names={'user': 'x'})",
    "tp.ReadOptions(time_format='%d')",
)  # fmt: skip

_SPLITS = (
    "tp.SplitOptions(at='median')", "tp.SplitOptions(at='median')", "tp.SplitOptions(fold='1/2')",
    "tp.SplitOptions(halves_of_weeks=True)", "tp.SplitOptions(at='median', released_users=0.5)",
    "tp.SplitOptions(ranges='2024-03-11..2024-03-20,2024-03-21..2024-04-10', active_both=True)",
    "tp.SplitOptions(busiest_weeks=True, min_events=2)", "tp.SplitOptions()",
)  # fmt: skip

_TRUTHS = ("None",) * 6 + (
    "pa.table({'released': ['uzqx000e'], 'auxiliary': ['uzqx000e']})", "pa.table({'a': [1]})",
    "5", "[]", "pd.DataFrame({'released': ['uzqx000e'], 'auxiliary': ['uzqx000e']})",
    "'truth.csv'", "{}",
    "pa.table({'released': ['uzqx000e'] * 2, 'auxiliary': ['uzqx000e', 'uzqx001e']})",
    "pa.table({'released': [1], 'auxiliary': [None]})",
    "pa.table({'released': [], 'auxiliary': []})", "{'uzqx000e': 'uzqx000e'}",
    "pl.DataFrame({'released': ['uzqx000e'], 'auxiliary': ['uzqx000e']})",
)  # fmt: skip

_VERBS = (
    "tp.match(released, auxiliary, truth={0})",
    "tp.match(released, auxiliary, tp.MatchOptions(margins=True), truth={0})",
    "tp.match(released, auxiliary, tp.MatchOptions(metric='l1', method='one-by-one', size=None))",
    "tp.match(released, auxiliary, tp.MatchOptions(metric='cosine', size=2))",
    "tp.match(released, released, truth={0})",
    "tp.trails(released, auxiliary, truth={0})",
    "tp.trails(released, auxiliary, tp.TrailOptions(algorithm='incomplete'))",
    "tp.points(released)",
    "tp.points(released, tp.options.PointsOptions(knowledge='sequence', worst_case=3))",
    "tp.points(released, tp.options.PointsOptions(points=(1, 99)))",
    "tp.points(released, protections=['microaggregate:k=2', object()])",
    "tp.correlate(released, auxiliary, truth={0})",
    "tp.correlate(released, auxiliary, tp.CorrelateOptions(model='markov', days=1), truth={0})",
    "tp.correlate(released, auxiliary, tp.CorrelateOptions(model='mobility-markov'))",
    "tp.protect(released, ['microaggregate:k=2'])",
    "tp.protect(released, ['noise:epsilon=1', 'top-locations:n=2'], seed=1)",
    "tp.protect(released, [object()])",
    "tp.protect(released, 'noise')",
    "tp.protect(released, [])",
    "tp.protect(released, None)",
    "tp.workflows.apply_filters(released, tp.FilterOptions(weekdays=('mon',), min_events=2))",
    "tp.workflows.apply_filters(released, tp.FilterOptions(top_locations=1))",
    "tp.inspect(released)",
    "tp.inspect(auxiliary)",
    "tp.match(released, None)",
    "tp.match(frame, frame)",
    "tp.inspect(frame)",
    "tp.inspect(tp.protect(released, ['top-locations:n=2']).table('released'))",
    "tp.inspect(released.to_pandas())",
    "tp.places.place([frame, released])",
    "tp.places.to_regions(frame, {0})",
    "tp.workflows.to_households(released, {0})",
    "tp.workflows.study_sensitivity(tp.trails(released, auxiliary, truth={0}), "
    "tp.options.SensitivityOptions(sensitivity='popularity'))",
    "tp.split(released, None)",
    "tp.audit(released, auxiliary, tp.AuditOptions(time_limit_s=0.5), truth={0})",
    "tp.audit(released, options=tp.AuditOptions(time_limit_s=0.2, attacks=('trail',)))",
)


def draw_source(rng: random.Random) -> tuple[str, Files]:
    """Lines of Python and the files they read."""
    shape = with_times(draw_shape(rng), rng.choice(("iso", "blank", "seconds")))
    names = rng.choice(COLUMNS)
    table = draw_population(rng, shape).select(*names)
    if rng.random() < 0.25:
        table = mutate_table(rng, table, 1)
    lines, files = _reading_lines(rng, table)
    lines += _side_lines(rng)
    lines.append(f"show({rng.choice(_VERBS).format(rng.choice(_TRUTHS))})")
    return "\n".join(lines) + "\n", files


def _reading_lines(rng: random.Random, table: Table) -> tuple[list[str], Files]:
    if rng.random() < 0.2:
        ending, content = draw_file(rng, table)
        files = mutate_files(rng, {f"data.{ending}": content}, rng.choice((0, 0, 1)))
        return [f"frame = 'data.{ending}'"], files
    values = {name: [_plain(name, cell) for cell in cells] for name, cells in table.columns.items()}
    files = {"data.json": json.dumps(values, indent=0).encode("utf-8", "replace")}
    expression = rng.choice(_TABLES).format("load('data.json')")
    lines = [f"frame = {expression}"]
    if expression == "pd.DataFrame(load('data.json'))" and rng.random() < 0.7:
        lines += [f"frame = frame if {n!r} in frame else frame.assign({n}=None)" for n in _CHANGED]
        changes = rng.sample(_CHANGES, rng.choice((1, 1, 2)))
        # Columns are renamed last: the other changes look them up by name.
        lines += sorted(changes, key=lambda change: change.startswith("frame.columns"))
    return lines, files


def _plain(name: str, cell: str) -> object:
    if name not in ("lat", "lon", "count"):
        return cell
    try:
        return float(cell) if name != "count" else int(cell)
    except ValueError:
        return None


def _side_lines(rng: random.Random) -> list[str]:
    """Two sides: by a split, by reading twice, or with an engine of their own."""
    reading = rng.choice(_READS)
    how = rng.random()
    if how < 0.5:
        return [
            f"events = tp.read(frame, {reading})",
            "show(events)",
            f"sides = tp.split(events, {rng.choice(_SPLITS)})",
            "released, auxiliary = sides.released, sides.auxiliary",
        ]
    engine = ", engine=tp.Engine(threads=1)" if how > 0.9 else ""
    return [
        f"released = tp.read(frame, {reading}{engine})",
        f"auxiliary = tp.read(frame, {reading})",
    ]
