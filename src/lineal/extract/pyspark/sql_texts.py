"""SQL texts in a program: spark.sql("…"), over the tables, views and DataFrames that it has at that
moment.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import reduce
from itertools import zip_longest
from typing import Any

from sqlglot import exp

from lineal.algebra.relation import rename
from lineal.extract.pyspark.branches import merge_relations
from lineal.extract.pyspark.catalog_queries import catalog_answer
from lineal.extract.pyspark.collected import put_collected
from lineal.extract.pyspark.columns.trees import statements
from lineal.extract.pyspark.invocation import Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import is_known, is_text
from lineal.extract.pyspark.local_data import local_relation
from lineal.extract.pyspark.names import owned_name
from lineal.extract.pyspark.relation import Relation, fresh
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import SESSION, in_use, is_live, use_database
from lineal.extract.pyspark.sinks import write_dataset
from lineal.extract.pyspark.values import Choice, Pattern, SchemaValue, Unknown, Value
from lineal.extract.sql.nodes import part_names
from lineal.extract.sql.placeholders import is_naming, name_of, rename_placeholder, value_of
from lineal.extract.sql.procedural.values import Locals
from lineal.extract.sql.query import query, with_
from lineal.extract.sql.statements.families import plan_of
from lineal.extract.sql.statements.steps import Dropped, Plan, Using
from lineal.model.diagnostic import Code
from lineal.model.paths import path_name
from lineal.model.sequences import all_are, as_list, instances

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def sql(run: Run, call: Invocation) -> Value:
    """Run a SQL text.

    spark.sql("SELECT … FROM t"), spark.sql(f"INSERT INTO {target} …"), spark.sql(text, df=df)
    """
    text = call.argument(0, "sqlQuery")
    if isinstance(text, Choice) and all_are(text.options, str):
        return sql_of_options(run, text, call.keywords, call.node)

    if not isinstance(text, str):
        return unknown_sql(run, text, call.node)

    given = call.keywords.get("args", argument_at(call.arguments, 1))
    relations = {key: value for key, value in call.keywords.items() if isinstance(value, Relation)}
    text = with_names(with_arguments(text, {**call.keywords, **relations}, run), given)
    if VARIABLE.match(text):
        run.touch(run.session)
        run.session.append(str(text).strip().rstrip(";"))
        return local_relation(SchemaValue([]))

    answer = catalog_answer(text)
    if answer is not None:
        return answer

    result: Value = None
    for tree in sql_statements(run, with_variables(text, run), call.node):
        put_values(tree, given)
        result = sql_statement(run, tree, relations, call.node)

    if result is not None:
        return result

    return local_relation(SchemaValue([]))


def sql_of_options(run: Run, text: Choice, keywords: Keywords, node: ast.AST) -> Relation | None:
    """Return what one of the texts gives.

    spark.sql(full if first_time else changes)
    """
    several = [sql(run, Invocation([option], keywords, node)) for option in text.options]
    frames = instances(several, Relation)
    if not frames:
        return None

    return reduce(merge_relations, frames)


def unknown_sql(run: Run, text: Value, node: ast.AST) -> Unknown:
    """Report a SQL text of which nothing is known, and return an unknown value.

    spark.sql(read_file("q.sql"))
    """
    held = text if isinstance(text, Unknown) else Unknown("spark.sql()", "not followed")
    what = "a SQL text that only a run knows"
    run.dynamic(f"{what} ({held.reason})", node, held.level)
    run.leave_unread(what, node)
    return Unknown("spark.sql()", f"of {what} ({held.reason})", held.level)


VARIABLE = re.compile(
    r"\s*(DECLARE\s+(OR\s+REPLACE\s+)?(VARIABLE\s+)?(?P<name>\w+)|SET\s+(VAR|VARIABLE)\b|DROP\s+TEMPORARY\s+VARIABLE\b)"
    r"[^;]*;?\s*$",
    re.IGNORECASE,
)
"""DECLARE VARIABLE least DOUBLE, SET VAR least = (SELECT …)

for the statements that follow in the session
"""


def with_variables(text: str, run: Run) -> str:
    """Put the statements that declare variables before a query.

    SELECT … WHERE amount > least      with the statements before it that say what least is
    """
    names = [
        found["name"]
        for each in run.session
        if (found := VARIABLE.match(each)) is not None and found["name"]
    ]
    if not any(re.search(rf"\b{name}\b", text, re.IGNORECASE) for name in names):
        return text

    return as_certain_as(text, ";\n".join([*run.session, text]))


IDENTIFIER = re.compile(r"\bIDENTIFIER\s*\(([^()]*)\)", re.IGNORECASE)
MARKER = re.compile(r"(?<!:):(\w+)")


def with_names(text: str, given: Value) -> str:
    """Put the values of arguments into names.

    spark.sql("… IDENTIFIER(:db || '.orders')", args={"db": "raw"})

    … IDENTIFIER('raw' || '.orders')
    """
    if not isinstance(given, dict):
        return text

    def value(found: re.Match[str]) -> str:
        """Return the literal of a named parameter that is known, else the parameter itself."""
        held = given.get(found[1])
        if is_text(held):
            return "'" + str(held).replace("\\", "\\\\").replace("'", "\\'") + "'"

        return found[0]

    named = IDENTIFIER.sub(lambda call: call[0].replace(call[1], MARKER.sub(value, call[1])), text)
    return as_certain_as(text, named)


def put_values(tree: Any, given: Value) -> None:
    """Put arguments in by position.

    spark.sql("… IDENTIFIER(?)", args=["orders"])      by position
    """
    if not isinstance(given, (list, tuple)):
        return

    for marker, value in zip(list(tree.find_all(exp.Placeholder, bfs=False)), given, strict=False):
        if is_text(value):
            marker.replace(exp.Literal.string(value))


def with_arguments(text: str, given: Keywords, run: Run) -> str:
    """Put DataFrames in by name.

    spark.sql("SELECT * FROM {df}", df=df)      a DataFrame by name
    """
    for key, value in given.items():
        if isinstance(value, Relation):
            text = as_certain_as(text, text.replace(f"{{{key}}}", key))
        elif is_known(value) and f"{{{key}}}" in text:
            text = as_certain_as(text, text.replace(f"{{{key}}}", str(value)))

    return text


def as_certain_as(text: str, found: str) -> str:
    """Return a text made of another one: with placeholders, if that has any."""
    if isinstance(text, Pattern):
        return text.retold(found)

    return found


def sql_statements(run: Run, text: str, node: ast.AST) -> list[Any]:
    """The statements of a text; a placeholder is read as in a SQL file, whatever it is called."""
    if not isinstance(text, Pattern):
        return statements(run, text, node)

    labels: list[str] = []

    def stand_in(found: re.Match[str]) -> str:
        """Replace an unknown part of the text with a numbered placeholder."""
        labels.append(found[0])
        return f"{{lineal_{len(labels) - 1}}}"

    trees = statements(run, PLACEHOLDER.sub(stand_in, str(text)), node)
    for tree in trees:
        put_back(tree, labels)

    known = [put_collected(tree, text) for tree in trees]
    if not all(known):
        run.dynamic("a SQL text with parts that only a run knows", node, text.level)

    return trees


STAND_IN = re.compile(r"\{lineal_(\d+)\}", re.IGNORECASE)
NAMED = (exp.Identifier, exp.Literal, exp.Var, exp.Anonymous)


def put_back(tree: Any, labels: list[str]) -> None:
    """Call each placeholder in a tree as the program does; a quoted column with one is a value,
    too.
    """

    def original(found: re.Match[str]) -> str:
        """Return the unknown part that a numbered placeholder replaced."""
        return labels[int(found[1])]

    for node in list(tree.find_all(*NAMED, exp.Placeholder)):
        if isinstance(node, exp.Placeholder):
            rename_placeholder(node, STAND_IN.sub(original, name_of(node)))
            continue

        spelled = node.this
        if isinstance(spelled, str) and STAND_IN.search(spelled):
            node.set("this", STAND_IN.sub(original, spelled))
            column = node.parent
            is_column = isinstance(column, exp.Column) and column.args.get("this") is node
            if is_column and column.parent is not None and not is_naming(column):
                column.replace(value_of(column))


def sql_statement(run: Run, tree: Any, relations: dict[str, Relation], node: ast.AST) -> Value:
    """Carry out one statement of a text of SQL."""
    if run.reading.is_pipeline:
        without_live(run, tree)

    if (run.using != ("", "") or names_session(run, tree)) and not isinstance(tree, exp.Use):
        qualify_tables(run, tree, relations)

    if isinstance(tree, exp.Create):
        locate(run, tree)

    found = plan_of(tree, run.facts)
    embedded = run.reading.embedded.get(id(tree))
    if embedded is not None and embedded[1].found is not None and not isinstance(found, type):
        found = embedded[1].found.place(tree, found, 0)

    if isinstance(found, type):
        if not isinstance(tree, (exp.Command, exp.Describe)):
            run.report(Code.UNSUPPORTED_STATEMENT, f"{str(tree.key).upper()} is not traced", node)

        return None

    result: Value = None
    for step in as_list(found):
        if isinstance(step, Plan):
            result = sql_plan(run, step, tree, relations, node)
        elif isinstance(step, Dropped):
            drop_dataset(run, step.key)
        elif isinstance(step, Using):
            use_database(run, step.catalog or run.using[0], step.schemas[0] if step.schemas else "")

    return result


def drop_dataset(run: Run, key: str) -> None:
    """Drop a view or a table.

    DROP VIEW v, DROP TABLE t      t may be made again by what makes only what is not there
    """
    run.touch(run.views)
    run.views.pop(key, None)
    held = run.written.get(key)
    if held is not None:
        run.touch(run.written)
        run.written[key] = replace(held, certain=False)


def locate(run: Run, tree: exp.Create) -> None:
    """Note the path of a table.

    CREATE TABLE t USING delta LOCATION 's3://lake/t'

    one dataset: what was written there is in t
    """
    place = next(tree.find_all(exp.LocationProperty), None)
    table = next(tree.this.find_all(exp.Table), None) if isinstance(tree.this, exp.Expr) else None
    if place is None or table is None or not isinstance(place.this, exp.Literal):
        return

    path, name = path_name(place.this.name), ".".join(part_names(table))
    run.program.located[path] = name
    held = run.written.get(path.lower())
    if held is not None:
        run.touch(run.written)
        run.written[name.lower()] = held


def sql_plan(
    run: Run, plan: Plan, tree: Any, relations: dict[str, Relation], node: ast.AST
) -> Value:
    """Carry out the plan of a statement: a write, a view, a change of names."""
    if plan.schema is not None:
        if plan.schema or not any(tree.find_all(exp.LocationProperty)):
            run.program.declare(plan)

        return None

    relation = evaluate_plan(run, plan, tree, relations, node)
    if not plan.name:
        return relation

    if plan.kind in ("view", "function") and plan.columns:
        relation = relation.derive(list(map(fresh, rename(relation.frame, plan.columns).slots)))

    if plan.temporary or is_temporary(tree):
        views = run.global_views if any(tree.find_all(exp.GlobalProperty)) else run.views
        run.touch(views)
        views[plan.key.removeprefix("global_temp.")] = relation
        return None

    write_dataset(run, Write(
        owned_name(plan.name, run.home), relation, node, run.reading, plan.kind, plan.defines, plan.positional,
        list(plan.columns), partition=plan.partition, keeps=plan.keeps,
    ))  # fmt: skip
    return None


def is_temporary(tree: Any) -> bool:
    """Tell whether a view is temporary.

    CREATE TEMPORARY VIEW v AS …
    """
    return isinstance(tree, exp.Create) and any(tree.find_all(exp.TemporaryProperty))


def shared_views(run: Run, tree: Any) -> dict[str, Relation]:
    """Return the global views that a statement reads.

    FROM global_temp.v      read like a view of this session, under a name that no other has
    """
    found: dict[str, Relation] = {}
    for node in tree.find_all(exp.Table) if run.global_views else ():
        key = node.name.lower()
        if node.db.lower() == "global_temp" and key in run.global_views:
            node.set("db", None)
            if not node.alias:
                node.set("alias", exp.TableAlias(this=exp.Identifier(this=node.name, quoted=False)))

            node.set("this", exp.Identifier(this=f"global_temp_{key}", quoted=False))
            found[f"global_temp_{key}"] = run.global_views[key]

    return found


def evaluate_plan(
    run: Run, plan: Plan, tree: Any, relations: dict[str, Relation], node: ast.AST
) -> Relation:
    """A SQL query over tables, temporary views and DataFrames of the program."""
    evaluation = run.evaluation()
    views = {**shared_views(run, tree), **run.views, **relations}
    names = {found.name.lower() for found in tree.find_all(exp.Table)}
    views = {key: view for key, view in views.items() if key in names}
    frames = {key: view.frame for key, view in views.items()}
    used = list(views.values())
    around: Locals | None = None
    if plan.moment is not None:
        around = evaluation.around = Locals(evaluation, plan.moment)

    ctes = with_(plan.with_, around, frames, evaluation) if plan.with_ is not None else frames
    frame = (
        plan.made(evaluation, ctes)
        if plan.made is not None
        else query(plan.query, around, ctes, evaluation)
    )
    if plan.after is not None:
        frame = plan.after(frame, evaluation, ctes)

    frame = evaluation.spell_out(frame)
    if around is not None:
        frame = around.put_values(frame)

    run.take_diagnostics(evaluation.diagnostics)
    found = Relation(list(map(fresh, frame.slots)), frame.rows, tuple(used), evaluation)
    for view in used:
        found.types.update({each.id: view.types.get(each.id, "") for each in found.attributes})

    return found


# -- names in a statement --------------------------------------------------------------------------


def qualify_tables(run: Run, tree: Any, relations: dict[str, Relation]) -> None:
    """Qualify the tables of a statement.

    SELECT … FROM orders      the tables of a statement, after USE
    """
    views = {*run.views, *relations, *(cte.alias.lower() for cte in tree.find_all(exp.CTE))}
    for node in list(tree.find_all(exp.Table)):
        parts = part_names(node)
        if not isinstance(node.this, exp.Identifier) or (
            len(parts) == 1 and parts[0].lower() in views
        ):
            continue

        if is_temporary(tree) and node.find_ancestor(exp.Query, exp.Subquery) is None:
            continue

        full = in_use(run, parts)
        for key, name in zip_longest(("db", "catalog"), reversed(full[: len(full) - 1])):
            if key is not None:
                node.set(key, exp.Identifier(this=name, quoted=False) if name is not None else None)


def names_session(run: Run, tree: Any) -> bool:
    """Tell whether a name includes the session catalog.

    FROM spark_catalog.default.orders

    of a program that was run, and whose columns are not called so, too
    """
    if run.program.main is None or any(
        column.args.get("db") for column in tree.find_all(exp.Column)
    ):
        return False

    return any(node.args.get("db") for node in tree.find_all(exp.Table))


def without_live(run: Run, tree: Any) -> None:
    """Remove the LIVE schema.

    SELECT … FROM LIVE.orders
    """
    for node in tree.find_all(exp.Table):
        if is_live(run, part_names(node)):
            node.set("db", None)


SESSION["sql"] = sql
