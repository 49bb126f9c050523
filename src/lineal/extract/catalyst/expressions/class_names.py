"""The names by which the function table knows Spark's classes."""

from __future__ import annotations

import re
from functools import lru_cache

CLASS_NAMES = {
    "Average": "avg", "Murmur3Hash": "hash", "HiveHash": "hash", "CaseWhen": "case", "EqualTo": "compare",
    "EqualNullSafe": "compare", "GreaterThan": "compare", "GreaterThanOrEqual": "compare", "LessThan": "compare",
    "LessThanOrEqual": "compare", "HyperLogLogPlusPlus": "approx_count_distinct", "NTile": "ntile", "First": "first",
    "Last": "last", "CollectList": "array_agg", "StddevSamp": "stddev_samp", "XxHash64": "xxhash64",
    "GetStructField": "getfield", "GetArrayStructFields": "getfield", "GetArrayItem": "getitem",
    "GetMapValue": "getitem",
    "Remainder": "modulo", "UnaryMinus": "negate", "AttributeReference": "", "SQLScalarFunction": "", "And": "",
    "Or": "", "Md5": "md5",
    "Sha1": "sha1", "Sha2": "sha2", "Crc32": "crc32", "NullIf": "nullif", "InSubquery": "in",
    "PosExplode": "posexplode", "IsNotNull": "is",  "IsNull": "is",
}  # fmt: skip
"""Classes that are named differently from their function; '' for those that are not functions."""

WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4096)
def class_function_name(name: str) -> str:
    """CollectSet      collect_set: the name that the function table knows a class by"""
    known = CLASS_NAMES.get(name)
    if known is not None:
        return known

    return WORD_STARTS.sub("_", name).lower()
