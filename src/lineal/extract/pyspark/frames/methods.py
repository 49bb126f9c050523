"""The table of a DataFrame's methods that give another DataFrame."""

from __future__ import annotations

from lineal.extract.pyspark.dispatch import FRAME_METHODS, Action
from lineal.extract.pyspark.frames import changes, cleaning, groups, joins, project, rows, sets

FRAME_METHODS.update({
    "select": project.select,
    "selectExpr": project.select_expr,
    "withColumn": changes.with_column,
    "withColumns": changes.with_columns,
    "withColumnRenamed": changes.renamed_column,
    "withColumnsRenamed": changes.renamed_columns,
    "drop": changes.drop,
    "toDF": changes.to_df,
    "alias": changes.alias,
    "to": project.to_schema,
    "colRegex": project.col_regex,
    **dict.fromkeys(("filter", "where"), rows.filter_),
    **dict.fromkeys(("orderBy", "sort", "sortWithinPartitions"), rows.sort),
    "distinct": rows.distinct,
    **dict.fromkeys(("dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark"), rows.drop_duplicates),
    "dropna": rows.drop_nulls,
    "sampleBy": rows.sample_by,
    **dict.fromkeys(
        ("limit", "offset", "sample", "cache", "persist", "unpersist", "repartition", "repartitionByRange",
         "coalesce", "hint", "checkpoint", "localCheckpoint", "withWatermark", "observe", "withMetadata",
         "repartitionById"),
        rows.same_frame,
    ),
    "join": joins.join,
    "crossJoin": joins.cross_join,
    "lateralJoin": joins.lateral_join,
    **dict.fromkeys(("groupBy", "groupby", "rollup", "cube"), groups.group_by),
    "groupingSets": groups.grouping_sets,
    "agg": groups.agg,
    **dict.fromkeys(("describe", "summary"), groups.describe),
    "freqItems": groups.frequent_items,
    "crosstab": groups.crosstab,
    **dict.fromkeys(("unpivot", "melt"), groups.unpivot),
    **dict.fromkeys(("mapInPandas", "mapInArrow"), groups.in_python),
    **dict.fromkeys(("union", "unionAll"), sets.union_),
    "unionByName": sets.union_by_name,
    **dict.fromkeys(("intersect", "intersectAll"), sets.intersect),
    **dict.fromkeys(("subtract", "exceptAll"), sets.subtract),
    "fillna": cleaning.fill,
    "replace": cleaning.replace,
})  # fmt: skip

NA: dict[str, Action] = {
    "fill": cleaning.fill,
    "drop": rows.drop_nulls,
    "replace": cleaning.replace,
}
"""df.na.fill(…)"""
