"""Rows a second of the Spark job, for 1, 2 and 4 partitions, beside the bare filter on the same file.

A job is timed as a whole, and without what Spark takes to start: the time of a job over a hundred rows is taken away. The second column is what
Spark, Python and the pipes cost on top of the filter, which does the same work on one thread.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import rows
from check import HERE, end, submit


def seconds(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--filter", required=True)
    parser.add_argument("--states", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    stored, few = options.work / "states.ndjson", options.work / "few.ndjson"
    rows.write(stored, options.states, options.rows)
    rows.write(few, options.states, 100)

    def bare(threads):
        with open(stored, "rb") as source, open(options.work / "bare.ndjson", "wb") as target:
            filtered = subprocess.run([options.filter, "upgrade", "--ndjson", "--threads", str(threads)], stdin=source, stdout=target)
        if filtered.returncode != 0:
            sys.exit(f"the filter ended with {filtered.returncode}")

    def job(path, partitions):
        out = options.work / "out"
        shutil.rmtree(out, ignore_errors=True)
        arguments = [str(HERE / "upgrade_states.py"), "--filter", options.filter, "--partitions", str(partitions), str(path), str(out)]
        with open(options.work / "log", "w") as log:
            end(submit(f"local[{partitions}]", arguments, ["spark.driver.memory=1g"], log), "a job")

    def median(work):
        return statistics.median(seconds(work) for _ in range(options.rounds))

    size = stored.stat().st_size / 1e6
    print(f"{options.rows} rows, {size:.0f} MB; medians of {options.rounds}\n")
    print("|                     | rows a second | beside the filter |")
    print("| ------------------- | ------------: | ----------------: |")
    alone = median(lambda: bare(1))
    print(f"| filter, 1 thread    | {options.rows / alone:>13,.0f} | {1:>17.2f} |", flush=True)
    for partitions in (1, 2, 4):
        start = median(lambda: job(few, partitions))
        took = median(lambda: job(stored, partitions)) - start
        print(f"| Spark, {partitions} partition{'s' if partitions > 1 else ' '}  | {options.rows / took:>13,.0f} | {took / alone:>17.2f} |", flush=True)


if __name__ == "__main__":
    main()
