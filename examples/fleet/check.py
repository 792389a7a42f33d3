"""The Spark job beside the bare filter: the same rows come out, each once, though an executor is killed on the way."""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import rows

HERE = pathlib.Path(__file__).parent
ROWS = 60_000


def submit(master, arguments, conf=(), log=None):
    """Starts the job."""
    command = [os.environ["SPARK_HOME"] + "/bin/spark-submit", "--master", master]
    for setting in ("spark.ui.enabled=false", "spark.ui.showConsoleProgress=false", *conf):
        command += ["--conf", setting]
    return subprocess.Popen(command + arguments, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)


def processes():
    """Every process with its parent and its command line."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # It has ended.
            found[int(folder.name)] = (int(stat.rpartition(")")[2].split()[1]), command)
    return found


def below(ancestor, found):
    """The processes that `ancestor` started, and those that they started."""
    inside = {ancestor}
    grew = True
    while grew:
        more = {pid for pid, (parent, _) in found.items() if parent in inside and pid not in inside}
        grew = bool(more)
        inside |= more
    return inside


def kill_one_executor(job):
    """Kills an executor of the job whose filter is at work. Says whether it could."""
    while job.poll() is None:
        found = processes()
        for pid in below(job.pid, found):
            if "CoarseGrainedExecutorBackend" in found[pid][1] and "java" in found[pid][1]:
                busy = any(" upgrade --ndjson" in found[child][1] for child in below(pid, found))
                if busy:
                    os.kill(pid, signal.SIGKILL)
                    return True
        time.sleep(0.02)
    return False


def end(job, what):
    output, _ = job.communicate(timeout=600)
    if job.returncode != 0:
        sys.exit(f"{what}: the job ended with {job.returncode}; its log is beside the output")
    return json.loads(output)


def lines_of(folder):
    """Every line of the files in a folder, sorted."""
    lines = []
    for path in sorted(folder.glob("part-*")):
        with open(path, "rb") as file:
            lines += file.read().split(b"\n")[:-1]
    return sorted(lines)


def numberless(line):
    """A line without the number that the filter gives lines it cannot read: a partition counts its own."""
    return re.sub(rb'^\{"line":\d+,', b"{", line)


def expect(condition, message):
    if not condition:
        sys.exit(message)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", required=True)
    parser.add_argument("--states", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    stored = options.work / "states.ndjson"
    rows.write(stored, options.states, ROWS, odd_every=97)

    # What the filter makes of the same lines by itself.
    with open(stored, "rb") as file:
        bare = subprocess.run([options.filter, "upgrade", "--ndjson"], stdin=file, capture_output=True)
    expect(bare.returncode == 1, f"the filter ended with {bare.returncode}: {bare.stderr.decode()}")
    lines = bare.stdout.split(b"\n")[:-1]
    refused = sorted(numberless(line) for line in lines if b'"error":{' in line)
    wanted = sorted(line for line in lines if b'"error":{' not in line)
    expect(len(wanted) + len(refused) == ROWS and refused, "the filter lost a line")

    # Three executors, each a process of its own, of which one is killed while it works.
    out = options.work / "killed"
    job = [str(HERE / "upgrade_states.py"), "--filter", options.filter, "--format", "ndjson", "--partitions", "12", str(stored), str(out)]
    with open(options.work / "killed.log", "w") as log:
        running = submit("local-cluster[3,1,768]", job, ["spark.executor.memory=512m", "spark.driver.memory=512m"], log)
        killed = kill_one_executor(running)
        summary = end(running, "with an executor killed")
    expect(killed, "no executor was killed: the job was over first")
    log = (options.work / "killed.log").read_text()
    expect(re.search(r"Lost (executor|task)", log), "Spark has not noticed that an executor was killed")
    expect(lines_of(out / "states/outcome=upgraded") == wanted, "what was upgraded is not what the bare filter gives")
    expect(sorted(map(numberless, lines_of(out / "states/outcome=refused"))) == refused, "what was refused is not what the bare filter refuses")
    expect(summary["rows_in"] == summary["rows_out"] == ROWS, f"rows are missing in the summary: {summary}")
    expect(summary["upgraded"] == len(wanted) and sum(summary["refused"].values()) == len(refused), f"the summary is wrong: {summary}")
    print(f"ndjson: {len(wanted)} upgraded and {len(refused)} refused, as the bare filter does, with an executor killed on the way")

    # The same as a table. Reading lines as JSON is Spark's: those that are not JSON are not in it.
    table = options.work / "table"
    parquet = options.work / "parquet"
    shape = "id long, type_name string, schema_version long, attributes string"
    make = options.work / "make_table.py"
    make.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        f"rows = spark.read.schema({shape!r}).json(sys.argv[1])\n"
        "rows.where('id is not null and attributes is not null').repartition(4).write.parquet(sys.argv[2])\nprint('{}')\n"
    )
    with open(options.work / "parquet.log", "w") as log:
        end(submit("local[2]", [str(make), str(stored), str(table)], log=log), "writing a table")
        job = [str(HERE / "upgrade_states.py"), "--filter", options.filter, "--format", "parquet", str(table), str(parquet)]
        summary = end(submit("local[2]", job, log=log), "a table")
        read = options.work / "read_table.py"
        read.write_text(
            "import json, sys\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
            "with open(sys.argv[2], 'w') as out:\n"
            "    for row in spark.read.parquet(sys.argv[1]).toLocalIterator():\n"
            "        out.write(json.dumps(row.asDict(recursive=True)) + '\\n')\nprint('{}')\n"
        )
        answers = options.work / "answers.ndjson"
        end(submit("local[2]", [str(read), str(parquet / "states"), str(answers)], log=log), "reading a table")
    by_id = {}
    for line in lines:
        row = json.loads(line)
        if "id" in row and "attributes" in row:
            by_id[row["id"]] = row
    seen = set()
    with open(answers, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            alone = by_id[row["id"]]
            expect(row["id"] not in seen, f"row {row['id']} is there twice")
            seen.add(row["id"])
            expect((row["outcome"] == "refused") == ("error" in alone), f"row {row['id']} has another outcome than by itself")
            expect(row["schema_version"] == alone["schema_version"], f"row {row['id']} has another version than by itself")
            expect(json.loads(row["attributes"]) == alone["attributes"], f"row {row['id']} has other attributes than by itself")
            if "error" in alone:
                expect(row["error"]["summary"] == alone["error"]["summary"], f"row {row['id']} has another error than by itself")
    expect(seen == set(by_id), "rows of the table are missing")
    expect(summary["rows_in"] == summary["rows_out"] == len(seen), f"rows are missing in the summary: {summary}")
    print(f"parquet: {summary['upgraded']} upgraded and {sum(summary['refused'].values())} refused, as the bare filter does")


if __name__ == "__main__":
    main()
