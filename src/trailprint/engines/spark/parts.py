"""
Find where each part of a query runs: on Spark, in a worker's DuckDB, or in this process's DuckDB.

A part is a subquery, the body of a WITH clause, or a table. It is closed if it refers to no name
that the rest of the query defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import expressions as exp

from trailprint.engines.spark.translation import is_only_duckdb, needs_duckdb

#: Whether a name belongs to a table on Spark.
IsThere = Callable[[str], bool]
#: From a part to the name of the table that replaces it; None if the part has to stay.
Replace = Callable[[exp.Expr], str | None]

#: Expressions that change the number of rows, or look at several rows.
_NOT_ROW_WISE = (
    *(exp.Join, exp.AggFunc, exp.Window, exp.Explode, exp.Unnest, exp.Subquery, exp.Lateral),
    *(exp.Select, exp.Star),
)
_CLAUSES = ("group", "having", "distinct", "order", "limit", "qualify", "joins", "with_", "windows")


def replace_parts(tree: exp.Expr, fits: Callable[[exp.Expr], bool], name_of: Replace) -> exp.Expr:
    """Replace each part that fits by a table, outermost parts first."""
    for part in list(_outermost(tree, fits)):
        found = name_of(_body(part))
        if found is None:
            continue
        name = exp.to_table(found)
        if isinstance(part.parent, exp.CTE):
            part.replace(exp.select("*").from_(name))
        elif part is tree:
            return exp.select("*").from_(name)
        else:
            _put(part, name)
    return tree


def _put(part: exp.Expr, name: exp.Table) -> None:
    """Replace a subquery or a table by a table, and keep its alias."""
    is_value = isinstance(part, exp.Subquery) and not isinstance(part.parent, (exp.From, exp.Join))
    if is_value or isinstance(part, exp.SetOperation | exp.Select):
        selected: exp.Expr = exp.select("*").from_(name)
        part.replace(exp.Subquery(this=selected) if isinstance(part, exp.Subquery) else selected)
        return
    alias = part.args.get("alias") or (part.this if isinstance(part, exp.Table) else None)
    name.set("alias", alias.copy() if isinstance(alias, exp.TableAlias) else _alias(alias))
    part.replace(name)


def _alias(name: exp.Expr | None) -> exp.TableAlias | None:
    return None if name is None else exp.TableAlias(this=name.copy())


def _outermost(node: exp.Expr, fits: Callable[[exp.Expr], bool]) -> Iterator[exp.Expr]:
    if isinstance(node, (exp.Query, exp.Table)) and fits(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from _outermost(child, fits)


def _body(part: exp.Expr) -> exp.Expr:
    if isinstance(part, exp.Table):
        plain = part.copy()
        plain.set("alias", None)
        return exp.select("*").from_(plain)
    return part.this.copy() if isinstance(part, exp.Subquery) else part.copy()


def names_in(tree: exp.Expr) -> set[str]:
    """The names of all tables in a tree, including those in its WITH clauses."""
    return {table.name for table in tree.find_all(exp.Table)}


def is_closed(part: exp.Expr) -> bool:
    """Whether a part refers to no WITH clause of the enclosing query."""
    own = {cte.alias for cte in part.find_all(exp.CTE)}
    around = {cte.alias for cte in part.root().find_all(exp.CTE)} - own
    return not names_in(part) & around


def is_there(part: exp.Expr, there: IsThere) -> bool:
    """Whether a part refers to a table on Spark."""
    return any(there(name) for name in names_in(part))


def runs_there(part: exp.Expr, there: IsThere) -> bool:
    """Whether a part uses tables on Spark and can run there."""
    return is_there(part, there) and is_closed(part) and not needs_duckdb(part)


def runs_here(part: exp.Expr, there: IsThere) -> bool:
    """Whether a part uses only tables of this process."""
    return is_closed(part) and not is_there(part, there) and bool(names_in(part))


def is_row_wise(part: exp.Expr, there: IsThere) -> bool:
    """Whether a part maps single rows of a source on Spark with expressions only DuckDB has."""
    if not isinstance(part, exp.Select) or any(part.args.get(name) for name in _CLAUSES):
        return False
    source = part.args.get("from_")
    if source is None or not is_closed(part) or not runs_there(source.this, there):
        return False
    own = [*part.expressions, *([part.args["where"].this] if part.args.get("where") else [])]
    nodes = [node for each in own for node in each.walk()]
    return any(map(is_only_duckdb, nodes)) and not any(
        isinstance(node, _NOT_ROW_WISE) for node in nodes if not _is_plain_star(node, part)
    )


def _is_plain_star(node: exp.Expr, part: exp.Select) -> bool:
    return isinstance(node, exp.Star) and node in part.expressions
