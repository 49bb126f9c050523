"""Hypothesis: the same examples on every run; LINEAL_EXAMPLES=2000 asks for as many new ones per
law.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

ASKED = int(os.environ.get("LINEAL_EXAMPLES", "0"))

settings.register_profile(
    "lineal",
    max_examples=ASKED or 150,
    derandomize=not ASKED,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
settings.load_profile("lineal")
