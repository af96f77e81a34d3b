#!/usr/bin/env python3
"""Writes hand-made.parquet beside it with pyarrow, and prints what tests/samples expects of it.

All columns may be null here, stand in another order, and have other widths than where flashscope writes them.
"""
import os

import pyarrow
import pyarrow.parquet

OPS = [("read", 4096), ("write", 512), ("flush", 0), ("trim", 1 << 20), ("write", 100)]
rows = []
for i in range(50):
    op, length = OPS[i % 5]
    rows.append({
        "process": [None, "tar", "kworker/0:1H"][i % 3],
        "pid": [None, 31, 7][i % 3],
        "op": op,
        "length_bytes": length,
        "offset_bytes": 0 if op == "flush" else (1 << 50) + 4096 * i,
        "time_ns": (1 << 63) + 1_000_003 * (i // 2),
        "latency_ns": None if i % 4 == 0 else 1000 * i,
        "fua": i % 10 == 1,
        "sync": i % 5 == 1,
        "device": ["sda", "nvme0n1"][i // 3 % 2],
        "comment": "a column that is not read",
    })
types = {"pid": pyarrow.int64(), "length_bytes": pyarrow.int32(), "time_ns": pyarrow.uint64()}
names = list(rows[0])
table = pyarrow.table({
    name: pyarrow.array([row[name] for row in rows], types.get(name)) for name in names
})
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hand-made.parquet")
pyarrow.parquet.write_table(table, path, row_group_size=20, compression="zstd")
for op in ("read", "write", "flush", "trim"):
    lengths = [row["length_bytes"] for row in rows if row["op"] == op]
    print(op, len(lengths), sum(lengths))
print("latency", sum(row["latency_ns"] or 0 for row in rows))
print("FUA", sum(row["fua"] for row in rows), "sync", sum(row["sync"] for row in rows))
print("end", max(row["offset_bytes"] + row["length_bytes"] for row in rows))
print(rows[0], rows[-1])
