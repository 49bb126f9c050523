"""Stand-ins for missing tables: any type, any name, and nothing is left behind."""

from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Function, Script
from lineal.spark.plan_lineage import compare_with_spark, of_corpus
from lineal.spark.stand_in import stand_in_names


def table(name: str, **types: str) -> DatasetInfo:
    columns = [ColumnInfo(column, kind) for column, kind in types.items()]
    return DatasetInfo(Dataset("", name), "table", columns, complete=True)


def test_types_that_spark_has_not_are_text(spark):
    corpus = Corpus(
        "postgres",
        [Script("SELECT data, id FROM t", "postgres", target="r")],
        [table("t", id="uuid", data="json")],
    )
    _, exact = of_corpus(corpus, spark)
    assert [str(edge) for edge in exact.edges] == [
        "t.data -> r.data  IDENTITY",
        "t.id -> r.id  IDENTITY",
    ]


def test_names_with_schemas_and_odd_letters(spark):
    texts = ["SELECT `a b` FROM `x``y`", "SELECT n FROM sales.orders"]
    scripts = [Script(text, "spark", target=f"r{number}") for number, text in enumerate(texts)]
    odd = DatasetInfo(Dataset("", "x`y"), "table", [ColumnInfo("a b", "int")], complete=True)
    static, exact = of_corpus(
        Corpus("spark", scripts, [odd, table("sales.orders", n="int")]), spark
    )
    assert [str(diagnostic) for diagnostic in exact.diagnostics] == []
    assert sorted(str(edge.source) for edge in exact.edges) == sorted(
        str(edge.source) for edge in static.edges
    )


def test_nothing_is_left_behind(spark):
    before = spark.catalog.listTables(), spark.catalog.listDatabases()
    corpus = Corpus(
        "spark",
        [Script("CREATE TABLE made AS SELECT n FROM s.t", "spark")],
        [table("s.t", n="int")],
    )
    of_corpus(corpus, spark)
    assert (spark.catalog.listTables(), spark.catalog.listDatabases()) == before


def test_a_statement_that_spark_refuses_costs_only_itself(spark):
    scripts = [
        Script("SELECT nowhere(n) AS x FROM t", "spark", "bad.sql"),
        Script("SELECT n FROM t", "spark", "good.sql"),
    ]
    extraction = compare_with_spark(Corpus("spark", scripts, [table("t", n="int")]), spark)
    assert [diagnostic.code.code for diagnostic in extraction.diagnostics] == ["engine-refused"]
    assert str(extraction.diagnostics[0].place).startswith("bad.sql:1:")
    assert {str(edge.target) for edge in extraction.edges} == {"bad.x", "good.n"}


def test_a_function_that_spark_refuses_costs_only_its_callers(spark):
    broken = Function(
        "broken",
        False,
        ("a",),
        Script("nowhere(a)", "spark", "broken.sql"),
        types=("int",),
        returns="int",
    )
    scripts = [
        Script("SELECT broken(n) AS x FROM t", "spark", "bad.sql"),
        Script("SELECT n FROM t", "spark", "good.sql"),
    ]
    corpus = Corpus("spark", scripts, [table("t", n="int")], [broken])
    _, exact = of_corpus(corpus, spark)
    assert {str(diagnostic.place.file) for diagnostic in exact.diagnostics} == {
        "broken.sql",
        "bad.sql",
    }
    assert {str(edge.target) for edge in exact.edges} == {"good.n"}


def test_names_of_three_parts(spark):
    """A catalog that Spark does not have: the stand-ins get names that it accepts."""
    texts = [
        "CREATE TABLE shop.mart.totals AS SELECT o.id, sum(amount) AS total"
        " FROM shop.sales.orders o JOIN shop.sales.customers ON o.id = customers.id GROUP BY o.id",
        "INSERT INTO shop.mart.kept (id) SELECT id FROM shop.mart.totals WHERE total > 5",
        "SELECT shop.mart.totals.total FROM shop.mart.totals JOIN other.sales.orders USING (id)",
    ]
    scripts = [Script(text, "spark", target=f"r{number}") for number, text in enumerate(texts)]
    declared = [
        table("shop.sales.orders", id="int", amount="double"),
        table("shop.sales.customers", id="int"),
        table("other.sales.orders", id="int"),
        table("shop.mart.kept", id="int"),
    ]
    found = compare_with_spark(Corpus("spark", scripts, declared), spark)
    assert [str(diagnostic) for diagnostic in found.diagnostics] == []
    assert "shop.sales.orders.amount -> shop.mart.totals.total  AGGREGATION" in {
        str(edge) for edge in found.edges
    }


def test_names_that_only_another_engine_accepts(spark):
    text = "CREATE TABLE `my-project.mart.t` AS SELECT n FROM `my-project`.raw.t"
    declared = [table("my-project.raw.t", n="int")]
    corpus = Corpus("bigquery", [Script(text, "bigquery")], declared)
    static, exact = of_corpus(corpus, spark)
    assert [str(diagnostic) for diagnostic in exact.diagnostics] == []
    assert list(map(str, exact.edges)) == list(map(str, static.edges))


def test_substitutes_have_their_own_names():
    named = ["a.b.c", "a__b.c", "a-b.c", "a.t", "t", "a.b.C"]
    found = stand_in_names(named)
    assert found == {"a.b.C": "a__b.C_2", "a.b.c": "a__b.c_3", "a-b.c": "a_b.c"}
