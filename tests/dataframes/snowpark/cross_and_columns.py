# SIZES(SIZE small, LABEL word)
# COLORS(COLOR word, CODE int)
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()

sizes = session.table("SIZES")
colors = session.table("COLORS")
grid = sizes.cross_join(colors).select(
    sizes.SIZE, colors.COLOR, (sizes.SIZE * colors.CODE).alias("WEIGHT")
)
grid.write.mode("overwrite").save_as_table("GRID")
