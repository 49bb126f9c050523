"""DataFrames: one function per method; `methods.py` is the table of them."""
