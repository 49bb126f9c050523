"""python -m lineal"""

from lineal.cli import main

if __name__ == "__main__":
    main(prog_name="lineal")
