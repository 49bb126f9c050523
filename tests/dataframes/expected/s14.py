from snowflake.snowpark import Session
from snowflake.snowpark.functions import col, udf
from snowflake.snowpark.types import StringType

session = Session.builder.getOrCreate()


@udf(name="norm", input_types=[StringType(), StringType()], return_type=StringType())
def norm(name: str, note: str) -> str:
    return name.strip().title()


src = session.table("SRC").select(col("ID"), norm(col("NAME"), col("NOTE")).alias("NAME"))
src.write.save_as_table("CLEAN")
