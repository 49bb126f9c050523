"""For all tests: nobody's cache is read or written."""

import os

os.environ["LINEAL_CACHE"] = ""
