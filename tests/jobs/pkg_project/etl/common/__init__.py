from .cols import clean, money
from .session import get_spark

__all__ = ["clean", "money", "get_spark"]
