"""The type of NumPy's arrays: numbers of statements, of names, and flags."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of numbers or flags; NumPy's operators choose the size of a number."""
