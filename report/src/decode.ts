// From the bytes of a blob to its arrays, as dense.rs describes them: planes of equal bytes, differences in
// zigzag code.

import type { ArraySpec } from './document';

/** Whole numbers below 2^53. */
export type Numbers = Uint32Array | Float64Array;

export type Arrays = Map<string, Numbers>;

/** Reads every array of a blob; throws with words for a person if the blob is too short. */
export function decode(bytes: Uint8Array, specs: ArraySpec[]): Arrays {
    const needed = specs.reduce((sum, spec) => sum + spec.length * spec.planes, 0);
    if (bytes.length < needed) {
        throw new Error(
            `the data hold ${bytes.length} bytes where ${needed} are announced: the file is damaged`,
        );
    }
    const arrays: Arrays = new Map();
    let at = 0;
    for (const spec of specs) {
        const size = spec.length * spec.planes;
        arrays.set(spec.name, readArray(bytes.subarray(at, at + size), spec));
        at += size;
    }
    return arrays;
}

function readArray(bytes: Uint8Array, { length, planes, is_delta }: ArraySpec): Numbers {
    if (planes <= 4 && !is_delta) return joinNarrow(bytes, length, planes);
    const values = planes <= 4 ? joinNarrow(bytes, length, planes) : joinWide(bytes, length, planes);
    return is_delta ? summed(values) : values;
}

function joinNarrow(bytes: Uint8Array, length: number, planes: number): Uint32Array {
    const values = new Uint32Array(length);
    for (let plane = 0; plane < planes; plane++) {
        const from = plane * length;
        for (let i = 0; i < length; i++) values[i] |= bytes[from + i] << (8 * plane);
    }
    return values;
}

function joinWide(bytes: Uint8Array, length: number, planes: number): Float64Array {
    const values = new Float64Array(length);
    for (let plane = planes - 1; plane >= 0; plane--) {
        const from = plane * length;
        for (let i = 0; i < length; i++) values[i] = values[i] * 256 + bytes[from + i];
    }
    return values;
}

/** Undoes the zigzag code and the differences. Sums leave 32 bits even where differences do not. */
function summed(values: Numbers): Float64Array {
    const sums = new Float64Array(values.length);
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
        const value = values[i];
        sum += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
        sums[i] = sum;
    }
    return sums;
}
