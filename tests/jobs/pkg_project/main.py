from etl.runner import run_all
from etl import settings

if __name__ == "__main__":
    run_all(settings.load("prod"))
