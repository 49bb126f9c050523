"""Rewrites of a bank's warehouse: equal ones are proven, and every other one is refuted with rows."""

from __future__ import annotations

from pathlib import Path

from test_trip_rewrites import Pairs, findings_of

SCHEMA = """
CREATE TABLE accounts (acct_id INT, holder VARCHAR, branch_id INT, opened DATE, closed DATE, tier VARCHAR);
CREATE TABLE branches (branch_id INT, city VARCHAR, region VARCHAR, manager VARCHAR);
CREATE TABLE moves (move_id INT, acct_id INT, cents INT, kind VARCHAR, done_at TIMESTAMP, memo VARCHAR);
CREATE TABLE limits (acct_id INT, cap INT, reason VARCHAR);
CREATE TABLE p (id INT, grp INT, v INT, w INT, s VARCHAR);
CREATE TABLE q (id INT, p_id INT, x INT, s VARCHAR);
CREATE TABLE r (id INT, k INT, y INT);
"""
EQUAL: Pairs = {
    "cte to subquery": (
        "WITH m AS (SELECT acct_id, SUM(cents) AS total FROM moves GROUP BY acct_id) SELECT "
        "a.holder, m.total FROM accounts a JOIN m ON m.acct_id = a.acct_id",
        "SELECT a.holder, t.total FROM accounts AS a INNER JOIN (SELECT mv.acct_id, "
        "SUM(mv.cents) AS total FROM moves AS mv GROUP BY mv.acct_id) AS t ON a.acct_id = "
        "t.acct_id",
    ),
    "subquery to two chained ctes": (
        "SELECT x.region, COUNT(*) AS n FROM (SELECT b.region, a.acct_id FROM branches b JOIN "
        "accounts a ON a.branch_id = b.branch_id WHERE a.closed IS NULL) x GROUP BY x.region",
        "WITH open_accounts AS (SELECT acct_id, branch_id FROM accounts WHERE closed IS "
        "NULL), placed AS (SELECT b.region, o.acct_id FROM open_accounts o JOIN branches b ON "
        "b.branch_id = o.branch_id) SELECT region, COUNT(*) AS n FROM placed GROUP BY region",
    ),
    "projection pruning": (
        "WITH s AS (SELECT move_id, acct_id, cents, kind, done_at, memo FROM moves) SELECT "
        "acct_id, MAX(cents) AS top FROM s WHERE kind = 'fee' GROUP BY acct_id",
        "WITH s AS (SELECT acct_id, cents, kind FROM moves) SELECT acct_id, MAX(cents) AS top "
        "FROM s WHERE kind = 'fee' GROUP BY acct_id",
    ),
    "pushed filter through cte": (
        "WITH j AS (SELECT a.acct_id, a.tier, m.cents, m.kind FROM accounts a JOIN moves m ON "
        "m.acct_id = a.acct_id) SELECT acct_id, cents FROM j WHERE tier = 'gold' AND kind <> "
        "'fee'",
        "WITH gold AS (SELECT acct_id FROM accounts WHERE tier = 'gold'), real AS (SELECT "
        "acct_id, cents FROM moves WHERE kind <> 'fee') SELECT gold.acct_id, real.cents FROM "
        "gold JOIN real ON real.acct_id = gold.acct_id",
    ),
    "pushed filter into having-where": (
        "SELECT branch_id, COUNT(*) AS n FROM accounts GROUP BY branch_id HAVING branch_id > "
        "10 AND COUNT(*) > 2",
        "SELECT branch_id, COUNT(*) AS n FROM accounts WHERE branch_id > 10 GROUP BY "
        "branch_id HAVING COUNT(*) > 2",
    ),
    "join order": (
        "SELECT a.holder, b.city, m.cents FROM accounts a JOIN branches b ON a.branch_id = "
        "b.branch_id JOIN moves m ON m.acct_id = a.acct_id WHERE m.cents > 100",
        "SELECT a.holder, b.city, m.cents FROM moves m JOIN accounts a ON a.acct_id = "
        "m.acct_id JOIN branches b ON b.branch_id = a.branch_id WHERE m.cents > 100",
    ),
    "comma join to join": (
        "SELECT a.holder, l.cap FROM accounts a, limits l WHERE a.acct_id = l.acct_id AND "
        "l.reason = 'kyc'",
        "SELECT a.holder, l.cap FROM limits l JOIN accounts a ON l.acct_id = a.acct_id AND "
        "l.reason = 'kyc'",
    ),
    "redundant distinct over group by": (
        "SELECT DISTINCT acct_id, SUM(cents) AS total FROM moves GROUP BY acct_id",
        "SELECT acct_id, SUM(cents) AS total FROM moves GROUP BY acct_id",
    ),
    "redundant distinct in IN": (
        "SELECT holder FROM accounts WHERE acct_id IN (SELECT DISTINCT acct_id FROM limits "
        "WHERE cap > 0)",
        "SELECT holder FROM accounts WHERE acct_id IN (SELECT acct_id FROM limits WHERE cap > "
        "0)",
    ),
    "case to coalesce": (
        "SELECT acct_id, CASE WHEN closed IS NULL THEN opened ELSE closed END AS last_day "
        "FROM accounts",
        "SELECT acct_id, COALESCE(closed, opened) AS last_day FROM accounts",
    ),
    "case to coalesce, not null first": (
        "SELECT move_id, CASE WHEN memo IS NOT NULL THEN memo WHEN kind IS NOT NULL THEN kind "
        "ELSE 'none' END AS label FROM moves",
        "SELECT move_id, COALESCE(memo, kind, 'none') AS label FROM moves",
    ),
    "in to exists": (
        "SELECT a.acct_id, a.holder FROM accounts a WHERE a.branch_id IN (SELECT b.branch_id "
        "FROM branches b WHERE b.region = 'north')",
        "SELECT a.acct_id, a.holder FROM accounts a WHERE EXISTS (SELECT 1 FROM branches b "
        "WHERE b.branch_id = a.branch_id AND b.region = 'north')",
    ),
    "exists to in, with aliases": (
        "SELECT m.move_id FROM moves AS m WHERE EXISTS (SELECT * FROM limits AS l WHERE "
        "l.acct_id = m.acct_id)",
        "SELECT mv.move_id FROM moves mv WHERE mv.acct_id IN (SELECT acct_id FROM limits)",
    ),
    "alias changes": (
        "SELECT a.holder AS who, b.city AS town FROM accounts a LEFT JOIN branches b ON "
        "b.branch_id = a.branch_id WHERE a.opened >= DATE '2020-01-01'",
        "SELECT acc.holder AS who, br.city AS town FROM accounts AS acc LEFT JOIN branches AS "
        "br ON acc.branch_id = br.branch_id WHERE acc.opened >= DATE '2020-01-01'",
    ),
    "left join made inner": (
        "SELECT a.holder, l.cap FROM accounts a LEFT JOIN limits l ON l.acct_id = a.acct_id "
        "WHERE l.cap > 5",
        "SELECT a.holder, l.cap FROM accounts a JOIN limits l ON l.acct_id = a.acct_id WHERE "
        "l.cap > 5",
    ),
    "union order and between": (
        "SELECT acct_id FROM moves WHERE cents BETWEEN 1 AND 9 UNION ALL SELECT acct_id FROM "
        "limits",
        "SELECT acct_id FROM limits UNION ALL SELECT acct_id FROM moves WHERE cents >= 1 AND "
        "cents <= 9",
    ),
    "import ctes inlined (dbt style)": (
        "WITH acc AS (SELECT * FROM accounts), br AS (SELECT * FROM branches), final AS "
        "(SELECT acc.acct_id, br.city FROM acc LEFT JOIN br ON acc.branch_id = br.branch_id) "
        "SELECT * FROM final",
        "SELECT accounts.acct_id, branches.city FROM accounts LEFT JOIN branches ON "
        "accounts.branch_id = branches.branch_id",
    ),
    "count filter to sum case": (
        "SELECT acct_id, COUNT(CASE WHEN kind = 'fee' THEN 1 END) AS fees FROM moves GROUP BY "
        "acct_id",
        "SELECT acct_id, COUNT(*) FILTER (WHERE kind = 'fee') AS fees FROM moves GROUP BY "
        "acct_id",
    ),
    "nested CTE and pushed filter through UNION-free join": (
        "WITH a AS (SELECT id, grp, v FROM p WHERE v > 0), b AS (SELECT a.id, a.grp, q.x FROM "
        "a JOIN q ON q.p_id = a.id) SELECT grp, SUM(x) AS t FROM b GROUP BY grp",
        "SELECT p.grp, SUM(q.x) AS t FROM q JOIN p ON p.id = q.p_id WHERE p.v > 0 GROUP BY "
        "p.grp",
    ),
    "distinct to group by": (
        "SELECT DISTINCT grp, s FROM p WHERE v IS NOT NULL",
        "SELECT grp, s FROM p WHERE v IS NOT NULL GROUP BY grp, s",
    ),
    "distinct over union": (
        "SELECT DISTINCT id FROM (SELECT id FROM p UNION ALL SELECT id FROM q) z",
        "SELECT id FROM p UNION SELECT id FROM q",
    ),
    "case to nullif": (
        "SELECT id, CASE WHEN v = 0 THEN NULL ELSE v END AS n FROM p",
        "SELECT id, NULLIF(v, 0) AS n FROM p",
    ),
    "ifnull to coalesce": (
        "SELECT id, IFNULL(v, w) AS n FROM p",
        "SELECT id, COALESCE(v, w) AS n FROM p",
    ),
    "exists with extra condition to in": (
        "SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.p_id = p.id AND q.x > 3)",
        "SELECT id FROM p WHERE id IN (SELECT p_id FROM q WHERE x > 3)",
    ),
    "semi join": (
        "SELECT p.id FROM p SEMI JOIN q ON q.p_id = p.id",
        "SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.p_id = p.id)",
    ),
    "independent left joins swapped": (
        "SELECT p.id, q.x, r.y FROM p LEFT JOIN q ON q.p_id = p.id LEFT JOIN r ON r.k = p.grp",
        "SELECT p.id, q.x, r.y FROM p LEFT JOIN r ON r.k = p.grp LEFT JOIN q ON q.p_id = p.id",
    ),
    "in list and or": (
        "SELECT id FROM p WHERE s IN ('a', 'b')",
        "SELECT id FROM p WHERE s = 'b' OR s = 'a'",
    ),
    "using to on": (
        "SELECT p.id, q.x FROM p JOIN q USING (id)",
        "SELECT p.id, q.x FROM p JOIN q ON p.id = q.id",
    ),
    "not pushed": (
        "SELECT id FROM p WHERE NOT (v = 1 OR w IS NULL)",
        "SELECT id FROM p WHERE v <> 1 AND w IS NOT NULL",
    ),
    "commuted sum": (
        "SELECT id, v + w * 2 AS t FROM p",
        "SELECT id, 2 * w + v AS t FROM p",
    ),
}  # fmt: skip

UNEQUAL: Pairs = {
    "left to inner": (
        "SELECT a.holder, l.cap FROM accounts a LEFT JOIN limits l ON l.acct_id = a.acct_id",
        "SELECT a.holder, l.cap FROM accounts a JOIN limits l ON l.acct_id = a.acct_id",
    ),
    "on to where over left join": (
        "SELECT a.holder, l.cap FROM accounts a LEFT JOIN limits l ON l.acct_id = a.acct_id "
        "AND l.cap > 5",
        "SELECT a.holder, l.cap FROM accounts a LEFT JOIN limits l ON l.acct_id = a.acct_id "
        "WHERE l.cap > 5",
    ),
    "needed distinct dropped": (
        "SELECT DISTINCT tier FROM accounts",
        "SELECT tier FROM accounts",
    ),
    "union to union all": (
        "SELECT acct_id FROM moves UNION SELECT acct_id FROM limits",
        "SELECT acct_id FROM moves UNION ALL SELECT acct_id FROM limits",
    ),
    "not in to not exists": (
        "SELECT holder FROM accounts WHERE acct_id NOT IN (SELECT acct_id FROM limits)",
        "SELECT holder FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM limits l WHERE "
        "l.acct_id = a.acct_id)",
    ),
    "in to join": (
        "SELECT a.holder FROM accounts a WHERE a.acct_id IN (SELECT acct_id FROM limits)",
        "SELECT a.holder FROM accounts a JOIN limits l ON l.acct_id = a.acct_id",
    ),
    "coalesce order": (
        "SELECT acct_id, COALESCE(closed, opened) AS d FROM accounts",
        "SELECT acct_id, COALESCE(opened, closed) AS d FROM accounts",
    ),
    "case to coalesce, wrong column": (
        "SELECT move_id, CASE WHEN memo IS NULL THEN kind ELSE memo END AS l FROM moves",
        "SELECT move_id, COALESCE(kind, memo) AS l FROM moves",
    ),
    "empty text is not null": (
        "SELECT move_id, CASE WHEN memo = '' THEN kind ELSE memo END AS l FROM moves",
        "SELECT move_id, COALESCE(memo, kind) AS l FROM moves",
    ),
    "count column to count star": (
        "SELECT branch_id, COUNT(closed) AS n FROM accounts GROUP BY branch_id",
        "SELECT branch_id, COUNT(*) AS n FROM accounts GROUP BY branch_id",
    ),
    "greater to greater or equal": (
        "SELECT move_id FROM moves WHERE cents > 100",
        "SELECT move_id FROM moves WHERE cents >= 100",
    ),
    "and/or brackets": (
        "SELECT move_id FROM moves WHERE kind = 'fee' AND (cents > 1 OR memo IS NULL)",
        "SELECT move_id FROM moves WHERE kind = 'fee' AND cents > 1 OR memo IS NULL",
    ),
    "filter after aggregate": (
        "SELECT acct_id, SUM(cents) AS t FROM moves WHERE cents > 3 GROUP BY acct_id",
        "SELECT acct_id, SUM(cents) AS t FROM moves GROUP BY acct_id HAVING SUM(cents) > 3",
    ),
    "filter pushed below an aggregate that it tests": (
        "WITH t AS (SELECT acct_id, MAX(cents) AS top FROM moves GROUP BY acct_id) SELECT "
        "acct_id, top FROM t WHERE top < 5",
        "SELECT acct_id, MAX(cents) AS top FROM moves WHERE cents < 5 GROUP BY acct_id",
    ),
    "filter pushed to the nullable side": (
        "WITH j AS (SELECT a.acct_id, l.cap FROM accounts a LEFT JOIN limits l ON l.acct_id = "
        "a.acct_id) SELECT acct_id, cap FROM j WHERE cap > 2",
        "SELECT a.acct_id, l.cap FROM accounts a LEFT JOIN (SELECT * FROM limits WHERE cap > "
        "2) l ON l.acct_id = a.acct_id",
    ),
    "sum of case else 0 and without": (
        "SELECT acct_id, SUM(CASE WHEN kind = 'fee' THEN cents ELSE 0 END) AS f FROM moves "
        "GROUP BY acct_id",
        "SELECT acct_id, SUM(CASE WHEN kind = 'fee' THEN cents END) AS f FROM moves GROUP BY "
        "acct_id",
    ),
    "other join key": (
        "SELECT a.holder, m.cents FROM accounts a JOIN moves m ON m.acct_id = a.acct_id",
        "SELECT a.holder, m.cents FROM accounts a JOIN moves m ON m.move_id = a.acct_id",
    ),
    "left join the other way round": (
        "SELECT a.acct_id, b.city FROM accounts a LEFT JOIN branches b ON b.branch_id = "
        "a.branch_id",
        "SELECT a.acct_id, b.city FROM branches b LEFT JOIN accounts a ON b.branch_id = "
        "a.branch_id",
    ),
    "left join chain order with dependence": (
        "SELECT a.acct_id, b.city, l.cap FROM accounts a LEFT JOIN branches b ON b.branch_id "
        "= a.branch_id JOIN limits l ON l.acct_id = a.acct_id AND l.reason = b.region",
        "SELECT a.acct_id, b.city, l.cap FROM accounts a LEFT JOIN branches b ON b.branch_id "
        "= a.branch_id LEFT JOIN limits l ON l.acct_id = a.acct_id AND l.reason = b.region",
    ),
    "distinct count": (
        "SELECT branch_id, COUNT(DISTINCT tier) AS n FROM accounts GROUP BY branch_id",
        "SELECT branch_id, COUNT(tier) AS n FROM accounts GROUP BY branch_id",
    ),
    "null-safe lost": (
        "SELECT a.acct_id FROM accounts a JOIN limits l ON a.tier IS NOT DISTINCT FROM "
        "l.reason",
        "SELECT a.acct_id FROM accounts a JOIN limits l ON a.tier = l.reason",
    ),
    "<> drops nulls": (
        "SELECT move_id FROM moves WHERE kind IS DISTINCT FROM 'fee'",
        "SELECT move_id FROM moves WHERE kind <> 'fee'",
    ),
    "except to not in": (
        "SELECT acct_id FROM accounts EXCEPT SELECT acct_id FROM limits",
        "SELECT acct_id FROM accounts WHERE acct_id NOT IN (SELECT acct_id FROM limits)",
    ),
    "group by one more": (
        "SELECT acct_id, SUM(cents) AS t FROM moves GROUP BY acct_id",
        "SELECT acct_id, SUM(cents) AS t FROM moves GROUP BY acct_id, kind",
    ),
    "window partition lost": (
        "SELECT move_id, SUM(cents) OVER (PARTITION BY acct_id) AS t FROM moves",
        "SELECT move_id, SUM(cents) OVER () AS t FROM moves",
    ),
    "cte shadowing another table": (
        "WITH limits AS (SELECT acct_id, 1 AS cap FROM accounts) SELECT acct_id, cap FROM "
        "limits",
        "SELECT acct_id, cap FROM limits",
    ),
    "exists in projection vs in (NULL)": (
        "SELECT id, v IN (SELECT x FROM q) AS f FROM p",
        "SELECT id, EXISTS (SELECT 1 FROM q WHERE q.x = p.v) AS f FROM p",
    ),
    "not in list with null": (
        "SELECT id FROM p WHERE v NOT IN (1, NULL)",
        "SELECT id FROM p WHERE v NOT IN (1)",
    ),
    "coalesce to nullif": (
        "SELECT id, COALESCE(v, 0) AS n FROM p",
        "SELECT id, NULLIF(v, 0) AS n FROM p",
    ),
    "nullif swapped": (
        "SELECT id, NULLIF(v, w) AS n FROM p",
        "SELECT id, NULLIF(w, v) AS n FROM p",
    ),
    "semi to inner": (
        "SELECT p.id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.p_id = p.id)",
        "SELECT p.id FROM p JOIN (SELECT p_id FROM q) q ON q.p_id = p.id",
    ),
    "semi to distinct inner": (
        "SELECT p.grp FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.p_id = p.id)",
        "SELECT DISTINCT p.grp FROM p JOIN q ON q.p_id = p.id",
    ),
    "dependent left joins swapped": (
        "SELECT p.id, q.x, r.y FROM p LEFT JOIN q ON q.p_id = p.id JOIN r ON r.k = q.id",
        "SELECT p.id, q.x, r.y FROM p LEFT JOIN r ON r.k = p.id LEFT JOIN q ON q.p_id = p.id",
    ),
    "group key dropped with max": (
        "SELECT grp, MAX(s) AS s FROM p GROUP BY grp",
        "SELECT DISTINCT grp, s FROM p",
    ),
    "count over empty left": (
        "SELECT p.id, COUNT(q.id) AS n FROM p LEFT JOIN q ON q.p_id = p.id GROUP BY p.id",
        "SELECT p.id, COUNT(*) AS n FROM p LEFT JOIN q ON q.p_id = p.id GROUP BY p.id",
    ),
    "pre-aggregation changes fan-out": (
        "SELECT p.grp, SUM(p.v) AS t FROM p JOIN q ON q.p_id = p.id GROUP BY p.grp",
        "SELECT p.grp, SUM(p.v) AS t FROM p JOIN (SELECT DISTINCT p_id FROM q) q ON q.p_id = "
        "p.id GROUP BY p.grp",
    ),
    "between swapped": (
        "SELECT id FROM p WHERE v BETWEEN 1 AND w",
        "SELECT id FROM p WHERE v BETWEEN w AND 1",
    ),
    "union all deduped branch": (
        "SELECT id FROM p UNION ALL SELECT id FROM p",
        "SELECT id FROM p",
    ),
    "where on left key null": (
        "SELECT p.id FROM p LEFT JOIN q ON q.p_id = p.id WHERE q.id IS NULL",
        "SELECT p.id FROM p WHERE p.id NOT IN (SELECT p_id FROM q)",
    ),
    "scalar subquery vs join": (
        "SELECT p.id, (SELECT MAX(x) FROM q WHERE q.p_id = p.id) AS m FROM p",
        "SELECT p.id, MAX(q.x) AS m FROM p JOIN q ON q.p_id = p.id GROUP BY p.id",
    ),
    "case order": (
        "SELECT id, CASE WHEN v > 1 THEN 'a' WHEN v > 0 THEN 'b' END AS c FROM p",
        "SELECT id, CASE WHEN v > 0 THEN 'b' WHEN v > 1 THEN 'a' END AS c FROM p",
    ),
    "minus not commutative": (
        "SELECT id, v - w AS d FROM p",
        "SELECT id, w - v AS d FROM p",
    ),
    "having vs where on other column": (
        "SELECT grp, COUNT(*) AS n FROM p GROUP BY grp HAVING MAX(v) > 1",
        "SELECT grp, COUNT(*) AS n FROM p WHERE v > 1 GROUP BY grp",
    ),
    "intersect all vs intersect": (
        "SELECT id FROM p INTERSECT ALL SELECT id FROM q",
        "SELECT id FROM p INTERSECT SELECT id FROM q",
    ),
    "column swapped by position in union": (
        "SELECT id, v FROM p UNION ALL SELECT id, x FROM q",
        "SELECT id, v FROM p UNION ALL SELECT x, id FROM q",
    ),
    "avg vs sum over count star": (
        "SELECT grp, AVG(v) AS a FROM p GROUP BY grp",
        "SELECT grp, SUM(v) * 1.0 / COUNT(*) AS a FROM p GROUP BY grp",
    ),
    "natural join picks up another column": (
        "SELECT p.id, q.x FROM p NATURAL JOIN q",
        "SELECT p.id, q.x FROM p JOIN q ON p.id = q.id",
    ),
    "outer reference captured": (
        "SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE p_id = id)",
        "SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE p_id = p.id)",
    ),
    "filter clause vs where": (
        "SELECT grp, COUNT(*) FILTER (WHERE v > 1) AS n FROM p GROUP BY grp",
        "SELECT grp, COUNT(*) AS n FROM p WHERE v > 1 GROUP BY grp",
    ),
    "distinct on one more column": (
        "SELECT DISTINCT grp FROM (SELECT DISTINCT grp, s FROM p) z",
        "SELECT grp FROM (SELECT DISTINCT grp, s FROM p) z",
    ),
}  # fmt: skip


def test_equal_rewrites_are_proven(tmp_path: Path) -> None:
    assert findings_of(EQUAL, tmp_path, SCHEMA) == {}


def test_nothing_else_is_called_equal_and_rows_show_it(tmp_path: Path) -> None:
    found = findings_of(UNEQUAL, tmp_path, SCHEMA)
    assert set(found) == set(UNEQUAL)
    for name, each in found.items():
        shown = each["experiment"]
        assert shown["outcome"] == "refuted", name
        assert shown["only_before"] or shown["only_after"], name
