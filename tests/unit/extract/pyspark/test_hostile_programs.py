"""Programs that would not end, that are not Python, or that would leave a mark if they were
executed.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

HEADER = "from pyspark.sql import Window, functions as F\n"
JOB = '\nspark.table("t").select("a").write.saveAsTable("u")\n'
SECONDS = 10
"""CPU time: far more than any of these takes."""

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
    "list that extends itself": "s = ['a']\nfor i in range(60):\n    s.extend(s)\n",
    "list that is added to itself": "s = ['a']\nfor i in range(60):\n    s += s\n",
    "list that unpacks itself": "s = ['a']\nfor i in range(60):\n    s = [*s, *s]\n",
    "list that nests itself": "s = ['a']\nfor i in range(60):\n    s = [s, s]\nspark.table('w').select(s)\n",
    "tuple that nests itself": "s = ('a',)\nfor i in range(60):\n    s = (s, s)\nx = {s: 1}\n",
    "dict that nests itself": "s = {}\nfor i in range(60):\n    s = {'a': s, 'b': s}\nx = str(s)\n",
    "zip of itself": "s = [1]\nfor i in range(60):\n    s = list(zip(s, s))\nx = str(s)\n",
    "text that is written into itself": "s = 'x'\nfor i in range(60):\n    s = '%s%s' % (s, s)\n",
    "text of many texts": "s = 'a' * 9000\nfor i in range(9):\n    s = ('%s' * 5000) % tuple([s] * 5000)\n",
    "text in many fields": "s = 'a' * 9000\ns = ('%(a)s' * 9000) % {'a': s}\n",
    "list of a long text, written": "s = ['a' * 90000] * 90000\nx = str(s)\ny = f'{s}'\nz = repr(s)\n",
    "repr of a repr": "s = chr(0) * 90000\nfor i in range(60):\n    s = repr(s)\n",
    "rounding": "x = round(10, -10 ** 9)\ny = round(1.5, 10 ** 9)\n",
    "shifts": "x = 1 << 10 ** 10\n",
    "long lists of ranges": "x = [*range(10 ** 10)]\ny = list(range(10 ** 10))\na, *b = range(10 ** 10)\n",
    "product": "import itertools\nx = list(itertools.product(range(1000), repeat=9))\n",
    "sets": "s = {1}\nfor i in range(500):\n    s = s | set(range(i * 400))\n",
    "column in itself": "c = F.col('a')\nfor i in range(60):\n    c = c + c\nspark.table('w').select(c)\n",
    "windows in windows": (
        "w = Window.partitionBy('a')\nfor i in range(60):\n"
        "    w = w.orderBy(F.sum('a').over(w), F.sum('b').over(w))\nspark.table('w').select(F.sum('x').over(w))\n"
    ),
    "columns by a star": "df = spark.table('w').select('a')\nfor i in range(60):\n    df = df.select('*', '*')\n",
    "columns by their names": (
        "df = spark.table('w').select('a')\nfor i in range(60):\n    df = df.select(*df.columns, *df.columns)\n"
    ),
    "joins in branches": (
        "df = spark.table('w')\nfor i in range(60):\n    if unknown(i):\n        df = df.join(df, 'id')\n"
        "    else:\n        df = df.union(df)\n"
    ),
    "views that double": (
        "spark.table('w').createOrReplaceTempView('v')\nfor i in range(60):\n"
        "    spark.sql('SELECT x.*, y.* FROM v x, v y').createOrReplaceTempView('v')\n"
    ),
    "influences": (
        "df = spark.table('w')\ncols = [f'c{i}' for i in range(150)]\nfor i in range(50):\n"
        "    df = df.select(*[F.concat(*cols).alias(c) for c in cols])\n"
    ),
    "many brackets in SQL": "spark.sql('SELECT ' + '(' * 20000 + '1' + ')' * 20000)\n",
}


def read(text: str):
    started = time.process_time()
    corpus = Corpus("spark", [Script(text, "python", "job.py")])
    corpus.files.add("job.py")
    found = extract(corpus)
    assert time.process_time() - started < SECONDS
    return found


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_endless_code_costs_only_itself(text):
    found = read(HEADER + text + JOB)
    assert [str(edge) for edge in found.edges if edge.into.name == "u"] == ["t.a -> u.a  IDENTITY"]
    assert Code.INTERNAL_ERROR not in {each.code for each in found.diagnostics}


WIDENED = {
    "c = c + c": ("c + c", {"t.a", "t.b"}),
    "c = F.when(c > 1, c).otherwise(c)": ("F.when(c > 1, c)", {"t.a", "t.b"}),
    "c = F.concat(c, c, F.col('c'))": ("F.concat(c, c, F.col('c'))", {"t.a", "t.b", "t.c"}),
}


@pytest.mark.parametrize("text", WIDENED)
def test_a_column_that_grows_without_end_takes_every_column_in_it_with_low_confidence(text):
    said, sources = WIDENED[text]
    job = f"""
c = F.col("a") + F.col("b")
for i in range(60):
    {text}
spark.table("t").select("a", c.alias("x")).write.saveAsTable("u")
"""
    found = read(HEADER + job)
    into = [edge for edge in found.edges if edge.target.name == "x"]
    assert {str(edge.source) for edge in into} == sources
    assert {usage.doubt.level for edge in into for usage in edge.usages} == {Confidence.LOW}
    diagnostics = [each for each in found.diagnostics if each.code is Code.TOO_DEEP]
    assert diagnostics and said in diagnostics[0].message
    assert diagnostics[0].place is not None and diagnostics[0].place.line == 5
    assert found.coverage.percent is not None and found.coverage.percent < 100


def test_a_self_join_in_a_loop_is_marked():
    text = (
        'df = spark.table("t").select("id", "a")\nfor i in range(40):\n    df = df.join(df, "id")\n'
    )
    found = read(text + 'df.write.saveAsTable("u")\n')
    assert ("t.id", "u.id") in {(str(edge.source), str(edge.target)) for edge in found.edges}
    assert Code.TOO_DEEP in {each.code for each in found.diagnostics}
    assert found.coverage.percent is not None and found.coverage.percent < 100


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("print 'hello'\nspark.table('t')\n", Code.NEAREST_DIALECT),
        ("x = 1\x00\nspark", Code.PARSE_ERROR),
        ("if 1:\n\tx = 1\n        y = 2\nspark\n", Code.PARSE_ERROR),
        ("x = " + "(" * 5000 + "1" + ")" * 5000 + "\nspark\n", Code.PARSE_ERROR),
    ],
    ids=["Python 2", "NUL", "tabs", "brackets"],
)
def test_invalid_python_is_reported_with_its_place(text, code):
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


def test_print_statements_of_python_2_cost_nothing_else():
    found = read(
        'df = spark.table("a.b")\nprint "rows: %s" % 3\ndf.select("x").write.saveAsTable("c.d")\n'
    )
    assert [str(edge) for edge in found.edges] == ["a.b.x -> c.d.x  IDENTITY"]
    assert [diagnostic.code for diagnostic in found.diagnostics] == [Code.NEAREST_DIALECT]


@pytest.mark.parametrize("text", ["{{}}", "{[1], 2}", "{{'a': 1} for x in [1, 2]}"])
def test_items_that_no_set_can_hold(text: str) -> None:
    found = extract(Corpus("spark", [Script(f"x = {text}\n{JOB}", "python", "job.py")]))
    assert [str(edge.source) for edge in found.edges] == ["t.a"]
    assert Code.INTERNAL_ERROR not in {each.code for each in found.diagnostics}


def test_a_long_range_is_followed_for_a_part_of_its_numbers() -> None:
    """Thousands of files that differ by a number cost as much as 400 of them."""
    text = (
        "import pandas as pd\nlabel = pd.read_csv('label.csv')\n"
        "for i in range(2000):\n    label[['lon', 'lat']].to_csv(f'sample{i}.csv')\n"
    )
    found = read(text)
    targets = {edge.into.name for edge in found.edges}
    assert len(targets) == 400
    assert "a loop over more than 400 items is followed for 400 only" in {
        each.message for each in found.diagnostics
    }


def test_a_loop_that_only_counts_ends_when_its_rounds_change_nothing() -> None:
    """The number is not asked for, so a round like the last one does nothing new."""
    text = HEADER + (
        "df = spark.table('t')\nfor _ in range(100000):\n    df = df.withColumn('b', F.upper('a'))\n"
        "df.select('b').write.saveAsTable('u')\n"
    )
    found = read(text)
    assert [f"{edge.source} -> {edge.target}" for edge in found.edges] == ["t.a -> u.b"]
    assert not found.diagnostics


def test_a_counter_in_a_loop_that_counts_is_followed() -> None:
    """A round that changes a number is not like the last one."""
    text = HEADER + (
        "n = 0\nfor _ in range(30):\n    n = n + 1\n    if n == 20:\n        name = 'late'\n"
        "spark.table('t').select('a').write.saveAsTable(name)\n"
    )
    assert {edge.into.name for edge in read(text).edges} == {"late"}


def test_a_long_round_that_makes_only_new_values_ends_its_loop() -> None:
    """The local names of a call, and what it puts into its own lists, change nothing outside."""
    step = "    rows = []\n    record = base.copy()\n    record['n'] = size(rows)\n    rows.append(record)\n"
    program = (
        "def size(rows):\n    return [len(rows) for n in range(20)][0]\n"
        f"def load(base):\n{step * 40}    spark.table('t').select('a').write.saveAsTable('u')\n"
        "n = 0\nwhile n < 50:\n    n = n + 1\n    load({'a': 1})\n"
    )
    found = extract(Corpus("spark", [Script(program, "python", "job.py")]))
    assert [str(edge.target) for edge in found.edges] == ["u.a"]
    assert "a loop is followed for 2 rounds only" in [each.message for each in found.diagnostics]


def edges_and_messages(text: str) -> tuple[set[str], set[str]]:
    """Return the edges of a program, and the messages besides those of open stars."""
    found = read(text)
    told = {each.message for each in found.diagnostics if each.code is not Code.OPEN_STAR}
    return {f"{edge.source} -> {edge.target}" for edge in found.edges}, told


PLAIN_LOOP = (
    "import pandas as pd\nimport torch\ndf = pd.read_csv('a.csv', usecols=['x', 'y'])\n"
    "history = []\nrate = 1.0\nnames = []\n"
    "for epoch in range(1000):\n    loss = model.step(torch.rand(8), rate)\n"
    "    history.append(loss)\n    rate = rate * 0.9\n"
)


def test_a_loop_over_numbers_ends_when_its_rounds_change_plain_values_only() -> None:
    """What it leaves is unknown, and the list has an item for each round that is followed."""
    text = PLAIN_LOOP + (
        "    if epoch % 10 == 0:\n        print(loss)\n"
        "for number in range(len(history)):\n    names.append(f'c{number}')\n"
        "df['x'].to_frame(names[399]).to_csv('b.csv', index=False)\n"
        "df['y'].to_frame(f'y{rate}').to_csv('c.csv', index=False)\n"
    )
    edges, told = edges_and_messages(text)
    assert "a.csv.x -> b.csv.c399" in edges
    assert not [each for each in edges if each.startswith("a.csv.y -> c.csv.y0.")]
    assert not [each for each in told if "is followed for" in each]


LATE = {
    "a write that a number decides": "    if epoch == 90:\n        df[['x']].to_csv('b.csv', index=False)\n",
    "a number that is counted": (
        "    n = epoch * 2\n    if n > 180:\n        df[['x']].to_csv('b.csv', index=False)\n"
    ),
    "a remainder": (
        "    if epoch > 50 and not epoch % 77:\n        df[['x']].to_csv('b.csv', index=False)\n"
    ),
    "a test of another function": (
        "    (lambda n: df[['x']].to_csv('b.csv', index=False) if n == 120 else None)(epoch)\n"
    ),
}


@pytest.mark.parametrize("what", LATE)
def test_a_loop_over_numbers_is_followed_while_a_test_may_change(what: str) -> None:
    """A round like the last one may still be followed by one that writes."""
    edges, _ = edges_and_messages(PLAIN_LOOP + LATE[what])
    assert "a.csv.x -> b.csv.x" in edges


def test_columns_that_a_loop_over_numbers_makes_are_all_there() -> None:
    """A round that adds a column is not like the last one."""
    text = (
        "import pandas as pd\ndf = pd.read_csv('a.csv', usecols=['x'])\n"
        "for lag in range(1, 25):\n    df[f'lag_{lag}'] = df['x'].shift(lag)\n"
        "df.to_csv('b.csv', index=False)\n"
    )
    edges, _ = edges_and_messages(text)
    assert {f"a.csv.x -> b.csv.lag_{lag}" for lag in range(1, 25)} < edges


def test_the_last_write_of_a_loop_over_numbers_counts() -> None:
    """Each round writes the same file, from a frame that has one more column."""
    text = (
        "import pandas as pd\ndf = pd.read_csv('a.csv', usecols=['x'])\n"
        "for n in range(12):\n    df['y'] = df['x'] + n\n    df.to_csv('b.csv', index=False)\n"
        "df.drop(columns=['x']).to_csv('b.csv', index=False)\n"
    )
    edges, _ = edges_and_messages(text)
    assert edges == {"a.csv.x -> b.csv.y"}
