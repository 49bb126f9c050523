"""A database of the test server as lineal's users name it: by its address."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode


def address(connection: Any, user: str = "", password: str = "") -> str:
    """postgresql://user:password@/database?host=…&port=…"""
    info = connection.info
    who = quote(user or info.user, safe="")
    secret = password or info.password or ""
    if secret:
        who += ":" + quote(secret, safe="")
    return f"postgresql://{who}@/{quote(info.dbname, safe='')}?{urlencode({'host': info.host, 'port': info.port})}"


CATALOGUE = """
SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM (
    SELECT 'class', oid::text, relname::text, relkind::text, relfilenode::text, xmin::text FROM pg_class
    UNION ALL SELECT 'attribute', attrelid::text, attname::text, attnum::text, atttypid::text, xmin::text
    FROM pg_attribute
    UNION ALL SELECT 'proc', oid::text, proname::text, '', '', xmin::text FROM pg_proc
    UNION ALL SELECT 'rewrite', oid::text, rulename::text, ev_class::text, '', xmin::text FROM pg_rewrite
    UNION ALL SELECT 'depend', classid::text, objid::text, refobjid::text, refobjsubid::text, xmin::text FROM pg_depend
    UNION ALL SELECT 'type', oid::text, typname::text, '', '', xmin::text FROM pg_type
    UNION ALL SELECT 'namespace', oid::text, nspname::text, '', '', xmin::text FROM pg_namespace
    UNION ALL SELECT 'description', objoid::text, objsubid::text, description, '', xmin::text FROM pg_description
) t
"""


def fingerprint(connection: Any) -> str:
    """Of everything that the catalog says, and of the transactions that said it."""
    return str(connection.execute(CATALOGUE).fetchone()[0])
