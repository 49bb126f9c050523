"""Where frames of pandas come from, and where they are written: files, SQL, object stores, rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import starmap

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import add_doubt, unite_lineages
from lineal.extract.dataframes.pandas.calls import (
    Call,
    as_series,
    is_name,
    name_of,
    relations_of,
    without_names,
)
from lineal.extract.dataframes.pandas.columns import rename_column
from lineal.extract.dataframes.pandas.joins import stack_tables
from lineal.extract.dataframes.pandas.selection import narrow_rows
from lineal.extract.dataframes.pandas.trees import holds_unknown
from lineal.extract.dataframes.pandas.values import DataFrame, Row, Series, Table, Watch
from lineal.extract.dataframes.sources import (
    read_path,
    read_sql,
    read_table_name,
    write_path,
    write_table,
)
from lineal.extract.pyspark.embedded.clients import client_dialect, dialect_by_imports
from lineal.extract.pyspark.embedded.statements import SQL_START, Called
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_known, items_of
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Method, Pattern, Unknown, Value, inputs_of
from lineal.model.edge import Doubt
from lineal.model.sequences import all_are, any_is, first_or_none, instances
from lineal.model.way import Confidence

DEFAULT_DIALECT = "postgres"
"""How a SQL text is read where nothing tells the database."""


# -- reading ---------------------------------------------------------------------------------------


def with_exact_names(relation: Relation) -> Relation:
    """Return a dataset as pandas sees it: names are told apart by their case."""
    if not relation.names:
        return relation

    attributes = [
        each
        if each.slot.star is not None
        else each._replace(slot=each.slot._replace(key=each.slot.name))
        for each in relation.attributes
    ]
    made = relation.derive(attributes)
    made.under = None
    made.gaps = relation.gaps
    return made


def with_folded_names(relation: Relation) -> Relation:
    """Return a frame as a dataset has it: names are compared without their case."""
    attributes = [
        each if each.slot.star is not None else each._replace(slot=plain_slot(each.slot))
        for each in relation.attributes
    ]
    return relation.derive(attributes)


def plain_slot(slot: Slot) -> Slot:
    """Return a column under a plain name: a name with levels is written as pandas writes it."""
    return slot._replace(name=str(slot.name), key=str(slot.name).lower())


def final_relation(held: DataFrame) -> Relation:
    """Return a frame that a program ends with: its index first, where that has names."""
    table = held.table
    return with_folded_names(table.relation.derive([*table.index, *table.relation.attributes]))


def read_file(call: Call) -> Value:
    """pd.read_csv("orders.csv", usecols=["id"], names=[…], index_col="id"), pd.read_parquet(path)"""
    path = call.get(0, "filepath_or_buffer", given_path(call))
    if isinstance(path, Workbook):
        path = path.path

    if isinstance(path, (list, tuple)) and path:
        return read_several(call, path)

    table = Table(with_exact_names(read_columns(call, path)))
    wanted = call.keywords.get("usecols", call.keywords.get("columns"))
    if wanted is not None:
        table = select_columns(call, table, wanted)

    index = call.keywords.get("index_col")
    if is_name(index) and isinstance(index, str):
        table = with_index(call, table, name_of(index))

    return in_parts(call, DataFrame(table))


def read_several(call: Call, paths: Sequence[Value]) -> Value:
    """pd.read_parquet(["a.parquet", "b.parquet"])      the rows of all of them"""
    frames = [
        read_file(Call(call.run, [path, *call.arguments[1:]], call.keywords, call.node))
        for path in paths
    ]
    tables = [each.table for each in frames if isinstance(each, DataFrame)]
    if len(tables) == 1:
        return frames[0]

    return DataFrame(stack_tables(call, tables))


NEW_NAMES = Doubt(
    Confidence.MEDIUM, False, "names that replace the header of a file with unknown columns"
)


def read_columns(call: Call, path: Value) -> Relation:
    """Read a file whose columns the call may list.

    names=["id", "amount"]                the columns of a file without a header
    names=["id", "amount"], header=0      new names, by position
    """
    names = call.keywords.get("names")
    listed = call.names(names) if names is not None else None
    if listed is None or not isinstance(call.keywords.get("header"), int):
        return read_path(call.run, path, call.node, listed)

    held = read_path(call.run, path, call.node)
    if held.complete and len(held.attributes) == len(listed):
        pairs = zip(held.attributes, listed, strict=True)
        slots = [each.slot._replace(name=name, key=name) for each, name in pairs]
    else:
        held = read_path(call.run, path, call.node, listed)
        slots = [
            each.slot._replace(lineage=add_doubt(each.slot.lineage, NEW_NAMES), scanned=None)
            for each in held.attributes
        ]

    changed = zip(held.attributes, slots, strict=True)
    return held.derive([each._replace(slot=slot) for each, slot in changed])


def in_parts(call: Call, frame: DataFrame) -> Value:
    """pd.read_csv(path, chunksize=1000)      parts of the file, one after the other: any is like all"""
    if call.keywords.get("chunksize") or call.keywords.get("iterator"):
        return [frame]

    return frame


def given_path(call: Call) -> Value:
    """Return the path of a file by any of the names that pandas has for it."""
    names = ("path", "path_or_buf", "io", "path_or_buffer")
    return next((call.keywords[name] for name in names if name in call.keywords), None)


def select_columns(call: Call, table: Table, wanted: Value) -> Table:
    """usecols=["id", "amount"]      in the order of the file; here in the order of the list"""
    names = items_of(wanted) if isinstance(wanted, (list, tuple, set)) else None
    if names is not None and all(isinstance(each, str) and is_name(each) for each in names):
        return call.select(table, list(map(str, names)))

    if names is None or not all_are(names, int):
        call.dynamic("columns", wanted)

    return table


def with_index(call: Call, table: Table, name: str) -> Table:
    """index_col="id" """
    evaluation = call.evaluation()
    held = call.column_by_name(table, name, evaluation)
    kept = without_names(table.relation.attributes, [name])
    return Table(call.derive(table, kept, evaluation), (held,))


def read_query(call: Call) -> Value:
    """pd.read_sql("SELECT …", con), pd.read_sql("orders", con)"""
    text = call.get(0, "sql", call.keywords.get("query"))
    if is_table_name(text):
        return DataFrame(Table(with_exact_names(read_table_name(call.run, text, call.node))))

    made = read_sql(call.run, text, dialect_of(call), call.node)
    table = Table(with_exact_names(made))
    index = call.keywords.get("index_col")
    if is_name(index):
        table = with_index(call, table, name_of(index))

    return in_parts(call, DataFrame(table))


def is_table_name(text: Value) -> bool:
    """Tell whether a text names a table and not a query."""
    return isinstance(text, str) and not SQL_START.match(f"{text} ") and " " not in text.strip()


def dialect_of(call: Call) -> str:
    """Return the dialect of the database that a call speaks to, as far as the program tells."""
    called = Called(None, None, "", call.arguments, call.keywords, call.node)
    return client_dialect(called) or dialect_by_imports(call.run) or DEFAULT_DIALECT


def read_bigquery(call: Call) -> Value:
    """pd.read_gbq("SELECT …")"""
    text = call.get(0, "query_or_table", call.keywords.get("query"))
    return DataFrame(Table(with_exact_names(read_sql(call.run, text, "bigquery", call.node))))


def read_table(call: Call) -> Value:
    """pd.read_sql_table("orders", con, schema="raw")"""
    name, schema = call.get(0, "table_name"), call.get(2, "schema")
    if isinstance(name, str) and isinstance(schema, str):
        name = f"{schema}.{name}"

    table = Table(with_exact_names(read_table_name(call.run, name, call.node)))
    wanted = call.keywords.get("columns")
    return DataFrame(select_columns(call, table, wanted) if wanted is not None else table)


READERS = {
    **{f"read_{name}": read_file for name in (
        "csv", "parquet", "json", "excel", "feather", "orc", "pickle", "table", "fwf", "hdf", "xml",
        "html", "stata", "sas", "spss", "clipboard",
    )},
    "read_sql": read_query,
    "read_sql_query": read_query,
    "read_sql_table": read_table,
    "read_gbq": read_bigquery,
}  # fmt: skip
"""Functions of pandas that read a dataset."""


# -- frames of values ------------------------------------------------------------------------------


def new_frame(call: Call) -> Value:
    """pd.DataFrame({"a": df["x"], "b": 1}), pd.DataFrame(rows, columns=["a", "b"])"""
    data = call.get(0, "data")
    names = call.get(2, "columns")
    if isinstance(data, DataFrame) and data.state.get("array"):
        return name_array(data, call.names(names) if names is not None else None)

    if isinstance(data, DataFrame):
        return DataFrame(data.table if names is None else select_columns(call, data.table, names))

    if isinstance(data, Series):
        return frame_of_series(call, data, names)

    if isinstance(data, Mapping):
        known = {name_of(key): held for key, held in data.items() if is_name(key)}
        return frame_of_columns(call, known)

    listed = call.names(names) if names is not None else row_names(data)
    if listed is not None and not isinstance(data, Unknown):
        return frame_of_columns(call, values_by_column(call, data, listed))

    if listed is not None:
        call.dynamic("the values of a frame", data)
        return frame_of_columns(call, dict.fromkeys(listed))

    if data is None:
        return DataFrame(Table(Relation([], {})))

    call.dynamic("the values of a frame", data if isinstance(data, Unknown) else None)
    inputs = inputs_of(data)
    return DataFrame(Table(Relation([open_star()], {}, inputs)))


def frame_of_series(call: Call, data: Series, names: Value) -> DataFrame:
    """pd.DataFrame(s), pd.DataFrame(model.predict_proba(X), columns=["no", "yes"])

    A listed column that a series with a name does not have is empty.
    """
    if names is None:
        return frame_of_columns(call, {data.name or "0": data})

    listed = call.names(names)
    if listed is None:
        return DataFrame(call.unknown(data.table))

    held = [data.name] if data.name in listed else listed
    return frame_of_columns(call, {name: data if name in held else None for name in listed})


def name_array(data: DataFrame, names: Sequence[str] | None) -> DataFrame:
    """pd.DataFrame(scaler.transform(X), columns=["a", "b"])      the columns of an array, by position"""
    slots = [each.slot for each in data.relation.attributes]
    if names is None:
        return DataFrame(data.table)

    if len(names) != len(slots):
        whole = unite_lineages([slot.lineage for slot in slots])
        slots = [Slot(name, name.lower(), whole) for name in names]

    named = zip(slots, names, strict=True)
    made = [fresh(slot._replace(name=name, key=name.lower(), scanned=None)) for slot, name in named]
    return DataFrame(data.table.with_relation(data.relation.derive(made)))


def row_names(data: Value) -> list[str] | None:
    """Return the columns of rows that are dicts."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    if isinstance(first, dict) and all(map(is_name, first)):
        return list(map(name_of, first))

    return None


def values_by_column(call: Call, data: Value, names: Sequence[str]) -> dict[str, Value]:
    """Return the values of rows, column by column."""
    rows = items_of(data) if isinstance(data, (list, tuple)) else None
    found: dict[str, Value] = {}
    for at, name in enumerate(names):
        cells = [as_series(cell_of(row, at, name)) for row in rows or ()]
        found[name] = value_of_cells(call, cells)

    return found


def value_of_cells(call: Call, cells: list[Value]) -> Value:
    """[{"v": df["a"].sum()}, {"v": df["b"].sum()}]      Return a column that has all these values."""
    several = instances(cells, Series)
    if len(several) < 2:
        return first_or_none([*several, *instances(cells, (Unknown, Pattern))])

    evaluation = call.evaluation()
    made = [call.make("value", each, each.table.relation, evaluation) for each in several]
    tree = call.leaf(
        fresh(Slot("value", "value", unite_lineages(each.slot.lineage for each in made)))
    )
    return several[0].with_tree(
        tree,
        is_scalar=all(each.is_scalar for each in several),
        parents=tuple(relations_of(several)),
    )


def cell_of(row: Value, at: int, name: str) -> Value:
    """Return one value of a row."""
    if isinstance(row, dict):
        return row.get(name)

    if isinstance(row, (list, tuple)) and at < len(row):
        return row[at]

    return row


def frame_of_columns(call: Call, columns: Mapping[str, Value]) -> DataFrame:
    """Return a frame of series and constants."""
    columns = {name: as_series(held) for name, held in columns.items()}
    several = instances(columns.values(), Series)
    with_rows = [each for each in several if not each.is_scalar] or several
    home = with_rows[0].table if with_rows else Table(Relation([], {}))
    evaluation = call.evaluation()
    attributes: list[Attribute] = []
    for name, held in columns.items():
        if isinstance(held, Series):
            fitted = held.with_tree(call.fit_series(held, home.relation.rows))
            attributes.append(call.make(name, fitted, home.relation, evaluation))
        else:
            if isinstance(held, (Unknown, Pattern)):
                call.dynamic("a value", held)

            attributes.append(
                call.make(name, call.tree(first_series(held)), home.relation, evaluation)
            )

    parents = [each.table.relation for each in several]
    made = home.with_relation(call.derive(home, attributes, evaluation, None, parents))
    tests = [test.tree for each in several if each.watch for test in each.watch.tests]
    return DataFrame(narrow_rows(call, made, tests) if tests else made)


def first_series(held: Value) -> Value:
    """Return the values of a list as one value; constants have no source."""
    if is_known(held):
        return None

    return held


def new_series(call: Call) -> Value:
    """pd.Series(values, name="x"), in a function over rows pd.Series({"a": …, "b": …})"""
    data = call.get(0, "data")
    name = call.keywords.get("name")
    if isinstance(data, Series):
        return data.with_tree(data.tree, name=name_of(name) if is_name(name) else data.name)

    index = items_of(call.get(1, "index")) if call.get(1, "index") is not None else None
    if isinstance(data, (list, tuple)) and index and all(map(is_name, index)):
        data = dict(zip(map(name_of, index), data, strict=False))

    if isinstance(data, dict) and any_is(data.values(), Series):
        frame = frame_of_columns(
            call, {name_of(key): each for key, each in data.items() if is_name(key)}
        )
        watches = [each.watch for each in data.values() if isinstance(each, Series) and each.watch]
        return Row(frame.table, watches[0]) if watches else row_of_values(frame)

    if isinstance(data, Unknown):
        return data

    if holds_unknown(data):
        return Unknown("Series()", "values that only a run knows")

    return Series(call.tree(first_series(data)), name_of(name) if is_name(name) else None,
                  Table(Relation([], {})))  # fmt: skip


def row_of_values(frame: DataFrame) -> Row:
    """Return one row of a frame that has only one."""
    return Row(frame.table, Watch())


# -- writing ---------------------------------------------------------------------------------------


def columns_to_write(call: Call, table: Table, with_index: bool) -> Relation:
    """Return the columns that are written of a frame: its index first, where that is written and has names."""
    if not with_index or not table.index:
        return with_folded_names(table.relation)

    index = labeled_index(call, table)
    return with_folded_names(table.relation.derive([*index, *table.relation.attributes]))


def labeled_index(call: Call, table: Table) -> list[Attribute]:
    """df.to_csv("out.csv", index_label="day")      the index under the names that a file gives it"""
    labels = call.keywords.get("index_label")
    names = call.names(labels) if labels not in (None, False) else None
    if names is None or len(names) != len(table.index):
        return list(table.index)

    return list(starmap(rename_column, zip(table.index, names, strict=True)))


def to_file(index_default: bool) -> Callable[[Call, Table], Value]:
    """Return a method that writes a file: df.to_csv("out.csv", index=False)."""

    def write(call: Call, table: Table) -> Value:
        """df.to_csv("out.csv", columns=["a"], index=False)"""
        path = call.get(0, "path_or_buf", given_path_to(call))
        if path is None:
            return Unknown("text", "the text of a frame", inputs=(table.relation,))

        wanted = call.keywords.get("columns")
        if wanted is not None:
            table = select_columns(call, table, wanted)

        append = call.keywords.get("mode") == "a"
        relation = columns_to_write(call, table, call.flag("index", index_default))
        write_path(call.run, relation, path, call.node, append)
        return None

    return write


def given_path_to(call: Call) -> Value:
    """Return the path that is written to, by any of the names that pandas has for it."""
    names = ("path", "excel_writer", "fname", "buf", "path_or_buffer")
    return next((call.keywords[name] for name in names if name in call.keywords), None)


def to_json(call: Call, table: Table) -> Value:
    """df.to_json("out.json", orient="records")"""
    path = call.get(0, "path_or_buf")
    if path is None:
        return Unknown("text", "the text of a frame", inputs=(table.relation,))

    write_path(
        call.run,
        columns_to_write(call, table, call.keywords.get("orient") == "table"),
        path,
        call.node,
    )
    return None


def to_excel(call: Call, table: Table) -> Value:
    """df.to_excel(writer, sheet_name="orders"), df.to_excel("out.xlsx")"""
    target = call.get(0, "excel_writer")
    if isinstance(target, Workbook):
        target = target.path

    relation = columns_to_write(call, table, call.flag("index", True))
    write_path(call.run, relation, target, call.node, append=True)
    return None


class Workbook:
    """pd.ExcelWriter("out.xlsx"), pd.ExcelFile("in.xlsx")"""

    def __init__(self, path: Value) -> None:
        """Keep the path of the workbook that sheets are written to, or read from."""
        self.path = path


def workbook(call: Call) -> Value:
    """pd.ExcelWriter("out.xlsx"), pd.ExcelFile("in.xlsx")"""
    return Workbook(call.get(0, "path", call.keywords.get("path_or_buffer")))


def on_workbook(run: Run, held: Workbook, name: str, given: Invocation) -> Value:
    """workbook.parse("Sheet1")"""
    if name == "parse":
        return read_file(Call(run, [held.path, *given.arguments], given.keywords, given.node))

    return Unknown(f"{name}()", "a part of a workbook")


def attribute_of_workbook(run: Run, held: Workbook, name: str, node: ast.AST) -> Value:
    """workbook.sheet_names"""
    if name == "sheet_names":
        return Unknown(name, "only the data knows")

    return Method(held, name)


def to_sql(call: Call, table: Table) -> Value:
    """df.to_sql("orders", con, schema="mart", if_exists="append", index=False)"""
    name, schema = call.get(0, "name"), call.keywords.get("schema", call.get(2, "schema"))
    if isinstance(name, str) and isinstance(schema, str):
        name = f"{schema}.{name}"

    append = call.get(3, "if_exists", call.keywords.get("if_exists")) == "append"
    relation = columns_to_write(call, table, call.flag("index", True))
    write_table(call.run, relation, name, call.node, append)
    return None


def to_bigquery(call: Call, table: Table) -> Value:
    """df.to_gbq("mart.orders", if_exists="append")"""
    append = call.keywords.get("if_exists") == "append"
    write_table(
        call.run,
        with_folded_names(table.relation),
        call.get(0, "destination_table"),
        call.node,
        append,
    )
    return None


def to_values(call: Call, table: Table) -> Value:
    """df.to_dict("records"), df.to_numpy()      values that only the data knows"""
    return Unknown("values", "only the data knows", inputs=(table.relation,))


def to_records(call: Call, table: Table) -> Value:
    """for row in df.to_dict("records"): …      one row, for any of them"""
    if call.get(0, "orient") == "records":
        return [Row(table, Watch())]

    return to_values(call, table)


def show_frame(call: Call, table: Table) -> Value:
    """df.info(), df.plot()      shows something, and gives no frame"""
    return None


WRITERS = {
    "to_csv": to_file(True),
    "to_parquet": to_file(True),
    "to_pickle": to_file(True),
    "to_hdf": to_file(True),
    "to_feather": to_file(False),
    "to_orc": to_file(False),
    "to_stata": to_file(False),
    "to_xml": to_file(True),
    "to_html": to_file(True),
    "to_json": to_json,
    "to_excel": to_excel,
    "to_sql": to_sql,
    "to_gbq": to_bigquery,
    **dict.fromkeys(
        ("to_numpy", "to_records", "to_string", "to_markdown", "to_latex",
         "memory_usage", "corr", "cov", "corrwith", "equals", "to_arrow", "to_xarray",
         "first_valid_index", "last_valid_index", "dot"),
        to_values,
    ),
    "to_dict": to_records,
    **dict.fromkeys(("info", "plot", "hist", "boxplot", "show", "to_clipboard"), show_frame),
}  # fmt: skip
"""Methods of a frame that write it, or hand its values to a program."""


def open_table(run: Run, relation: Relation) -> DataFrame:
    """Return the frame of a dataset: a parameter that no call binds, a name from elsewhere."""
    return DataFrame(Table(with_exact_names(relation)))
