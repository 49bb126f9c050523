"""Random trees of files: tables, views and queries that share names, in several spellings."""

from __future__ import annotations

from random import Random

from generators.writer import SqlWriter
from lineal.model.script import Script

FOLDERS = ("", "shop", "shop/old", "bank", "bank/eu", "bank/us", "bench/tpch", "bench/tpcds")
STEMS = ("query", "main", "orders", "customer", "load", "a", "b")
TABLES = ("orders", "customer", "items", "shop.orders", "raw")
COLUMNS = ("id", "name", "total", "city", "k1", "k2", "k3", "k4")
WITH_QUOTES = ("postgres", "snowflake", "oracle")


class FileWriter(SqlWriter):
    """Writes files of one dialect."""

    def __init__(self, random: Random, dialect: str) -> None:
        super().__init__(random)
        self.dialect = dialect

    def in_some_case(self, name: str) -> str:
        """Return a name in one of its spellings."""
        return self.choose((name, name, name.upper(), name.capitalize()))

    def table(self) -> str:
        """Return a table."""
        return self.in_some_case(self.choose(TABLES))

    def any_column(self) -> str:
        """Return a column, now and then in quotes."""
        name = self.in_some_case(self.choose(COLUMNS))
        if self.maybe(15) and self.dialect in WITH_QUOTES:
            return f'"{name}"'
        return name

    def select(self) -> str:
        """SELECT t.a, t.b AS c FROM t [JOIN u ON …] [WHERE …]"""
        text = f"FROM {self.table()} t"
        items = [f"t.{self.any_column()} AS {name}" for name in self.random.sample(COLUMNS, 2)]
        if self.maybe(30):
            text += f" JOIN {self.table()} u ON t.id = u.id"
            items.append(f"{self.choose(COLUMNS)} AS z")
        if self.maybe(30):
            text += f" WHERE t.{self.any_column()} = 1"
        if self.maybe(10):
            items = ["*"]
        return f"SELECT {', '.join(items)} {text}"

    def create_table(self) -> str:
        """CREATE TABLE t (a INT, b INT)"""
        names = self.random.sample(COLUMNS, self.random.randint(2, 5))
        columns = ", ".join(f"{self.in_some_case(name)} INT" for name in names)
        return f"CREATE TABLE {self.table()} ({columns})"

    def create_view(self) -> str:
        """CREATE VIEW v AS SELECT …"""
        return f"CREATE VIEW {self.table()} AS {self.select()}"

    def insert(self) -> str:
        """INSERT INTO t (a, b) SELECT …"""
        columns = ", ".join(map(self.in_some_case, self.random.sample(COLUMNS, 2)))
        return f"INSERT INTO {self.table()} ({columns}) SELECT t.id, t.name FROM raw t"

    def statement(self) -> str:
        """Return DDL, a view, an INSERT, or a bare SELECT."""
        kinds = [*[self.select] * 4, *[self.create_table] * 3, *[self.create_view] * 2, self.insert]
        return self.choose(kinds)()

    def tree(self) -> list[Script]:
        """Return some files in some folders."""
        files: dict[str, Script] = {}
        for _ in range(self.random.randint(3, 9)):
            file = f"{self.choose(FOLDERS)}/{self.choose(STEMS)}.sql".lstrip("/")
            text = ";\n".join(self.statement() for _ in range(self.random.randint(1, 2)))
            files[file] = Script(text, self.dialect, file)
        return list(files.values())
