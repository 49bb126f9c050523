"""Random projects: small statements over each other's tables, some of them wrong, and edits.

Author(random).project()
Author(random).edit(project)
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Defaults, Function, Script

TABLES = {
    "orders": "id customer_id amount status",
    "customers": "id name region",
    "events": "",
    "raw.clicks": "",
}
COLUMNS = ["id", "customer_id", "amount", "status", "name", "region", "a", "b"]


class Author:
    """Writes small statements over each other's tables, some of them wrong."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def source(self) -> str:
        return self.random.choice([*TABLES, *(f"v{number}" for number in range(8))])

    def column(self, alias: str = "") -> str:
        return f"{alias}{'.' if alias else ''}{self.random.choice(COLUMNS)}"

    def query(self) -> str:
        one, other = self.source(), self.source()
        return self.random.choice(
            [
                f"SELECT * FROM {one}",
                f"SELECT {self.column()}, {self.column()} AS b FROM {one} WHERE {self.column()} > 1",
                f"SELECT x.{self.column()}, {self.column()} FROM {one} x JOIN {other} y ON x.id = y.id",
                f"SELECT {self.column()}, sum({self.column()}) AS amount FROM {one}, {other} GROUP BY 1",
                f"WITH c AS (SELECT *, 1 AS a FROM {one}) SELECT c.*, {self.column()} FROM c",
                f"SELECT a.* FROM {one} a UNION ALL SELECT * FROM {other}",
                f"SELECT x.{self.column()}, half(amount) AS a FROM {one} AS x ORDER BY {self.column()}",
                f"SELECT upper(Name) AS name, count(*) AS n FROM {one.upper()} GROUP BY name",
            ]
        )

    def text(self, number: int) -> str:
        query, target = self.query(), self.source()
        return self.random.choice(
            [
                *[f"CREATE VIEW v{number} AS {query}"] * 6,
                f"CREATE VIEW v{number} (p, q) AS {query}",
                f"CREATE TABLE v{number} (id INT, amount INT, Name TEXT)",
                f"INSERT INTO {target} {query}",
                f"INSERT INTO v{number} (a, b) {query}; SELECT 1; {query}",
                query,
                f"{query};\n{query}",
                f"UPDATE {target} SET amount = {self.column()} + 1 WHERE status = 'x'",
                f"CREATE TEMP TABLE t AS {query}; CREATE TABLE v{number} AS SELECT * FROM t",
                f"ALTER TABLE {target} RENAME COLUMN id TO key",
                f"CREATE TABLE v{number} AS {query}; CREATE OR REPLACE TABLE v{number} AS {query}",
                "SELECT FROM WHERE",
                f"CREATE FUNCTION {self.random.choice(('half', 'upper', 'f'))}(x INT) RETURNS INT RETURN x + {number}",
                f"CREATE VIEW v{number} AS SELECT f({self.column()}) AS a, {self.column()}::int AS b FROM {target}",
                f"GRANT ALL ON x TO y; CREATE VIEW v{number} AS {query}; CREATE VIEW v{number} AS SELECT 'open",
                "",
            ]
        )

    def project(self) -> Corpus:
        datasets = [
            DatasetInfo(
                Dataset("", name),
                "table",
                [ColumnInfo(column) for column in columns.split()],
                complete=True,
            )
            for name, columns in TABLES.items()
            if columns
        ]
        half = Function("half", False, ("x",), Script("x / 2", ""))
        scripts = [
            Script(self.text(number), "", f"f{number}.sql")
            for number in range(self.random.randint(1, 8))
        ]
        return Corpus("", scripts, datasets, [half])

    def edit(self, corpus: Corpus) -> Corpus:
        scripts, datasets = list(corpus.scripts), list(corpus.datasets)
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            at = self.random.randrange(len(scripts)) if scripts else 0
            kind = self.random.choice(
                ("text", "text", "text", "gone", "new", "order", "schema", "name")
            )
            if kind == "new" or not scripts:
                number = self.random.randrange(8)
                scripts.insert(at, Script(self.text(number), "", f"g{number}{at}.sql"))
            elif kind == "text":
                scripts[at] = replace(scripts[at], text=self.text(self.random.randrange(8)))
            elif kind == "gone":
                del scripts[at]
            elif kind == "order":
                self.random.shuffle(scripts)
            elif kind == "name":
                scripts[at] = replace(scripts[at], file=f"h{at}.sql")
            elif datasets:
                wider = [*datasets[0].columns, ColumnInfo(f"x{self.random.randrange(3)}")]
                datasets[0] = replace(datasets[0], columns=wider)
                datasets = datasets[:: self.random.choice((1, -1))]
        return Corpus(corpus.dialect, scripts, datasets, corpus.functions, defaults=corpus.defaults)

    def set_defaults(self, corpus: Corpus) -> Corpus:
        """Names without a schema mean something: everywhere, and in some sessions something else."""
        corpus.defaults = self.random.choice(
            (None, Defaults(None, ("raw",)), Defaults("c", ("mart", "raw")))
        )
        sessions = self.random.choice((((), ""), (("raw", "mart", ""), "ab")))
        corpus.scripts = [
            replace(
                script,
                schemas=(self.random.choice(sessions[0]),) if sessions[0] else (),
                catalog=self.random.choice(sessions[1]) if sessions[1] else "",
            )
            for script in corpus.scripts
        ]
        return corpus
