"""Encodes a column of a Spark table: spark-submit --files pipe.sh spark.py INPUT.parquet COLUMN OUTPUT.parquet

pearl must be installed on every worker. Each partition passes through one process of pearl.
"""

import shlex
import sys

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, FloatType, StructField, StructType

source, column, target = sys.argv[1:]
spark = SparkSession.builder.appName("pearl-encode").getOrCreate()
table = spark.read.parquet(source)
encoded = table.toJSON().pipe(f"bash pipe.sh --threads 1 -c {shlex.quote(column)}", checkCode=True)
# Without a schema, Spark would run all of it once more to find one.
schema = StructType([*table.schema.fields, StructField("embedding", ArrayType(FloatType()))])
spark.read.json(encoded, schema=schema).write.parquet(target)
