#!/usr/bin/env python3
"""Writes the binary samples beside it and prints what tests/samples.rs expects of them.

Each entry is packed from its definition (a C struct, named at its function), from the same list of requests that the
sums are taken of: flashscope's readers have no part in it.
"""
import os
import struct

FOLDER = os.path.dirname(os.path.abspath(__file__))
SECTOR = 512


def requests():
    """(time in us, op, sector, bytes, response in us): ties, large offsets, both directions."""
    ops = ["read", "write", "write", "read", "write"]
    time_us = 5_633_898_368_802
    for i in range(60):
        time_us += [0, 1, 37, 1_000_000, 250][i % 5]
        sector = [8 * i, 42_932_745, (1 << 40) + 16 * i, 1 << 32, 8 * (i % 7)][i % 5]
        yield time_us, ops[i % 5], sector, [512, 4096, 65_536, 1024, 1_048_576][i % 4], 100 + 3 * i


def vscsi(version):
    """CloudPhysics: trace_v1_record_t and trace_v2_record_t. SCSI codes of 6, 10, 12 and 16 bytes."""
    codes = {"read": [0x28, 0x08, 0x88, 0xA8], "write": [0x2A, 0x0A, 0x8A, 0xAA]}
    extra = {20: ("inquiry", 0x12), 21: ("flush", 0x35), 40: ("other", 0x00), 41: ("flush", 0x91)}
    out, kept = [], []
    for i, (time_us, op, sector, length, response_us) in enumerate(requests()):
        op, code = extra.get(i, (op, codes[op][i % 4] if i % 3 == 0 and op in codes else codes[op][0]))
        if op in ("inquiry", "other", "flush"):
            sector = length = 0
        number = 2_147_483_892 + i
        if version == 1:
            out.append(struct.pack("<IIIHHQQ", number, length, 1, code, 0x0100, sector, time_us))
        else:
            out.append(struct.pack("<HHIIIQQQ", code, 0x0200, number, length, 1, sector, time_us, response_us))
        if op not in ("inquiry", "other"):
            latency_ns = response_us * 1000 if version == 2 else None
            kept.append((time_us * 1000, op, sector * SECTOR, length, latency_ns, "0"))
    write(f"hand-made-{version}.vscsi", b"".join(out), kept)


def oracle(with_op):
    """libCacheSim: packed {u32 time, u64 object, u32 size, [u8 op, u16 ns,] i64 next}, next counted from 1."""
    rows = [(t // 1_000_000 % 1_000_000, op, sector, length) for t, op, sector, length, _ in requests()]
    codes = {"read": [1, 12, 0, 2], "write": [3, 13, 14, 6], "trim": [9]}
    out, kept = [], []
    for i, (time_s, op, sector, length) in enumerate(rows):
        later = [j + 1 for j in range(i + 1, len(rows)) if rows[j][2] == sector]
        following = later[0] if later else -1
        device = "0"
        if not with_op:
            op, middle = "read", b""
        else:
            op = "trim" if i % 13 == 12 else op
            device = str(i % 3 * 300)
            middle = struct.pack("<BH", codes[op][i % len(codes[op])], i % 3 * 300)
        out.append(struct.pack("<IQI", time_s, sector, length) + middle + struct.pack("<q", following))
        kept.append((time_s * 10**9, op, sector * SECTOR, length, None, device))
    write("hand-made.oracleGeneralOpNS" if with_op else "hand-made.oracleGeneral", b"".join(out), kept)


READ, WRITE, FLUSH, SYNC, QUEUE, ISSUE, COMPLETE, FS, NOTIFY, META, DISCARD, FUA = (
    1 << bit for bit in (0, 1, 2, 3, 4, 6, 7, 8, 10, 12, 13, 15)
)
Q, MERGE, GETRQ, D, C, PLUG, UNPLUG, INSERT, REMAP = 1, 2, 4, 7, 8, 9, 10, 12, 15


def blk_io_trace(order, cpu, time_ns, sector, length, what, categories, pid, device, data=b""):
    """struct blk_io_trace of blktrace_api.h, version 7, with its data behind it."""
    major, minor = device
    return struct.pack(
        order + "IIQQIIIIIHH", 0x65617407, 0, time_ns, sector, length, what | categories << 16, pid,
        major << 20 | minor, cpu, 0, len(data),
    ) + data


def blktrace(order, cpus, name):
    """Events of two devices and three processes; each request is queued, inserted, issued and completed."""
    names = {4020: b"java", 31: b"tar", 7: b"kworker/0:1H"}
    kinds = [  # categories, bytes, (op, sync, fua); a flush alone has no bytes
        (READ, 4096, [("read", "")]),
        (WRITE | SYNC, 8192, [("write", "S")]),
        (WRITE | FLUSH | SYNC, 0, [("flush", "")]),
        (DISCARD | WRITE | SYNC, 1 << 20, [("trim", "S")]),
        (WRITE | FLUSH | SYNC | FUA | META, 4096, [("flush", ""), ("write", "FS")]),
        (READ, 65_536, [("read", "")]),
        (WRITE, 512, [("write", "")]),
    ]
    files = {cpu: [] for cpu in range(cpus)}
    events, kept, time_ns = [], [], 5_000_000_000
    # Only the first CPU's file has the names.
    for pid, comm in names.items():
        events.append((time_ns, 0, 0, 0, 0, NOTIFY, pid, (0, 0), comm + b"\0" * (16 - len(comm))))
    for i in range(42):
        categories, length, requests = kinds[i % 7]
        time_ns += [0, 1, 999, 1_000_000, 250_000_000][i % 5]
        pid, device, cpu = list(names)[i // 2 % 3], [(259, 2), (8, 16)][i % 4 == 3], i % cpus
        sector = [8 * i, (1 << 33) + i, 2_000_000_000][i % 3] if length else 0
        if i % 10 == 5:
            data = struct.pack(">IIQ", 8 << 20 | 17, 0, sector)
            events.append((time_ns, cpu, sector, length, REMAP, categories | QUEUE, pid, device, data))
        if i % 10 == 7:
            events.append((time_ns, cpu, 0, 0, 2, NOTIFY, 0, device, b"a message"))
        events.append((time_ns, cpu, sector, length, Q, categories | QUEUE, pid, device, b""))
        events.append((time_ns + 300, cpu, sector, length, GETRQ, categories | QUEUE, pid, device, b""))
        events.append((time_ns + 400, cpu, sector, length, INSERT, categories | QUEUE, pid, device, b""))
        events.append((time_ns + 500, cpu, sector, length, D, categories | ISSUE, pid, device, b""))
        done = (cpu + 1) % cpus
        events.append((time_ns + 90_000, done, sector, length, C, categories | COMPLETE, 0, device, b""))
        for op, flags in requests:
            size = 0 if op == "flush" else length
            start = 0 if op == "flush" else sector * SECTOR
            by = (pid, names[pid].decode())
            where = "%d,%d" % device
            kept.append((time_ns, op, start, size, None, where, flags, by, cpu))
    for event in sorted(events, key=lambda event: event[0]):
        files[event[1]].append(blk_io_trace(order, event[1], event[0], *event[2:]))
    if cpus == 1:
        print("entries", len(files[0]))
        return write(name, b"".join(files[0]), kept)
    for cpu, entries in files.items():
        print("entries", len(entries))
        write(f"{name}.{cpu}", b"".join(entries), [r for r in kept if r[8] == cpu])


def write(name, content, kept):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(content)
    of = lambda op: [r for r in kept if r[1] == op]
    total = lambda op: sum(r[3] for r in of(op))
    ops = ("read", "write", "flush", "trim")
    devices = list(dict.fromkeys(r[5] for r in kept))
    print(name, f"{len(content)} bytes; devices {devices}")
    print("  count ", {op: len(of(op)) for op in ops})
    print("  bytes ", {op: total(op) for op in ops})
    print("  times ", kept[0][0], kept[-1][0], "end", max(r[2] + r[3] for r in kept))
    print("  sync", sum("S" in r[6] for r in kept if r[6:]), "FUA", sum("F" in r[6] for r in kept if r[6:]))
    print("  latency sum", sum(r[4] or 0 for r in kept), "first", kept[0], "last", kept[-1])


if __name__ == "__main__":
    vscsi(1)
    vscsi(2)
    oracle(False)
    oracle(True)
    blktrace(">", 1, "hand-made-big-endian.blktrace")
    blktrace("<", 3, "hand-made.blktrace")
