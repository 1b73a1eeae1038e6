"""Plays a sweep on a Dask cluster, a shard in each task, and prints the rows in the order of the plan.

python on_dask.py PLAN SHARDS [ADDRESS]: without the address of a scheduler, on this machine. The workers need `berth` on
their PATH and the plan with its files under the same path.
"""

import json
import subprocess
import sys

from dask.distributed import Client


def play(plan, index, shards):
    shard = f"{index}/{shards}"
    command = ["berth", "sweep", plan, "--shard", shard, "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"shard {shard}: {done.stderr}")
    return done.stdout.splitlines()


def main(plan, shards, address=None):
    with Client(address) if address else Client(n_workers=2, dashboard_address=None) as client:
        tasks = [client.submit(play, plan, index, shards) for index in range(shards)]
        rows = [row for shard in client.gather(tasks) for row in shard]
    for row in sorted(rows, key=lambda row: json.loads(row)["row"]):
        print(row)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
