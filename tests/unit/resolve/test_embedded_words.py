"""The code of a file decides whether it may hand SQL to a database."""

from __future__ import annotations

import pytest

from lineal.resolve.embedded import code_in, hands_out_sql


@pytest.mark.parametrize(
    "text",
    [
        "cur.execute(sql)",
        "cur.execute('INSERT INTO t SELECT a FROM s')",
        'x = f"{cur.execute(sql)}"',
        "sql = f'''a {b}'''\ncur.executemany(sql)",
        "name = 'it\\'s'  # run\nconn.query(name)",
        "run = getattr(conn, 'execute')",
        "how = 'execute'\ngetattr(conn, how)(sql)",
        "execute_values(cur, sql, rows)",
        "from airflow import DAG",
        'def f():\n    """Read."""\n    return pd.read_sql(q, con)',
    ],
)
def test_code_counts(text: str) -> None:
    """A call, an import, code inside an f-string, and a method by its name."""
    assert hands_out_sql(text)


@pytest.mark.parametrize(
    "text",
    [
        "# execute the query",
        'def f():\n    """Rows that execute "nothing"."""',
        "df.write.format('bigquery').save()",
        "executed = True",
        'x = "conn.query"',
        "table.merge(new, on).whenNotMatchedInsertAll().execute()",
        "self.steps.execute_merge(frame)",
        "words = ['grant', 'execute']\nkind = getattr(column, name)",
    ],
)
def test_words_in_comments_and_strings_do_not_count(text: str) -> None:
    """Such a file is not interpreted for its SQL."""
    assert not hands_out_sql(text)


def test_strings_end_where_python_ends_them() -> None:
    """A quote inside another kind of quotes, an escape, and text behind an f-string."""
    assert code_in("a = '\"' + \"'\" + b  # c").split() == ["a", "=", "+", "+", "b"]
    assert code_in('f"{x}" + y + "z"').split() == ['f"{x}"', "+", "y", "+"]
