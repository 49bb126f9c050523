from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

from snowflake.snowpark.context import get_active_session
from snowflake.snowpark.types import StringType
session = get_active_session()
clean = F.udf(lambda s: s.strip(), return_type=StringType(), input_types=[StringType()])
df = session.table("people")
df = df.with_columns(["full_name", "age_next"], [F.concat(col("first"), lit(" "), col("last")), col("age") + 1])
df.select(clean(col("full_name")).alias("name"), "age_next", F.coalesce(col("nick"), col("first")).alias("nick")).sort("name").create_or_replace_view("people_v")
