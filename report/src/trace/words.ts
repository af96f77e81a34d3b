// What is said of an IO, or of a column of many, when the cursor is on it.

import type { Hit } from '../canvas/scene';
import { count, exact, format } from '../units';
import type { Numbers } from '../decode';
import type { TraceData } from './data';

type Rows = [string, string][];

/** All that is known of IO number `i`. */
export function describeIo(
    data: TraceData,
    i: number,
    x: number,
    y: number,
    colour: string,
    result: string,
): Hit {
    const { all, columns } = data;
    if (!all) {
        const rows: Rows = [...named(result), ['response time', time(columns!.head[i])]];
        return { x, y, title: `IO ${count(i)}`, colour, rows };
    }
    const rows: Rows = [
        ...named(result),
        ['response time', time(all.response[i])],
        ['submitted at', time(all.submit[i])],
        ...address(data, all.op?.[i], all.offset?.[i], all.length?.[i]),
    ];
    if (all.stream) rows.push(['stream', String(all.stream[i])]);
    return { x, y, title: `IO ${count(i)}`, colour, rows };
}

export function describeSlowest(
    data: TraceData,
    c: number,
    x: number,
    y: number,
    colour: string,
    name: string,
): Hit {
    const k = data.columns!;
    const rows: Rows = [
        ...named(name),
        ['response time', time(k.max[c])],
        ['submitted at', time(k.maxSubmit[c])],
        ...address(data, at(k.maxOp, c), at(k.maxOffset, c), at(k.maxLength, c)),
        ['slowest of', range(data, c)],
    ];
    return { x, y, title: `IO ${count(c * data.block.column_ios + k.maxAt[c])}`, colour, rows };
}

export function describeFastest(
    data: TraceData,
    c: number,
    x: number,
    y: number,
    colour: string,
    name: string,
): Hit {
    const k = data.columns!;
    const rows: Rows = [...named(name), ['response time', time(k.min[c])], ['fastest of', range(data, c)]];
    return { x, y, title: `IO ${count(c * data.block.column_ios + k.minAt[c])}`, colour, rows };
}

/** A column, and how many of its IOs are at a row of response times. */
export function describeColumn(
    data: TraceData, c: number, row: number, x: number, y: number, colour: string, result: string,
): Hit | null {
    const k = data.columns!;
    let here = 0;
    for (let i = k.cellStart[c]; i < k.cellStart[c + 1]; i++) if (k.row[i] === row) here = k.count[i];
    if (here === 0) return null;
    const [low, high] = [2 ** (row / 16), 2 ** ((row + 1) / 16)];
    const rows: Rows = [
        ...named(result),
        [
            `${format(low, 'ns')} to ${format(high, 'ns')}`,
            `${count(here)} of ${count(data.columnIos(c))} IOs`,
        ],
        ['mean', format(k.mean[c], 'ns')],
        ['fastest, slowest', `${time(k.min[c])}, ${time(k.max[c])}`],
        ['begins at', time(k.submit[c])],
    ];
    return { x, y, title: range(data, c), colour, rows };
}

function address(data: TraceData, op?: number, offset?: number, length?: number): Rows {
    const rows: Rows = [];
    const unit = data.block.unit_bytes;
    if (op !== undefined) rows.push(['operation', data.block.ops[op] ?? `number ${op}`]);
    if (offset !== undefined) rows.push(['offset', bytes(offset * unit)]);
    if (length !== undefined) rows.push(['length', bytes(length * unit)]);
    return rows;
}

const at = (values: Numbers | null, i: number): number | undefined => values?.[i];

const named = (result: string): Rows => (result === '' ? [] : [['result', result]]);

const time = (ns: number): string => exact(ns, 'ns', 7);

function bytes(value: number): string {
    const short = exact(value, 'bytes', 6);
    return value >= 1024 ? `${short} (${count(value)} B)` : short;
}

function range(data: TraceData, c: number): string {
    const from = c * data.block.column_ios;
    return `IOs ${count(from)} to ${count(from + data.columnIos(c) - 1)}`;
}
