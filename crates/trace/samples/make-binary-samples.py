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
    print("  latency sum", sum(r[4] or 0 for r in kept), "first", kept[0], "last", kept[-1])


if __name__ == "__main__":
    vscsi(1)
    vscsi(2)
    oracle(False)
    oracle(True)
