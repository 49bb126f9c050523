"""Pairs of models as people rewrite them in a pull request: equal pairs are proven, and no others."""

from __future__ import annotations

import pytest

import lineal
from lineal.graph.diff import diff
from lineal.model.policy import Level

SCHEMA = """
CREATE TABLE orders (id INT, customer_id INT, amount INT, tip INT, status VARCHAR, day DATE);
CREATE TABLE customers (id INT, name VARCHAR, country VARCHAR, tier INT);
CREATE TABLE payments (id INT, order_id INT, cents INT, method VARCHAR);
"""
EQUAL = {
    "nested CTEs flattened": (
        "WITH a AS (SELECT id, amount FROM orders), b AS (SELECT id, amount FROM a WHERE amount > 10) "
        "SELECT id, amount AS euros FROM b",
        "SELECT o.id, o.amount AS euros FROM orders o WHERE o.amount > 10",
    ),
    "import CTEs": (
        "WITH o AS (SELECT * FROM orders), c AS (SELECT * FROM customers) SELECT o.id, c.name FROM o "
        "JOIN c ON c.id = o.customer_id",
        "SELECT orders.id, customers.name FROM orders INNER JOIN customers ON orders.customer_id = "
        "customers.id",
    ),
    "final CTE": (
        "WITH final AS (SELECT id, upper(name) AS n FROM customers) SELECT * FROM final",
        "SELECT id, upper(name) AS n FROM customers",
    ),
    "subquery to CTE with group": (
        "SELECT c.name, s.total FROM customers c LEFT JOIN (SELECT customer_id, sum(amount) AS total "
        "FROM orders GROUP BY customer_id) s ON s.customer_id = c.id",
        "WITH s AS (SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id) SELECT "
        "c.name, s.total FROM customers AS c LEFT OUTER JOIN s ON c.id = s.customer_id",
    ),
    "unused CTE": (
        "WITH x AS (SELECT 1 AS one), o AS (SELECT id FROM orders) SELECT id FROM o",
        "SELECT id FROM orders",
    ),
    "filter into CTE": (
        "WITH o AS (SELECT id, status FROM orders) SELECT id FROM o WHERE status = 'paid'",
        "WITH o AS (SELECT id, status FROM orders WHERE status = 'paid') SELECT id FROM o",
    ),
    "two filters to one": (
        "SELECT id FROM (SELECT id, amount FROM orders WHERE status = 'paid') q WHERE amount > 5",
        "SELECT id FROM orders WHERE amount > 5 AND status = 'paid'",
    ),
    "ON filter to WHERE of inner join": (
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id AND c.country = 'DE'",
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.country = 'DE'",
    ),
    "three way join reordered": (
        "SELECT o.id, p.cents, c.name FROM orders o JOIN payments p ON p.order_id = o.id JOIN customers "
        "c ON c.id = o.customer_id WHERE p.method = 'card'",
        "SELECT o.id, p.cents, c.name FROM payments p JOIN orders o ON o.id = p.order_id JOIN customers "
        "c ON o.customer_id = c.id WHERE 'card' = p.method",
    ),
    "right join to left": (
        "SELECT o.id, c.name FROM orders o RIGHT JOIN customers c ON c.id = o.customer_id",
        "SELECT o.id, c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id",
    ),
    "group by position to name": (
        "SELECT status, count(*) AS n FROM orders GROUP BY 1",
        "SELECT status, count(*) AS n FROM orders GROUP BY status",
    ),
    "redundant distinct over group": (
        "SELECT DISTINCT status, day, max(amount) AS m FROM orders GROUP BY status, day",
        "SELECT status, day, max(amount) AS m FROM orders GROUP BY day, status",
    ),
    "distinct of union all": (
        "SELECT DISTINCT x FROM (SELECT id AS x FROM orders UNION ALL SELECT order_id FROM payments) q",
        "SELECT id AS x FROM orders UNION SELECT order_id FROM payments",
    ),
    "distinct inside exists": (
        "SELECT name FROM customers c WHERE EXISTS (SELECT DISTINCT o.id FROM orders o WHERE "
        "o.customer_id = c.id)",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE c.id = o.customer_id)",
    ),
    "case to coalesce of three": (
        "SELECT CASE WHEN tip IS NOT NULL THEN tip WHEN amount IS NOT NULL THEN amount ELSE 0 END AS v "
        "FROM orders",
        "SELECT COALESCE(tip, amount, 0) AS v FROM orders",
    ),
    "ifnull to coalesce": (
        "SELECT ifnull(tip, 0) AS v FROM orders",
        "SELECT coalesce(tip, 0) AS v FROM orders",
    ),
    "nested coalesce": (
        "SELECT coalesce(tip, coalesce(amount, 0)) AS v FROM orders",
        "SELECT coalesce(tip, amount, 0) AS v FROM orders",
    ),
    "in to exists with correlation": (
        "SELECT o.id FROM orders o WHERE o.customer_id IN (SELECT c.id FROM customers c WHERE c.country "
        "= 'DE')",
        "SELECT o.id FROM orders o WHERE EXISTS (SELECT * FROM customers c WHERE c.country = 'DE' AND "
        "c.id = o.customer_id)",
    ),
    "in to semi join": (
        "SELECT o.id FROM orders o WHERE o.customer_id IN (SELECT id FROM customers)",
        "SELECT o.id FROM orders o SEMI JOIN customers c ON c.id = o.customer_id",
    ),
    "simple case to searched": (
        "SELECT CASE status WHEN 'paid' THEN 1 WHEN 'open' THEN 2 ELSE 3 END AS s FROM orders",
        "SELECT CASE WHEN status = 'paid' THEN 1 WHEN status = 'open' THEN 2 ELSE 3 END AS s FROM orders",
    ),
    "commuted sum": (
        "SELECT amount + tip AS t FROM orders",
        "SELECT tip + amount AS t FROM orders",
    ),
    "not equal spelled": (
        "SELECT id FROM orders WHERE status <> 'void'",
        "SELECT id FROM orders WHERE NOT status = 'void'",
    ),
    "or turned": (
        "SELECT id FROM orders WHERE status = 'a' OR amount > 3",
        "SELECT id FROM orders WHERE amount > 3 OR status = 'a'",
    ),
    "using to on": (
        "SELECT o.id, p.cents FROM orders o JOIN (SELECT order_id AS id, cents FROM payments) p USING "
        "(id)",
        "SELECT o.id, p.cents FROM orders o JOIN payments p ON p.order_id = o.id",
    ),
    "count one": (
        "SELECT customer_id, count(1) AS n FROM orders GROUP BY customer_id",
        "SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id",
    ),
    "where true": (
        "SELECT id FROM orders WHERE 1 = 1 AND amount > 2",
        "SELECT id FROM orders WHERE amount > 2",
    ),
    "cast spelled": (
        "SELECT CAST(amount AS VARCHAR) AS a FROM orders",
        "SELECT amount::VARCHAR AS a FROM orders",
    ),
    "union all order": (
        "SELECT id FROM orders UNION ALL SELECT order_id FROM payments",
        "SELECT order_id AS id FROM payments UNION ALL SELECT id FROM orders",
    ),
}
UNEQUAL = {
    "not in against left join null": (
        "SELECT o.id FROM orders o WHERE o.customer_id NOT IN (SELECT id FROM customers)",
        "SELECT o.id FROM orders o LEFT JOIN customers c ON c.id = o.customer_id WHERE c.id IS NULL",
    ),
    "inner for left": (
        "SELECT c.name, o.amount FROM customers c LEFT JOIN orders o ON o.customer_id = c.id",
        "SELECT c.name, o.amount FROM customers c JOIN orders o ON o.customer_id = c.id",
    ),
    "filter on outer side moved into ON": (
        "SELECT c.name, o.amount FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE "
        "c.tier = 1",
        "SELECT c.name, o.amount FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND c.tier "
        "= 1",
    ),
    "having to where": (
        "SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id HAVING sum(amount) > 10",
        "SELECT customer_id, sum(amount) AS s FROM orders WHERE amount > 10 GROUP BY customer_id",
    ),
    "limit below filter": (
        "SELECT id FROM (SELECT id, amount FROM orders ORDER BY id LIMIT 5) q WHERE amount > 3",
        "SELECT id FROM orders WHERE amount > 3 ORDER BY id LIMIT 5",
    ),
    "filter below window": (
        "SELECT id, r FROM (SELECT id, status, row_number() OVER (ORDER BY id) AS r FROM orders) q WHERE"
        " status = 'paid'",
        "SELECT id, row_number() OVER (ORDER BY id) AS r FROM orders WHERE status = 'paid'",
    ),
    "distinct over join dropped": (
        "SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
        "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
    ),
    "in to plain join": (
        "SELECT c.name FROM customers c WHERE c.id IN (SELECT customer_id FROM orders)",
        "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
    ),
    "join to distinct join": (
        "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id",
        "SELECT o.id, c.name FROM orders o JOIN (SELECT DISTINCT id, name FROM customers) c ON c.id = "
        "o.customer_id",
    ),
    "union for union all": (
        "SELECT id FROM orders UNION ALL SELECT id FROM payments",
        "SELECT id FROM orders UNION SELECT id FROM payments",
    ),
    "count of a nullable": (
        "SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id",
        "SELECT customer_id, count(tip) AS n FROM orders GROUP BY customer_id",
    ),
    "sum null to zero": (
        "SELECT customer_id, sum(tip) AS t FROM orders GROUP BY customer_id",
        "SELECT customer_id, coalesce(sum(tip), 0) AS t FROM orders GROUP BY customer_id",
    ),
    "sum of coalesce": (
        "SELECT customer_id, avg(tip) AS t FROM orders GROUP BY customer_id",
        "SELECT customer_id, avg(coalesce(tip, 0)) AS t FROM orders GROUP BY customer_id",
    ),
    "coalesce shortened": (
        "SELECT coalesce(tip, amount, 0) AS v FROM orders",
        "SELECT coalesce(tip, 0) AS v FROM orders",
    ),
    "case with null branch": (
        "SELECT CASE WHEN tip > 0 THEN tip ELSE amount END AS v FROM orders",
        "SELECT coalesce(tip, amount) AS v FROM orders",
    ),
    "order of cases": (
        "SELECT CASE WHEN amount > 1 THEN 'a' WHEN amount > 5 THEN 'b' END AS v FROM orders",
        "SELECT CASE WHEN amount > 5 THEN 'b' WHEN amount > 1 THEN 'a' END AS v FROM orders",
    ),
    "not with null": (
        "SELECT id FROM orders WHERE tip <> 1",
        "SELECT id FROM orders WHERE tip IS DISTINCT FROM 1",
    ),
    "or to and": (
        "SELECT id FROM orders WHERE status = 'a' OR amount > 3",
        "SELECT id FROM orders WHERE status = 'a' AND amount > 3",
    ),
    "and or brackets": (
        "SELECT id FROM orders WHERE (status = 'a' OR amount > 3) AND tip > 1",
        "SELECT id FROM orders WHERE status = 'a' OR amount > 3 AND tip > 1",
    ),
    "between exclusive": (
        "SELECT id FROM orders WHERE amount BETWEEN 1 AND 5",
        "SELECT id FROM orders WHERE amount >= 1 AND amount < 5",
    ),
    "subtraction turned": (
        "SELECT amount - tip AS v FROM orders",
        "SELECT tip - amount AS v FROM orders",
    ),
    "integer division": (
        "SELECT amount / 2 AS v FROM orders",
        "SELECT amount // 2 AS v FROM orders",
    ),
    "another partition": (
        "SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY id) = 1",
        "SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY status ORDER BY id) = 1",
    ),
    "rank for row number": (
        "SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY amount) = 1",
        "SELECT id FROM orders QUALIFY rank() OVER (PARTITION BY customer_id ORDER BY amount) = 1",
    ),
    "group by more": (
        "SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id",
        "SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id, status",
    ),
    "aggregate before join": (
        "SELECT c.country, sum(o.amount) AS s FROM customers c JOIN orders o ON o.customer_id = c.id "
        "GROUP BY c.country",
        "SELECT c.country, max(o.amount) AS s FROM customers c JOIN orders o ON o.customer_id = c.id "
        "GROUP BY c.country",
    ),
    "fan out": (
        "SELECT o.id, sum(p.cents) AS s FROM orders o JOIN payments p ON p.order_id = o.id GROUP BY o.id",
        "SELECT o.id, sum(p.cents) AS s FROM orders o JOIN payments p ON p.order_id = o.id JOIN "
        "customers c ON c.id = o.customer_id GROUP BY o.id",
    ),
    "exists to any tier": (
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id "
        "AND o.amount > 5)",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
    ),
    "except to except all": (
        "SELECT customer_id FROM orders EXCEPT SELECT id FROM customers",
        "SELECT customer_id FROM orders WHERE customer_id NOT IN (SELECT id FROM customers)",
    ),
    "left join dropped that multiplies": (
        "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id",
        "SELECT c.name FROM customers c",
    ),
    "case insensitive text": (
        "SELECT id FROM orders WHERE status = 'paid'",
        "SELECT id FROM orders WHERE lower(status) = 'paid'",
    ),
}


def verdict(pair: tuple[str, str]) -> Level:
    """Return the verdict on a model that is written in another way."""
    before, after = (
        lineal.lineage(f"{SCHEMA}CREATE VIEW w AS {query}", dialect="duckdb").graph
        for query in pair
    )
    return diff(before, after).verdict


@pytest.mark.parametrize("name", EQUAL)
def test_an_equal_rewrite_is_safe(name: str) -> None:
    assert verdict(EQUAL[name]) is Level.SAFE


@pytest.mark.parametrize("name", UNEQUAL)
def test_another_meaning_is_never_safe(name: str) -> None:
    assert verdict(UNEQUAL[name]) is not Level.SAFE


def test_a_sum_of_texts_keeps_its_order() -> None:
    schema = "CREATE TABLE t (a VARCHAR(9), b VARCHAR(9));"
    before, after = (
        lineal.lineage(
            f"{schema}\nCREATE VIEW w AS SELECT {sum_} AS c FROM t", dialect="tsql"
        ).graph
        for sum_ in ("a + b", "b + a")
    )
    assert diff(before, after).verdict is not Level.SAFE
