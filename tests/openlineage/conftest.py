import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # random_graphs.py, spec.py
