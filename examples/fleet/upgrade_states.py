"""Upgrade stored states with Spark: every executor pipes its partitions through `realworld upgrade --ndjson`.

    spark-submit --files realworld upgrade_states.py --filter realworld --format ndjson INPUT OUTPUT

INPUT is read from anything that Spark reads. With `--format ndjson` it holds one JSON object a line, with `type_name`,
`schema_version` and `attributes`; with `--format parquet`, columns of these names, `attributes` as a string of JSON. Other members
and columns stay as they are.

OUTPUT must not exist. It gets three parts:

    OUTPUT/states/outcome=upgraded/   rows of the current version, or of types that the filter does not know
    OUTPUT/states/outcome=refused/    rows that could not be upgraded, as they were, each with its error: input for the next run
    OUTPUT/summary.json               how many rows came in and went out, and why rows were refused

Spark commits what a task wrote when the task ends, and runs tasks again whose executor was lost. So every row comes out once. The summary is
counted from what was written, and the job fails if a row is missing or is there twice.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import threading

from pyspark import SparkFiles
from pyspark.sql import SparkSession, functions as F, types as T

# Exit codes of the filter: everything was upgraded, or every line came out and some have an error.
FINISHED = (0, 1)
# How `pack` begins a line, and where the filter leaves the attributes.
HEAD = re.compile(rb'\{"type_name":"(?:[^"\\]|\\.)*","schema_version":(\d+),"attributes":')


class Filter:
    """`realworld upgrade --ndjson` as a child of this worker: lines go in, and come out in the same order."""

    def __init__(self, name):
        # Shipped with --files; otherwise a path that is there on every executor.
        shipped = SparkFiles.get(name)
        program = shipped if os.path.exists(shipped) else name
        # One thread: Spark runs as many tasks as an executor has cores.
        command = [program, "upgrade", "--ndjson", "--threads", "1"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.problem = None

    def run(self, lines):
        """The lines that come of `lines`. Fails unless each came back, so that Spark runs the task again."""
        sent = 0

        def feed():
            nonlocal sent
            try:
                with self.child.stdin as stdin:
                    for line in lines:
                        stdin.write(line)
                        stdin.write(b"\n")
                        sent += 1
            except BaseException as problem:  # It is raised in the worker's own thread, below.
                self.problem = problem
                self.child.kill()

        said = []
        feeder = threading.Thread(target=feed, daemon=True)
        listener = threading.Thread(target=lambda: said.append(self.child.stderr.read()), daemon=True)
        feeder.start()
        listener.start()
        came = 0
        for line in self.child.stdout:
            came += 1
            yield line[:-1] if line.endswith(b"\n") else line
        feeder.join()
        listener.join()
        code = self.child.wait()
        if self.problem is not None and not isinstance(self.problem, BrokenPipeError):
            raise self.problem
        if code not in FINISHED or came != sent:
            raise RuntimeError(f"the filter ended with {code} after {came} of {sent} lines: {b''.join(said).decode(errors='replace')}")


def error_of(line):
    """The error that the filter gave a line, if it did."""
    # Most lines have none, and reading each as JSON would take longer than its upgrade.
    if b'"error":' not in line:
        return None
    error = json.loads(line).get("error")
    return error if isinstance(error, dict) and "summary" in error else None


def upgrade_lines(name):
    """A function from the lines of a partition to (outcome, line)."""

    def upgrade(rows):
        for line in Filter(name).run(bytes(row.value) for row in rows):
            yield ("refused" if error_of(line) else "upgraded", bytearray(line))

    return upgrade


def pack(row):
    """A row as a line. The attributes come last, as they are: what the filter answers can be taken apart without reading it."""
    type_name = json.dumps(row.type_name or "").encode()
    attributes = (row.attributes or "null").encode()
    # A string of JSON over several lines is one value, but not one line; strings in it hold no line breaks.
    attributes = attributes.replace(b"\r", b" ").replace(b"\n", b" ")
    return b'{"type_name":%s,"schema_version":%d,"attributes":%s}' % (type_name, row.schema_version or 0, attributes)


def upgrade_rows(name, columns):
    """A function from the rows of a partition to upgraded rows, with `outcome` and `error`."""

    def upgrade(rows):
        under_way = collections.deque()

        def lines():
            for row in rows:
                under_way.append(row)
                yield pack(row)

        for line in Filter(name).run(lines()):
            row = under_way.popleft().asDict()
            error = error_of(line)
            if error:
                row["error"] = (error["summary"], error["detail"], error.get("path"))
            else:
                head = HEAD.match(line)
                if head is None:
                    raise RuntimeError("the filter answered with a line that is not the one it got")
                row["schema_version"], row["attributes"] = int(head[1]), line[head.end() : -1].decode()
            yield tuple(row.get(column) for column in columns) + ("refused" if error else "upgraded",)

    return upgrade


def read(spark, kind, path):
    if kind == "parquet":
        return spark.read.parquet(path)
    # Lines end where the filter ends them, and are bytes: what is not UTF-8 must come out as it was.
    lines = spark.read.option("lineSep", "\n").text(path)
    return lines.select(F.col("value").cast("binary").alias("value"))


def upgraded(spark, kind, states, name):
    """The states with their outcomes."""
    if kind == "ndjson":
        schema = T.StructType([T.StructField("outcome", T.StringType()), T.StructField("value", T.BinaryType())])
        rows = spark.createDataFrame(states.rdd.mapPartitions(upgrade_lines(name)), schema, verifySchema=False)
        return rows.withColumn("value", F.col("value").cast("string"))
    error = T.StructType([T.StructField(n, T.StringType()) for n in ("summary", "detail", "path")])
    fields = [field for field in states.schema.fields if field.name != "error"] + [T.StructField("error", error)]
    columns = [field.name for field in fields]
    schema = T.StructType(fields + [T.StructField("outcome", T.StringType())])
    return spark.createDataFrame(states.rdd.mapPartitions(upgrade_rows(name, columns)), schema, verifySchema=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--filter", required=True, help="the program: the name under which --files ships it, or its path on every executor")
    parser.add_argument("--format", choices=("ndjson", "parquet"), default="ndjson")
    parser.add_argument("--partitions", type=int, help="how many tasks share the rows (default: as the input is stored)")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("upgrade states").getOrCreate()
    states = read(spark, options.format, options.input)
    rows_in = states.count()
    if rows_in == 0:
        sys.exit(f"{options.input} holds no states")
    if options.partitions:
        states = states.repartition(options.partitions)
    out = upgraded(spark, options.format, states, options.filter)
    target = options.output.rstrip("/") + "/states"
    if options.format == "ndjson":
        # Why a row was refused is in its line.
        out.write.partitionBy("outcome").text(target, lineSep="\n")
        written = spark.read.option("lineSep", "\n").text(target)
        why = F.get_json_object("value", "$.error.summary")
    else:
        out.write.partitionBy("outcome").parquet(target)
        written = spark.read.parquet(target)
        why = F.col("error.summary")
    counted = written.groupBy("outcome", F.when(F.col("outcome") == "refused", why).alias("why")).count().collect()
    rows_out = sum(row["count"] for row in counted)
    summary = {
        "rows_in": rows_in,
        "rows_out": rows_out,
        "upgraded": sum(row["count"] for row in counted if row.outcome == "upgraded"),
        "refused": {row.why: row["count"] for row in sorted(counted, key=lambda row: row.why or "") if row.outcome == "refused"},
    }
    text = json.dumps(summary, indent=2) + "\n"
    # Through Hadoop, so that it is written wherever the states are.
    path = spark._jvm.org.apache.hadoop.fs.Path(options.output.rstrip("/") + "/summary.json")
    stream = path.getFileSystem(spark._jsc.hadoopConfiguration()).create(path, True)
    stream.write(bytearray(text.encode()))
    stream.close()
    sys.stdout.write(text)
    spark.stop()
    if rows_in != rows_out:
        sys.exit(f"{rows_in} rows came in and {rows_out} went out: the result is not whole")


if __name__ == "__main__":
    main()
