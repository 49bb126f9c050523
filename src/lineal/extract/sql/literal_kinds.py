"""Kinds of literals: two of one kind have the same type, and may replace each other in a value.

5, 700, 123456789     0          a whole number
0.5, 1.7              0.0        its digits decide its type
'x', 'a b'            '
'2026-01-31'          'd         a date
"""

from __future__ import annotations

from lineal.model.late_pattern import late_pattern

DIGIT = late_pattern(r"\d")
DATE = late_pattern(r"\d{4}-\d\d?-\d\d?([ T]\d\d?:\d\d(:\d\d(\.\d+)?)?Z?)?\Z")
MOST_DIGITS = 9
"""Whole numbers of more digits have larger types in some engines."""

DATE_FUNCTIONS = frozenset(
    ("ADD_DAYS", "ADD_MONTHS", "ADDDATE", "DATE", "DATEADD", "DATEDIFF", "DATETIME",
     "DATETIME_ADD", "DATETIME_DIFF", "DATETIME_SUB", "DATE_ADD", "DATE_DIFF", "DATE_SUB",
     "DAYS_ADD", "DAYS_SUB", "MONTHS_BETWEEN", "SUBDATE", "TIMESTAMP", "TIMESTAMPADD",
     "TIMESTAMPDIFF", "TIMESTAMP_ADD", "TIMESTAMP_DIFF", "TIMESTAMP_SUB", "TO_DATE",
     "TO_TIMESTAMP", "TRY_TO_DATE", "TRY_TO_TIMESTAMP")
)  # fmt: skip
"""Functions whose numbers and dates are values: they name neither a column nor a field."""


def kind_of_number(text: str) -> str:
    """Return the kind of a number without a sign."""
    if text.isdigit() and len(text) <= MOST_DIGITS:
        return "0"

    return DIGIT.sub("0", text)


def kind_of_string(text: str) -> str:
    """Return the kind of the text between two quotes."""
    return "'d" if DATE.match(text) else "'"
