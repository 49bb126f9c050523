"""pandas, read without running it: frames that change in place, over the verbs of the algebra.

values.py      frames, series, groups, rows and windows
calls.py       what every method asks: names, columns, tables that are made
trees.py       expressions of series
selection.py   df["x"], df[mask], df.loc, df.iloc, and assignments to them
rows.py        sort_values, dropna, drop_duplicates, explode, query
columns.py     assign, rename, drop, fillna, apply, set_index, reset_index
joins.py       merge, join, concat
groups.py      groupby, agg, transform, rolling, resample
reshape.py     pivot_table, melt, stack, get_dummies
series.py      methods of a series, .str and .dt, operators
lookups.py     values that are found by a key
elements.py    functions of the program over elements and rows
spark.py       toPandas, createDataFrame(frame), mapInPandas, applyInPandas
on_spark.py    the pandas API on Spark
udfs.py        bodies of pandas UDFs
files.py       read_csv, read_sql, to_parquet, to_sql
library.py     functions of pandas and numpy
alike.py      values with the same lineage, for loops that repeat themselves
names.py, unknown_names.py    df.columns, where its names are known, and where not
frames.py      the tables of methods, and what a name of a value means
"""

from __future__ import annotations

from lineal.extract.dataframes.pandas import alike, names, spark, udfs
from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.elements import (
    ask,
    bound_series,
    decide_by_elements,
    element_of,
    merge_series,
)
from lineal.extract.dataframes.pandas.files import (
    Workbook,
    attribute_of_workbook,
    final_relation,
    on_workbook,
    open_table,
)
from lineal.extract.dataframes.pandas.frames import (
    FRAME,
    PARTS,
    SERIES_PARTS,
    SPECIAL,
    attribute_of_frame,
    attribute_of_row,
    attribute_of_series,
    call_series,
    on_frame,
    on_groups,
    on_row,
    on_series,
    on_window,
    set_attribute,
    set_series_attribute,
)
from lineal.extract.dataframes.pandas.groups import (
    GROUPED,
    attribute_of_groups,
    call_groups,
    each_group,
    item_of_groups,
    item_of_rolling,
)
from lineal.extract.dataframes.pandas.joins import frame_of_series
from lineal.extract.dataframes.pandas.library import (
    NUMPY,
    PANDAS,
    call_numpy,
    call_pandas,
    result_of_unknown,
)
from lineal.extract.dataframes.pandas.lookups import look_up_element
from lineal.extract.dataframes.pandas.merging import merge_frames
from lineal.extract.dataframes.pandas.names import NameList
from lineal.extract.dataframes.pandas.selection import (
    columns_of_rows,
    delete_item,
    item_of_frame,
    item_of_indexer,
    item_of_row,
    item_of_series,
    set_item,
    set_part,
    set_values,
)
from lineal.extract.dataframes.pandas.series import (
    SERIES,
    attribute_of_accessor,
    combine,
    item_of_accessor,
    on_accessor,
)
from lineal.extract.dataframes.pandas.trees import AGGREGATES, OTHER_AGGREGATES
from lineal.extract.dataframes.pandas.unknown_names import (
    attribute_of_names,
    combine_names,
    comprehend,
    item_of_names,
    on_names,
)
from lineal.extract.dataframes.pandas.values import (
    Accessor,
    DataFrame,
    Groups,
    Indexer,
    Names,
    Rolling,
    Row,
    Series,
)
from lineal.extract.pyspark.branches import MERGED
from lineal.extract.pyspark.collected import VALUE_TREES, subquery
from lineal.extract.pyspark.dispatch import (
    ATTRIBUTE_TARGETS,
    ATTRIBUTES,
    CALLS,
    COMPREHENDED,
    COMPUTED,
    DECIDED,
    ENDINGS,
    FRAMES,
    ITEM_DELETIONS,
    ITEM_TARGETS,
    ITEMS,
    LIBRARY_ROOTS,
    LISTED,
    LOOK_UPS,
    OPERATIONS,
    RECEIVERS,
    RELATIONS,
    TRANSPOSED,
)
from lineal.extract.pyspark.frame_libraries import KNOWN, TRACED, FrameLibrary
from lineal.extract.pyspark.items import SLICED
from lineal.extract.pyspark.knowledge import ITERABLES, UNDECIDED_CLASSES
from lineal.extract.pyspark.sizes import BOUNDS, bound_frame

STRONG = frozenset(
    """groupby merge fillna dropna drop_duplicates sort_values reset_index set_index pivot_table melt
    iterrows itertuples loc iloc rename assign astype to_csv to_parquet to_sql to_excel to_json
    columns isna isnull describe value_counts explode query applymap corr nunique duplicated dtypes
    to_feather to_pickle""".split()  # noqa: SIM905
)
"""Names that only a frame of pandas has: what they are read from is one."""

TRACED["pandas"] = FrameLibrary(
    "pandas", "pandas", STRONG, open_table, ("pd.", "pandas.", "DataFrame")
)

ATTRIBUTES.update(
    {
        DataFrame: attribute_of_frame,
        Series: attribute_of_series,
        Row: attribute_of_row,
        Groups: attribute_of_groups,
        Accessor: attribute_of_accessor,
        Names: attribute_of_names,
    }
)
ITEMS.update(
    {
        DataFrame: item_of_frame,
        Series: item_of_series,
        Row: item_of_row,
        Groups: item_of_groups,
        Rolling: item_of_rolling,
        Indexer: item_of_indexer,
        Accessor: item_of_accessor,
        Names: item_of_names,
    }
)
RECEIVERS.update(
    {
        DataFrame: on_frame,
        Series: on_series,
        Row: on_row,
        Groups: on_groups,
        Rolling: on_window,
        Accessor: on_accessor,
        Names: on_names,
    }
)
CALLS[Series] = call_series
CALLS[Groups] = call_groups
OPERATIONS.update({DataFrame: combine, Series: combine, Row: combine, Names: combine_names})
COMPREHENDED[Names] = comprehend
LISTED.add(Names)
TRANSPOSED[Series] = columns_of_rows
LOOK_UPS[Series] = look_up_element
ITEM_TARGETS.update({DataFrame: set_item, Indexer: set_part, Series: set_values})
ATTRIBUTE_TARGETS.update({DataFrame: set_attribute, Series: set_series_attribute})
ITEM_DELETIONS[DataFrame] = delete_item
ATTRIBUTES[Workbook] = attribute_of_workbook
RECEIVERS[Workbook] = on_workbook
ATTRIBUTES[NameList] = names.attribute_of_names
RECEIVERS[NameList] = names.on_names
SLICED.update((DataFrame, Series, Indexer, Accessor, Names))
FRAMES.add(DataFrame)
ENDINGS[DataFrame] = final_relation
RELATIONS[DataFrame] = lambda held: held.relation
RELATIONS[Series] = lambda held: held.table.relation
VALUE_TREES[Series] = lambda run, held, node: subquery(
    frame_of_series(Call(run, [], {}, node), held).relation
)
UNDECIDED_CLASSES.update({Series: ask, DataFrame: lambda held: None})
COMPUTED[Series] = result_of_unknown
DECIDED[Series] = decide_by_elements
BOUNDS[Series] = bound_series
BOUNDS[DataFrame] = bound_frame
COMPUTED[Row] = result_of_unknown
LIBRARY_ROOTS.update({"pandas": call_pandas, "numpy": call_numpy})
MERGED.update({DataFrame: merge_frames, Series: merge_series})
ITERABLES[:0] = [
    (DataFrame, lambda held: list(held.relation.names) if held.relation.complete else None),
    (Groups, each_group),
    (Series, lambda held: [element_of(held)]),
]

KNOWN["pandas"] = {
    "DataFrame": frozenset((*FRAME, *SPECIAL, *PARTS)),
    "Series": frozenset((*SERIES, *SERIES_PARTS)),
    "GroupBy, Resampler": frozenset((*GROUPED, *AGGREGATES, *OTHER_AGGREGATES)),
    "functions of pandas": frozenset(PANDAS),
    "functions of numpy, besides those that transform each value": frozenset(NUMPY),
}

__all__ = ["FRAME", "alike", "spark", "udfs"]
