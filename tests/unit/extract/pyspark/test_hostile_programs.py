"""Programs that would not end, that are no Python, or that would leave a mark if they were
executed.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script

JOB = '\nspark.table("t").select("a").write.saveAsTable("u")\n'
SECONDS = 10
"""Far more than any of these takes, on a machine that does other things as well."""

ENDLESS = {
    "endless loop": "x = 0\nwhile True:\n    x = x + 1\n",
    "endless generator": "def g():\n    while True:\n        yield 1\nfor x in g():\n    pass\n",
    "list that grows while it is walked": "s = [1]\nfor i in s:\n    s.append(i)\n",
    "recursion": "def f(n):\n    if unknown():\n        return f(n + 1)\n    return f(n + 2) + f(n + 3)\nf(1)\n",
    "mutual recursion": "def f(n): return g(n)\ndef g(n): return f(n)\nf(1)\n",
    "recursion that branches over a list": (
        "def f(x, n):\n    if a: x.append(f(x, n + 1))\n    if b: x.append(f(x, n + 1))\n    return x\nf([], 0)\n"
    ),
    "a thousand million rounds": (
        "for a in range(1000):\n  for b in range(1000):\n    for c in range(1000):\n      x = a + b + c\n"
    ),
    "range without end": "for i in range(10 ** 12):\n    x = i\n",
    "text that doubles": "s = 'x' * 1000\nfor i in range(100):\n    s = s + s\n",
    "numbers that square": "n = 3\nfor i in range(100):\n    n = n * n\n",
    "huge repetition": "x = [0] * 10 ** 9\ny = 'a' * 10 ** 12\nz = 9 ** 9 ** 9\n",
    "huge widths": "x = '{:>1000000000}'.format(1)\ny = f'{1:>1000000000}'\nz = '%1000000000d' % 1\n",
    "columns that double": "df = spark.table('w')\nfor i in range(40):\n    df = df.join(df, 'a')\n",
    "values that hold themselves": "d = {}\nd['d'] = d\ne = []\ne.append(e)\nx = (d == d, e == e, str(d))\n",
    "class of itself": "class A(A): pass\nclass B:\n    def __getattr__(self, n): return getattr(self, n)\nB().x.y()\n",
    "a text that evaluates itself": "s = 'eval(s)'\neval(s)\n",
    "every permutation": "import itertools\nx = list(itertools.permutations(range(100000), 50000))\n",
    "context in itself": (
        "from contextlib import contextmanager\n@contextmanager\ndef c():\n    with c() as x:\n        yield x\n"
        "with c() as y:\n    pass\n"
    ),
    "class that welcomes for ever": (
        "class A:\n    def __init_subclass__(cls):\n        class B(A): pass\nclass C(A): pass\n"
    ),
    "object that iterates itself": "class A:\n    def __iter__(self): return iter(self)\nfor x in A(): list(x)\n",
    "many brackets in SQL": "spark.sql('SELECT ' + '(' * 20000 + '1' + ')' * 20000)\n",
}


def read(text: str):
    started = time.perf_counter()
    found = extract(Corpus("spark", [Script(text, "python", "job.py")]))
    assert time.perf_counter() - started < SECONDS
    return found


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_what_does_not_end_costs_only_itself(text):
    assert [str(edge) for edge in read(text + JOB).edges if edge.into.name == "u"] == [
        "t.a -> u.a  IDENTITY"
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("print 'hello'\nspark.table('t')\n", Code.PARSE_ERROR),
        ("x = 1\x00\nspark", Code.PARSE_ERROR),
        ("if 1:\n\tx = 1\n        y = 2\nspark\n", Code.PARSE_ERROR),
        ("x = " + "(" * 5000 + "1" + ")" * 5000 + "\nspark\n", Code.PARSE_ERROR),
    ],
    ids=["Python 2", "NUL", "tabs", "brackets"],
)
def test_what_is_no_python_is_said_with_its_place(text, code):
    found = read(text)
    assert [each.code for each in found.diagnostics] == [code]
    assert found.diagnostics[0].place is not None


def test_a_bad_file_costs_the_others_nothing():
    scripts = [Script("def (:\nspark", "python", "bad.py"), Script(JOB, "python", "good.py")]
    found = extract(Corpus("spark", scripts))
    assert [str(edge) for edge in found.edges] == ["t.a -> u.a  IDENTITY"]


def test_nothing_is_ever_executed(tmp_path: Path):
    mark = tmp_path / "mark"
    touch = f"open({str(mark)!r}, 'w').write('x')"
    lines = [
        touch,
        f"__import__('os').system('touch {mark}')",
        f"eval({touch!r})",
        f"exec({touch!r})",
        f"import os, subprocess\nos.system('touch {mark}')\nsubprocess.run(['touch', {str(mark)!r}])",
        f"from pathlib import Path\nPath({str(mark)!r}).touch()",
        f"class A:\n    {touch}\n    def __init__(self): {touch}\n    __del__ = __init__\nA()",
        f"@{touch}.bit_count\ndef f(): pass",
        f"f'{{{touch}}}'",
        f"spark.udf.register('f', lambda: {touch})\nspark.sql('SELECT f()')",
        f"df = spark.table('t').rdd.map(lambda row: {touch}).toDF()",
        f"if __name__ == '__main__':\n    {touch}",
    ]
    for line in lines:
        read(line + JOB)
    helper = Script(touch, "python", "pkg/helper.py")
    extract(
        Corpus(
            "spark",
            [
                Script("import pkg.helper\nfrom pkg import helper\n" + JOB, "python", "job.py"),
                helper,
            ],
        )
    )
    assert not mark.exists()


def test_modules_that_import_each_other():
    scripts = [
        Script("from b import g\ndef f(): return 'raw.t'\ng()\n", "python", "a.py"),
        Script(
            "from a import f\ndef g():\n    spark.table(f()).select('x').write.saveAsTable('u')\n",
            "python",
            "b.py",
        ),
    ]
    found = extract(Corpus("spark", scripts))
    assert "raw.t.x -> u.x  IDENTITY" in [str(edge) for edge in found.edges]


def test_what_a_program_for_python_2_prints_costs_nothing_else():
    found = read(
        'df = spark.table("a.b")\nprint "rows: %s" % 3\ndf.select("x").write.saveAsTable("c.d")\n'
    )
    assert [str(edge) for edge in found.edges] == ["a.b.x -> c.d.x  IDENTITY"]
    assert [diagnostic.code for diagnostic in found.diagnostics] == [Code.PARSE_ERROR]
