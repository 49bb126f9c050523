"""Front ends: text or plan in, frames out."""

from lineal.model.boundary import Passing


class UnknownDialect(Passing, ValueError):
    """The caller named a dialect that does not exist."""
