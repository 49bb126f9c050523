"""Makes the databases that the pages name, with the driver that the extra brings: python
database.py CONNINFO
"""

from __future__ import annotations

import sys

import psycopg

SHOP = """
CREATE TABLE public.orders (id INT, day DATE, amount NUMERIC(10, 2));
CREATE SCHEMA mart;
CREATE TABLE mart.daily (day DATE, total NUMERIC);
CREATE VIEW mart.revenue AS SELECT day, sum(amount) AS revenue FROM public.orders GROUP BY day;
GRANT USAGE ON SCHEMA mart TO ann;
GRANT ALL ON ALL TABLES IN SCHEMA public, mart TO ann;
"""
HISTORY = "CREATE EXTENSION pg_stat_statements"
RUN = "INSERT INTO mart.daily SELECT day, sum(amount) FROM public.orders GROUP BY day"


def prepare(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE ROLE ann LOGIN")
        connection.execute("CREATE DATABASE shop")
        connection.execute("CREATE DATABASE catalog OWNER ann")
        history = connection.execute("SHOW shared_preload_libraries").fetchone() == (
            "pg_stat_statements",
        )
    with psycopg.connect(server, dbname="shop", autocommit=True) as connection:
        connection.execute(SHOP)
        if history:
            connection.execute(HISTORY)
    with psycopg.connect(server, dbname="shop", user="ann", autocommit=True) as connection:
        connection.execute(RUN)


if __name__ == "__main__":
    prepare(sys.argv[1])
