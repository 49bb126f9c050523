"""The program for spark-submit: `spark-submit "$(lineal capture --entry)" job.py -- arguments`."""

from lineal.cli import main

if __name__ == "__main__":
    import sys

    main(["capture", *sys.argv[1:]], prog_name="lineal")
