"""Hypothesis: the same examples on every run; LINEAL_EXAMPLES=2000 asks for as many new ones per
law.
"""

from __future__ import annotations

from hypothesis import settings

from generators.rounds import fixed_examples

settings.register_profile("lineal", fixed_examples(150))
settings.load_profile("lineal")
