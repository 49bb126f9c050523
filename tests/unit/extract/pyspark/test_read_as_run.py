"""A program that is read as it was run: its entry point, its arguments, and the folder that it ran
in.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Main, Script
from lineal.resolve.definitions import Definitions

HEAD = """
import argparse
import sys
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
"""
COLUMNS = [ColumnInfo("id", "INT"), ColumnInfo("day", "DATE"), ColumnInfo("amount", "DOUBLE")]
ORDERS = DatasetInfo(Dataset("", "orders"), "table", COLUMNS, complete=True)


def definitions_of(program: str, *arguments: str, **others: str) -> Definitions:
    scripts = [Script(HEAD + dedent(program), "python", "job.py")]
    scripts += [Script(text, "python", f"{name}.py") for name, text in others.items()]
    found = Definitions(Corpus("spark", scripts, [ORDERS], main=Main("job.py", arguments, "/work")))
    found.result = found.extract()  # type: ignore[attr-defined]
    return found


def read(program: str, *arguments: str, **others: str) -> list[str]:
    found: Extraction = definitions_of(program, *arguments, **others).result  # type: ignore[attr-defined]
    return sorted(map(str, found.edges))


def test_arguments_are_those_of_the_command_line() -> None:
    program = """
        spark.table("orders").select(sys.argv[1]).write.saveAsTable(f"{sys.argv[2]}_mart")
        """
    assert read(program, "amount", "prod") == ["orders.amount -> prod_mart.amount  IDENTITY"]


PARSED = """
    parser = argparse.ArgumentParser(description="daily")
    parser.add_argument("source")
    parser.add_argument("--target", "-t", default="mart")
    parser.add_argument("--columns", nargs="+", default=["id"])
    parser.add_argument("--limit", type=int, default="3")
    group = parser.add_argument_group("switches")
    group.add_argument("--full", action="store_true")
    group.add_argument("--dry", action="store_const", const="dry_", default="")
    args = parser.parse_args()
    df = spark.table(args.source).select(*args.columns)
    if args.full:
        df = df.withColumn("limit", F.lit(args.limit))
    if args.limit > 2:
        df = df.filter("amount > 1")
    df.write.saveAsTable(args.dry + args.target)
    """


@pytest.mark.parametrize(
    ("arguments", "edges"),
    [
        (["orders"], ["orders.amount => mart  FILTER", "orders.id -> mart.id  IDENTITY"]),
        (["orders", "--limit", "1", "-t", "m"], ["orders.id -> m.id  IDENTITY"]),
        (
            ["orders", "--columns", "day", "amount", "--limit=2", "--dry", "--full"],
            ["orders.amount -> dry_mart.amount  IDENTITY", "orders.day -> dry_mart.day  IDENTITY"],
        ),
    ],
)
def test_argparse_is_followed(arguments: list[str], edges: list[str]) -> None:
    assert read(PARSED, *arguments) == edges


def test_commands_and_their_defaults() -> None:
    program = """
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="command", required=True)
        daily = commands.add_parser("daily")
        daily.add_argument("--day", default="2026-01-01")
        daily.set_defaults(table="daily")
        commands.add_parser("weekly").set_defaults(table="weekly")
        args, rest = parser.parse_known_args()
        spark.table("orders").select("id").write.saveAsTable(f"{args.command}_{len(rest)}")
        """
    assert read(program, "daily", "--day", "x", "--more") == ["orders.id -> daily_1.id  IDENTITY"]


@pytest.mark.parametrize(
    "said",
    [
        'parser.add_argument("--n", action=Mine)',
        'parser.register("type", "x", f)',
        "parser.add_argument(unknown())",
    ],
)
def test_a_parser_that_is_not_followed_leaves_placeholders(said: str) -> None:
    program = f"""
        parser = argparse.ArgumentParser()
        parser.add_argument("--target")
        {said}
        args = parser.parse_args()
        spark.table("orders").select("id").write.saveAsTable(args.target)
        """
    (edge,) = read(program, "--target", "mart")
    assert "{" in edge


def test_only_reached_statements_happen() -> None:
    program = """
        from helper import clean

        def never(df):
            df.write.saveAsTable("never")

        def main():
            clean(spark.table("orders")).write.saveAsTable("mart")

        if __name__ == "__main__":
            main()
        """
    helper = 'def clean(df):\n    return df.select("id")\n\ndef other(df):\n    df.write.saveAsTable("other")\n'
    assert read(program, helper=helper) == ["orders.id -> mart.id  IDENTITY"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("out/mart", "/work/out/mart"),
        ("./out", "/work/out"),
        ("../out/", "/out"),
        ("/data/out", "/data/out"),
        ("s3a://lake/out", "s3://lake/out"),
        ("file:///data/out", "/data/out"),
    ],
)
def test_paths_start_where_it_ran(written: str, name: str) -> None:
    assert read(f'spark.table("orders").select("id").write.parquet("{written}")') == [
        f"orders.id -> {name}.id  IDENTITY"
    ]


def test_the_folder_counts_in_patterns_too() -> None:
    program = 'spark.table("orders").select("id").write.parquet(f"out/{unknown}")'
    assert read(program) == ["orders.id -> /work/out/{unknown}.id  IDENTITY"]


# -- gaps ------------------------------------------------------------------------------------------


def gaps(program: str) -> dict[str, list[int]]:
    """The targets, and the lines below HEAD on the way to each of which only a run knows what they
    do.
    """
    found = definitions_of(program)
    first = HEAD.count("\n")
    return {
        str(dataset): sorted(
            {each.place.line - first for each in several if each.place is not None}
        )
        for dataset, several in found.gaps.items()
    }


def test_gaps_belong_to_the_datasets_that_they_lead_to() -> None:
    program = """
        orders = spark.table("orders")
        orders.select(*unknown).write.saveAsTable("a")
        orders.select("id").write.saveAsTable("b")
        cut = orders.filter(unknown)
        cut.select("id").write.saveAsTable("c")
        cut.join(orders, "id").write.saveAsTable("d")
        """
    assert gaps(program) == {"a": [3], "b": [], "c": [5], "d": [5]}


def test_gaps_of_functions_belong_to_what_they_give() -> None:
    program = """
        def key(name):
            return F.col(name)

        def loaded(name):
            return spark.table("orders").withColumn("k", F.col(name))

        def silent():
            spark.table("orders").select(*unknown).count()
            return spark.table("orders")

        loaded(unknown).write.saveAsTable("a")
        spark.table("orders").select(key(unknown)).write.saveAsTable("b")
        silent().write.saveAsTable("c")
        """
    assert gaps(program) == {"a": [6], "b": [3], "c": []}


def test_a_column_in_a_name_is_a_gap_from_there_on() -> None:
    program = """
        spark.table("orders").write.saveAsTable("a")
        column = F.col(unknown)
        spark.table("orders").select(column).write.saveAsTable("b")
        """
    assert gaps(program) == {"a": [], "b": [3]}


def test_names_of_tables_are_not_gaps() -> None:
    assert gaps(
        'spark.table(f"{unknown}.orders").select("id").write.saveAsTable(f"{unknown}.mart")'
    ) == {"{unknown}.mart": []}


def test_certain_writes_are_known() -> None:
    program = """
        df = spark.table("orders")
        df.write.saveAsTable("a")
        if unknown:
            df.write.saveAsTable("b")
        df.write.mode("ignore").saveAsTable("c")
        """
    assert {str(each) for each in definitions_of(program).written_surely} == {"a"}
