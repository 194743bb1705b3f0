"""Encodes a column of a Spark table: spark-submit --files pipe.sh spark.py INPUT.parquet COLUMN OUTPUT.parquet

pearl must be installed on every worker. Each partition passes through one process of pearl.
"""

import shlex
import sys

from pyspark.sql import SparkSession

source, column, target = sys.argv[1:]
spark = SparkSession.builder.appName("pearl-encode").getOrCreate()
lines = spark.read.parquet(source).toJSON()
encoded = lines.pipe(f"bash pipe.sh --threads 1 -c {shlex.quote(column)}", checkCode=True)
spark.read.json(encoded).write.parquet(target)
