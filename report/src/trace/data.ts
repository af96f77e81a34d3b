// The IOs of a trace in memory: all of them, or columns of many. What the two have in common (places along x,
// sums for running averages) is here; how they look is not.

import type { TraceBlock } from '../document';
import type { Arrays, Numbers } from '../decode';

export interface AllIos {
    submit: Numbers;
    response: Numbers;
    offset: Numbers | null;
    length: Numbers | null;
    op: Numbers | null;
    stream: Numbers | null;
}

export interface Columns {
    ios: number;
    submit: Numbers;
    mean: Numbers;
    min: Numbers;
    minAt: Numbers;
    max: Numbers;
    maxAt: Numbers;
    maxSubmit: Numbers;
    maxOffset: Numbers | null;
    maxLength: Numbers | null;
    maxOp: Numbers | null;
    /** Where the cells of each column begin, and behind the last one where they end. */
    cellStart: Uint32Array;
    row: Numbers;
    count: Numbers;
    /** The first IOs one by one. */
    head: Numbers;
}

export class TraceData {
    /** IOs that are here. */
    readonly ios: number;
    readonly all: AllIos | null;
    readonly columns: Columns | null;
    /** What is wrong with the data, in a sentence. */
    readonly problem: string | null;
    /** Numbers of the operations that occur, as far as is known. */
    readonly ops: number[];
    /** Sums of response times before each IO, or each column. */
    private readonly sums: Float64Array;
    private readonly headSums: Float64Array;
    private keptLogs: Float32Array | null = null;

    constructor(readonly block: TraceBlock, arrays: Arrays) {
        const isAll = block.column_ios <= 1;
        this.all = isAll ? readAll(arrays) : null;
        this.columns = isAll ? null : readColumns(arrays, block.column_ios);
        const kept = this.all ? this.all.response.length : this.columns!.submit.length * block.column_ios;
        this.ios = Math.min(kept, block.ios);
        this.problem = kept < block.ios ? `Only ${kept} of ${block.ios} IOs are in the file.` : null;
        this.ops = distinct(this.all ? this.all.op : this.columns!.maxOp);
        this.sums = this.sumUp();
        this.headSums = prefix(this.columns?.head ?? [], () => 1);
    }

    /** Natural logarithms of all response times: taken once, since a zoom needs each of them again. */
    logs(): Float32Array {
        if (!this.keptLogs) {
            const { response } = this.all!;
            this.keptLogs = new Float32Array(response.length);
            for (let i = 0; i < response.length; i++) this.keptLogs[i] = Math.log(Math.max(1, response[i]));
        }
        return this.keptLogs;
    }

    /** IOs of column `c`; the last one may be short. */
    columnIos(c: number): number {
        const k = this.block.column_ios;
        return Math.min(k, this.block.ios - c * k);
    }

    /** The time of the last submission that is known, or for columns about the end of the last one. */
    get endNs(): number {
        if (this.all) return this.all.submit.length > 0 ? this.all.submit[this.all.submit.length - 1] : 0;
        const { submit, maxSubmit } = this.columns!;
        const last = submit.length - 1;
        if (last < 0) return 0;
        if (last === 0) return Math.max(submit[0], maxSubmit[0]);
        const pace = (submit[last] - submit[0]) / (last * this.block.column_ios);
        return Math.max(maxSubmit[last], submit[last] + pace * (this.columnIos(last) - 1));
    }

    get startNs(): number {
        const submit = this.all ? this.all.submit : this.columns!.submit;
        return submit.length > 0 ? submit[0] : 0;
    }

    /** Where the first IO is put on a log axis, which has no place for its 0: a little before the second. */
    leastX(isTime: boolean): number {
        if (!isTime) return 0.8;
        const submit = this.all ? this.all.submit : this.columns!.submit;
        const later = submit[lowerBound(submit, 1, submit.length)];
        return later === undefined ? 1 : later * 0.8;
    }

    /** The fastest and the slowest response time, in ns. */
    extent(): [number, number] {
        const [low, high] = this.all
            ? [this.all.response, this.all.response]
            : [this.columns!.min, this.columns!.max];
        let [min, max] = [Infinity, 0];
        for (let i = 0; i < low.length; i++) {
            if (low[i] < min) min = low[i];
            if (high[i] > max) max = high[i];
        }
        return [min, max];
    }

    /** When IO number `io` was submitted; between the begins of columns by their pace. */
    timeOf(io: number): number {
        if (this.ios === 0) return 0;
        if (this.all) return this.all.submit[Math.max(0, Math.min(this.ios - 1, Math.round(io)))];
        const { submit } = this.columns!;
        const k = this.block.column_ios;
        const c = Math.max(0, Math.min(submit.length - 1, Math.floor(io / k)));
        const next = c + 1 < submit.length ? submit[c + 1] : this.endNs;
        const share = Math.min(1, Math.max(0, (io - c * k) / this.columnIos(c)));
        return submit[c] + (next - submit[c]) * share;
    }

    /** The first IO that is submitted at `ns` or later. */
    ioAt(ns: number): number {
        if (this.all) return lowerBound(this.all.submit, ns, this.ios);
        const { submit } = this.columns!;
        const c = lowerBound(submit, ns, submit.length);
        if (c === 0) return 0;
        const next = c < submit.length ? submit[c] : this.endNs;
        const share = next > submit[c - 1] ? (ns - submit[c - 1]) / (next - submit[c - 1]) : 0;
        return Math.ceil((c - 1) * this.block.column_ios + Math.min(1, share) * this.columnIos(c - 1));
    }

    /** Sum of the response times of the IOs before number `io`, in ns. */
    sumTo(io: number): number {
        const n = Math.max(0, Math.min(this.ios, io));
        if (this.all) return this.sums[Math.floor(n)];
        if (n < this.headSums.length) return this.headSums[Math.floor(n)];
        const k = this.block.column_ios;
        const c = Math.min(this.sums.length - 2, Math.floor(n / k));
        return this.sums[c] + (this.sums[c + 1] - this.sums[c]) * ((n - c * k) / this.columnIos(c));
    }

    /** From where on sums are exact without what was before `io`: of columns, from the next one. */
    exactFrom(io: number): number {
        if (this.all || io < this.headSums.length) return io;
        return Math.ceil(io / this.block.column_ios) * this.block.column_ios;
    }

    private sumUp(): Float64Array {
        if (this.all) return prefix(this.all.response, () => 1);
        return prefix(this.columns!.mean, (c) => this.columnIos(c));
    }
}

function distinct(values: Numbers | null): number[] {
    const seen: boolean[] = [];
    for (const value of values ?? [0]) seen[value] = true;
    return Object.keys(seen).map(Number);
}

function prefix(values: ArrayLike<number>, weight: (i: number) => number): Float64Array {
    const sums = new Float64Array(values.length + 1);
    for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i] * weight(i);
    return sums;
}

/** The first place whose value is not smaller. */
export function lowerBound(values: Numbers, value: number, length: number): number {
    let [low, high] = [0, length];
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (values[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}

function need(arrays: Arrays, name: string): Numbers {
    const found = arrays.get(name);
    if (!found)
        throw new Error(`the array "${name}" is missing: the file is damaged, or newer than this page`);
    return found;
}

function readAll(arrays: Arrays): AllIos {
    const response = need(arrays, 'response_ns');
    const same = (name: string): Numbers | null => {
        const found = arrays.get(name);
        return found && found.length >= response.length ? found : null;
    };
    return {
        response,
        submit: need(arrays, 'submit_ns'),
        offset: same('offset'),
        length: same('length'),
        op: same('op'),
        stream: same('stream'),
    };
}

function readColumns(arrays: Arrays, ios: number): Columns {
    const cells = need(arrays, 'cells');
    const cellStart = new Uint32Array(cells.length + 1);
    for (let c = 0; c < cells.length; c++) cellStart[c + 1] = cellStart[c] + cells[c];
    const row = need(arrays, 'row');
    if (cellStart[cells.length] > row.length) throw new Error('cells are missing: the file is damaged');
    const extra = (name: string): Numbers | null => arrays.get(name) ?? null;
    return {
        ios,
        cellStart,
        row,
        submit: need(arrays, 'submit_ns'),
        mean: need(arrays, 'mean_ns'),
        min: need(arrays, 'min_ns'),
        minAt: need(arrays, 'min_at'),
        max: need(arrays, 'max_ns'),
        maxAt: need(arrays, 'max_at'),
        maxSubmit: need(arrays, 'max_submit_ns'),
        maxOffset: extra('max_offset'),
        maxLength: extra('max_length'),
        maxOp: extra('max_op'),
        count: need(arrays, 'count'),
        head: extra('head_response_ns') ?? new Uint32Array(0),
    };
}
