"""
Translate DuckDB SQL to Spark SQL that gives bit-identical results.

Queries are written once, for DuckDB. sqlglot knows the grammar of both; expressions that it does
not translate exactly have a rule here. `needs_duckdb` finds those without an equivalent on Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import duckdb
import sqlglot
from sqlglot import expressions as exp

#: Functions whose results on Spark may differ: hashes, functions of free text, and those that
#: another library may round differently.
_ONLY_DUCKDB = frozenset(
    {
        *("hash", "try_strptime", "time_to_str", "typeof", "bitwise_xor", "bitwise_xor_agg"),
        *("sin", "cos", "ln", "regexp_like", "regexp_matches", "regexp_replace"),
    }
)
#: Our columns of floating-point numbers.
_FRACTIONS = frozenset({"lat", "lon", "weight"})
#: The alias of a hash that is used only to compare rows for equality.
_ROW_HASH = "row_hash"
#: Minutes by which clocks have been set back. A wall-clock time then occurs twice; DuckDB takes
#: the later one and Spark the earlier.
_SET_BACK_MINUTES = (30, 60, 120)


def parse(sql: str) -> exp.Expr:
    """Parse a DuckDB query into a tree."""
    return sqlglot.parse_one(sql, read="duckdb")


def to_duckdb(tree: exp.Expr) -> str:
    """A tree as DuckDB SQL."""
    return tree.sql(dialect="duckdb")


def to_spark(tree: exp.Expr) -> str:
    """A tree as Spark SQL."""
    translated = tree.transform(_translate)
    return translated.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)


def needs_duckdb(tree: exp.Expr) -> bool:
    """Whether any node of a tree has no equivalent on Spark."""
    return any(is_only_duckdb(node) for node in tree.walk())


def is_only_duckdb(node: exp.Expr) -> bool:
    """Whether this node itself has no equivalent on Spark."""
    if isinstance(node, exp.TryCast) or _spells_number(node):
        return True
    name = _name(node)
    if name == "hash":
        return not _is_row_hash(node)
    return name in _ONLY_DUCKDB or name.startswith("h3_cell")


def _spells_number(node: exp.Expr) -> bool:
    """Whether a floating-point column of ours is cast to text, which Java formats differently."""
    is_text = isinstance(node, exp.Cast) and node.to.is_type(*exp.DataType.TEXT_TYPES)
    return is_text and isinstance(node.this, exp.Column) and node.this.name in _FRACTIONS


def _is_row_hash(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Alias) and node.parent.alias == _ROW_HASH


def _name(node: exp.Expr) -> str:
    """The name of a function in lower case; empty if the node is not a function."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    if isinstance(node, exp.BitwiseXor):
        return "bitwise_xor"
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def _translate(node: exp.Expr) -> exp.Expr:
    rule = _RULES.get(_name(node)) or _NODE_RULES.get(type(node))
    return node if rule is None else rule(node)


def _fill(template: str, **values: exp.Expr) -> exp.Expr:
    """Fill a template of Spark SQL, in which names in capitals stand for expressions."""
    tree = sqlglot.parse_one(template, read="spark")

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name in values:
            return values[node.name].copy()
        return node

    return tree.transform(put)


def _micros(moment: str = "X") -> str:
    """Spark SQL: microseconds since 1970; sessions are in UTC."""
    return f"UNIX_MICROS(CAST({moment} AS TIMESTAMP))"


def _by(template: str) -> Callable[[exp.Expr], exp.Expr]:
    """A rule for a function of one argument, which is X in the template."""

    def rule(node: exp.Expr) -> exp.Expr:
        value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        return _fill(template, X=value.transform(_translate))

    return rule


def _cut_time(node: exp.Expr) -> exp.Expr:
    """Truncate a time to its day or week; the result stays naive."""
    unit, moment = node.args["unit"].name, node.this.transform(_translate)
    return _fill(f"CAST(DATE_TRUNC('{unit}', X) AS TIMESTAMP_NTZ)", X=moment)


def _count_boundaries(node: exp.Expr) -> exp.Expr:
    """Count day or hour boundaries between two times; Spark would count elapsed days and hours."""
    last, first = (node.args[name].transform(_translate) for name in ("this", "expression"))
    if node.args["unit"].name == "DAY":
        return _fill("DATE_DIFF(CAST(X AS DATE), CAST(Y AS DATE))", X=last, Y=first)
    hours = [f"{_micros(f'''DATE_TRUNC('HOUR', {moment})''')}" for moment in ("X", "Y")]
    return _fill(f"(({hours[0]} - {hours[1]}) DIV 3600000000)", X=last, Y=first)


def _shift_zone(node: exp.Expr) -> exp.Expr:
    """Convert between naive UTC and the wall clock of a zone: two nested calls in DuckDB."""
    zone, inner = node.expressions
    if _name(inner) != "timezone":
        return _fill("CAST(X AS TIMESTAMP)", X=inner.transform(_translate))
    own, moment = inner.expressions
    moment = moment.transform(_translate)
    if own.name == "UTC":
        return _fill("CONVERT_TIMEZONE('UTC', Z, X)", Z=zone, X=moment)
    earlier = "CONVERT_TIMEZONE(Z, 'UTC', X)"
    # Most times are far from a clock change, which a single check two hours ahead shows.
    ahead = f"INTERVAL '{max(_SET_BACK_MINUTES)}' MINUTE"
    is_far = f"CONVERT_TIMEZONE('UTC', Z, {earlier} + {ahead}) = X + {ahead}"
    later = (
        f"WHEN CONVERT_TIMEZONE('UTC', Z, {earlier} + INTERVAL '{minutes}' MINUTE) = X "
        f"THEN {earlier} + INTERVAL '{minutes}' MINUTE"
        for minutes in _SET_BACK_MINUTES
    )
    cases = f"WHEN {is_far} THEN {earlier} {' '.join(later)}"
    return _fill(f"CASE {cases} ELSE {earlier} END", Z=own, X=moment)


def _add_in_order(node: exp.Expr) -> exp.Expr:
    """Sum in a fixed order, so that the last digit does not depend on the cluster."""
    if not isinstance(node.this, exp.Order):
        return node
    template = (
        "CASE WHEN COUNT(X) > 0 THEN AGGREGATE(ARRAY_SORT(COLLECT_LIST(CAST(X AS DOUBLE))), "
        "CAST(0 AS DOUBLE), (total, one) -> total + one) END"
    )
    return _fill(template, X=node.this.this.transform(_translate))


def _hash_row(node: exp.Expr) -> exp.Expr:
    """Hash a row, including which of its values are missing; equal rows have equal hashes."""
    columns = [column.copy() for column in node.expressions]
    missing = [exp.Is(this=column.copy(), expression=exp.Null()) for column in columns]
    return exp.Anonymous(this="XXHASH64", expressions=[*columns, *missing])


def _keep_parts(node: exp.Expr) -> exp.Expr:
    values, first, last = (part.transform(_translate) for part in node.expressions)
    return _fill("SLICE(X, F, L - F + 1)", X=values, F=first, L=last)


def _length(node: exp.Expr) -> exp.Expr:
    """The size of a list, or the length of a text."""
    if isinstance(node.this, exp.Split):
        return _fill("SIZE(X)", X=node.this.transform(_translate))
    return node


def _median_moment(node: exp.Expr) -> exp.Expr:
    """The time at a discrete quantile, such as the median."""
    share, moment = node.args["expression"], node.this.transform(_translate)
    order = exp.Order(expressions=[exp.Ordered(this=_fill(_micros(), X=moment))])
    call = exp.Anonymous(this="PERCENTILE_DISC", expressions=[share.copy()])
    middle = exp.WithinGroup(this=call, expression=order)
    return _fill("CAST(TIMESTAMP_MICROS(CAST(M AS BIGINT)) AS TIMESTAMP_NTZ)", M=middle)


def _number(node: exp.Expr) -> exp.Expr:
    """Replace a decimal literal by the double that DuckDB parses it to."""
    if node.is_string or "." not in str(node.this) or "e" in str(node.this).lower():
        return node
    return exp.Anonymous(this="DOUBLE", expressions=[exp.Literal.string(_as_double(node.this))])


def _round(node: exp.Expr) -> exp.Expr:
    """Round a product or quotient cast to an integer, as DuckDB does; Spark would truncate it."""
    is_whole = node.args["to"].is_type(*exp.DataType.INTEGER_TYPES)
    if not is_whole or not isinstance(node.this, exp.Mul | exp.Div):
        return node
    value = exp.Anonymous(this="RINT", expressions=[node.this.transform(_translate)])
    return exp.Cast(this=value, to=node.args["to"].copy())


@cache
def _as_double(text: str) -> str:
    return repr(duckdb.execute(f"SELECT CAST({text} AS DOUBLE)").fetchall()[0][0])


def _plain_cte(node: exp.Expr) -> exp.Expr:
    """Drop MATERIALIZED: Spark decides by itself what to cache."""
    node.set("materialized", None)
    return node


_RULES: Mapping[str, Callable[[exp.Expr], exp.Expr]] = {
    "epoch_us": _by(_micros()),
    "unix_to_time": _by("CAST(TIMESTAMP_MICROS(X) AS TIMESTAMP_NTZ)"),
    "isfinite": _by("(ABS(X) < DOUBLE('Infinity'))"),
    "dayofweek_iso": _by("(WEEKDAY(X) + 1)"),
    "to_days": _by("MAKE_DT_INTERVAL(X)"),
    "timestamp_trunc": _cut_time,
    "datediff": _count_boundaries,
    "timezone": _shift_zone,
    "sum": _add_in_order,
    "hash": _hash_row,
    "list_slice": _keep_parts,
    "length": _length,
    "percentile_disc": _median_moment,
}
_NODE_RULES: Mapping[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    exp.Literal: _number,
    exp.Cast: _round,
    exp.CTE: _plain_cte,
}
