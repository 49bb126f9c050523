from pyspark import keyword_only
from pyspark.ml import Pipeline, Transformer
from pyspark.ml.param import Param, Params
from pyspark.ml.param.shared import HasInputCol, HasOutputCol
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


class Scale(Transformer, HasInputCol, HasOutputCol):
    factor = Param(Params._dummy(), "factor", "the column to multiply by")

    @keyword_only
    def __init__(self, inputCol=None, outputCol=None, factor=None):
        super().__init__()
        self._setDefault(factor="discount")
        self.setParams(**self._input_kwargs)

    @keyword_only
    def setParams(self, inputCol=None, outputCol=None, factor=None):
        return self._set(**self._input_kwargs)

    def _transform(self, df):
        factor = F.col(self.getOrDefault(self.factor))
        return df.withColumn(self.getOutputCol(), F.col(self.getInputCol()) * factor)


class Log(Transformer, HasInputCol, HasOutputCol):
    def __init__(self, inputCol, outputCol):
        super().__init__()
        self._set(inputCol=inputCol)
        self.setOutputCol(outputCol)

    def _transform(self, df):
        return df.withColumn(self.getOutputCol(), F.log1p(self.getInputCol()))


spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")
stages = [
    Scale(inputCol="amount", outputCol="reduced"),
    Scale(inputCol="amount", outputCol="all", factor="qty"),
    Log("all", "size"),
]
out = Pipeline(stages=stages).fit(orders).transform(orders)
out.select("order_id", "reduced", "size").write.saveAsTable("ml.sizes")
