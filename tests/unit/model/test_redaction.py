"""Redaction: secrets are in no text, and literals are in none if that is asked for."""

from __future__ import annotations

import pytest

from lineal.model.paths import path_name
from lineal.model.redaction import literals_redacted, redact_path, redact_text

SECRET = "Zk81xQ"

TEXTS = [
    f"COPY t FROM 's3a://AKIA:{SECRET}@lake/x.csv'",
    f"COPY t FROM 's3://lake/x' CREDENTIALS 'aws_access_key_id=A;aws_secret_access_key={SECRET}'",
    f"CREATE USER u PASSWORD '{SECRET}'",
    f"CREATE USER u IDENTIFIED BY '{SECRET}'",
    f"CREATE USER u IDENTIFIED BY {SECRET}",
    f"CREATE TABLE t USING jdbc OPTIONS (url 'jdbc:x', password '{SECRET}')",
    f'CREATE TABLE t USING jdbc OPTIONS (url "jdbc:x", \'password\' = "{SECRET}")',
    f"jdbc:postgresql://host/shop?user=ann&password={SECRET}&ssl=true",
    f"jdbc:sqlserver://host;databaseName=shop;user=ann;password={SECRET};encrypt=true",
    f"postgresql://ann:{SECRET}@host:5432/shop",
    f"https://x.blob.core.windows.net/c/f.csv?sv=2020&sig={SECRET}&se=2030",
    f"https://b.s3.amazonaws.com/f.csv?X-Amz-Signature={SECRET}",
    f"CREATE STAGE s CREDENTIALS = (AWS_KEY_ID = '{SECRET}' AWS_SECRET_KEY = '{SECRET}')",
    f"CREATE SECRET s (TYPE s3, KEY_ID '{SECRET}', SECRET '{SECRET}')",
    f"SET fs.s3a.secret.key={SECRET}",
    f'spark.read.option("password", "{SECRET}").load()',
    f'spark.read.jdbc("jdbc:oracle:thin:ann/{SECRET}@host:1521/shop", "t")',
    f"COPY INTO t FROM 's3://b/x' CREDENTIALS=(AWS_KEY_ID='{SECRET}' AWS_SECRET_KEY='{SECRET}')",
    f"CREATE STAGE s CREDENTIALS = (AWS_SECRET_KEY = $${SECRET}$$)",
    f"CREATE LOGIN l WITH PASSWORD = N'{SECRET}'",
    f"CREATE SERVER s OPTIONS (user 'u', password E'{SECRET}')",
    f"CREATE USER u IDENTIFIED WITH sha256_password BY '{SECRET}'",
    f"GRANT ALL ON x TO u IDENTIFIED BY PASSWORD '{SECRET}'",
    f"SET PASSWORD FOR u = PASSWORD('{SECRET}')",
    f"SET spark.hadoop.fs.s3a.secret.key = {SECRET}",
    f"SELECT a FROM s3('https://b/x.csv', '{SECRET}', '{SECRET}', 'CSV')",
    f"SELECT a FROM mysql('host:3306', 'shop', 't', 'ann', '{SECRET}')",
    f"SELECT a FROM remote('host', shop.t, 'ann', '{SECRET}')",
    f"SELECT a FROM OPENROWSET('SQLNCLI', 'host';'ann';'{SECRET}', 'SELECT a FROM t')",
    f"CONNECT ann/{SECRET}@shop",
    f".LOGON host/ann,{SECRET};",
    f"Authorization: Bearer {SECRET}{SECRET}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_is_not_shown(text: str) -> None:
    shown = redact_text(text)
    assert SECRET not in shown and "***" in shown
    assert redact_text(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a.key, b.token_count FROM t WHERE a.key = b.key",
        "abfss://container@account.dfs.core.windows.net/x",
        "coalesce(password_hash, 'none')",
        "https://example.org/a?b=c",
        "a@b.example",
        "SELECT a FROM s3('https://b/x.csv', 'CSV', 'a Int, b String')",
        "UPDATE u SET token = s.token FROM s",
        "SELECT a FROM remote_orders WHERE b = 'x'",
    ],
)
def test_other_texts_are_unchanged(text: str) -> None:
    assert redact_text(text) == text


def test_the_name_of_a_place_has_no_user_and_no_signature() -> None:
    assert path_name(f"s3a://AKIA:{SECRET}@lake/orders/") == "s3://lake/orders"
    assert path_name(f"https://h/c/f.csv?sig={SECRET}") == "https://h/c/f.csv"
    assert redact_path("AccountName=acc;AccountKey=SECRET;") == "AccountName=acc;AccountKey=***;"
    assert redact_path("abfss://box@acc.dfs.core.windows.net/x") == (
        "abfss://box@acc.dfs.core.windows.net/x"
    )


def test_literals_are_redacted_on_request() -> None:
    text = "CASE WHEN \"a b\" = 'Ann''s' OR t1.n2 > 17.5 THEN $$x$$ /* 12 */ ELSE `c 1` END"
    assert redact_text(text) == text
    with literals_redacted():
        shown = redact_text(text)
    assert shown == "CASE WHEN \"a b\" = '?' OR t1.n2 > ? THEN '?' /* */ ELSE `c 1` END"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("""filter("n = 'Ann'").lit("Ann")""", """filter("n = '?'").lit("?")"""),
        ('WHERE a = "Ann" AND "b c" > 1', 'WHERE a = "?" AND "b c" > ?'),
        ('WHERE a LIKE "Ann%"', 'WHERE a LIKE "?"'),
        ('WHERE a IN ("Ann")', 'WHERE a IN ("?")'),
        ('SELECT t."a b" AS "c d"', 'SELECT t."a b" AS "c d"'),
    ],
)
def test_literals_in_double_quotes(text: str, expected: str) -> None:
    """They are strings in some dialects and in programs, and names in others."""
    with literals_redacted():
        assert redact_text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "expected token ',', got 'target_schema'",
        "expected token 'end of print statement', got 'x'",
        "no source in scope has a column 't.access_token'",
        "column 'api_key' may come from any of 'a', 'b'",
    ],
)
def test_a_name_in_quotes_hides_nothing_behind_it(text: str) -> None:
    """A secret is a value that such a name gets."""
    assert redact_text(text) == text
