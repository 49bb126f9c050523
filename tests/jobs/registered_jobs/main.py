import importlib
from core.config import TABLES, Settings
from core import registry
from core.utils import *

settings = Settings.from_dict({"schema_out": "dw", "suffix": "_v2"})
for mod in ("orders_job", "metrics_job"):
    importlib.import_module(f"core.{mod}")

for name, fn in registry.items():
    df = fn(read_all(TABLES[name]))
    write(df, settings.target(name))
