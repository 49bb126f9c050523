"""Front ends: text or plan in, frames out."""


class UnknownDialect(ValueError):
    """The caller named a dialect that does not exist."""
