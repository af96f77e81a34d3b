// The IOs of a trace as CSV: each one, or where only columns are kept, each column.

import type { TraceData } from '../trace/data';
import { csv, type Value } from './csv';

interface NamedTrace {
    name: string;
    data: TraceData;
}

const IO_HEADING = [
    'result',
    'io',
    'submit_ns',
    'response_ns',
    'op',
    'offset_bytes',
    'length_bytes',
    'stream',
];
const COLUMN_HEADING = [
    'result',
    'first_io',
    'ios',
    'submit_ns',
    'mean_ns',
    'min_ns',
    'min_io',
    'max_ns',
    'max_io',
];

export function traceCsv(traces: NamedTrace[]): string {
    const isAll = traces.every(({ data }) => data.all);
    const rows = traces.flatMap((trace) => (isAll ? [...ioRows(trace)] : [...columnRows(trace)]));
    return csv(isAll ? IO_HEADING : COLUMN_HEADING, rows);
}

function* ioRows({ name, data }: NamedTrace): Iterable<Value[]> {
    const { submit, response, op, offset, length, stream } = data.all!;
    const { ops, unit_bytes: unit } = data.block;
    for (let i = 0; i < data.ios; i++) {
        const at = [offset, length].map((values) => (values ? values[i] * unit : null));
        yield [name, i, submit[i], response[i], op ? (ops[op[i]] ?? op[i]) : null, ...at, stream?.[i]];
    }
}

function* columnRows({ name, data }: NamedTrace): Iterable<Value[]> {
    const k = data.columns;
    if (!k) return;
    for (let c = 0; c < k.submit.length; c++) {
        const first = c * data.block.column_ios;
        yield [name, first, data.columnIos(c), k.submit[c], k.mean[c], k.min[c], first + k.minAt[c], k.max[c],
            first + k.maxAt[c]];
    }
}
