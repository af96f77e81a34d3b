// Gzip in a hundred lines (RFC 1951 and 1952), for browsers without DecompressionStream and for paper: what
// is printed must be there before the print dialogue, which waits for nothing asynchronous.

const LENGTH_BASE = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Codes of a Huffman tree: how many of each length, and their symbols in order. */
interface Tree {
    counts: Uint16Array;
    symbols: Uint16Array;
}

function tree(lengths: Uint8Array): Tree {
    const counts = new Uint16Array(16);
    for (const length of lengths) counts[length]++;
    counts[0] = 0;
    const offsets = new Uint16Array(16);
    for (let i = 1; i < 16; i++) offsets[i] = offsets[i - 1] + counts[i - 1];
    const symbols = new Uint16Array(lengths.length);
    lengths.forEach((length, symbol) => {
        if (length > 0) symbols[offsets[length]++] = symbol;
    });
    return { counts, symbols };
}

class Bits {
    private held = 0;
    private heldBits = 0;

    constructor(readonly input: Uint8Array, public at: number) {}

    take(bits: number): number {
        while (this.heldBits < bits) {
            if (this.at >= this.input.length) throw new Error('the compressed data end too early');
            this.held |= this.input[this.at++] << this.heldBits;
            this.heldBits += 8;
        }
        const value = this.held & ((1 << bits) - 1);
        this.held >>>= bits;
        this.heldBits -= bits;
        return value;
    }

    symbol({ counts, symbols }: Tree): number {
        let code = 0;
        let first = 0;
        let index = 0;
        for (let length = 1; length < 16; length++) {
            code |= this.take(1);
            if (code - counts[length] < first) return symbols[index + code - first];
            index += counts[length];
            first = (first + counts[length]) << 1;
            code <<= 1;
        }
        throw new Error('the compressed data hold an unknown code');
    }

    toByte(): void {
        this.held = 0;
        this.heldBits = 0;
    }
}

class Output {
    bytes: Uint8Array;
    length = 0;

    constructor(room: number) {
        this.bytes = new Uint8Array(Math.max(room, 64));
    }

    reserve(more: number): void {
        if (this.length + more <= this.bytes.length) return;
        const larger = new Uint8Array((this.length + more) * 2);
        larger.set(this.bytes);
        this.bytes = larger;
    }

    copy(distance: number, count: number): void {
        if (distance > this.length) throw new Error('the compressed data point before their begin');
        this.reserve(count);
        for (let i = 0; i < count; i++, this.length++)
            this.bytes[this.length] = this.bytes[this.length - distance];
    }
}

function stored(bits: Bits, out: Output): void {
    bits.toByte();
    const count = bits.input[bits.at] | (bits.input[bits.at + 1] << 8);
    bits.at += 4;
    if (bits.at + count > bits.input.length) throw new Error('the compressed data end too early');
    out.reserve(count);
    out.bytes.set(bits.input.subarray(bits.at, bits.at + count), out.length);
    out.length += count;
    bits.at += count;
}

function fixedTrees(): [Tree, Tree] {
    const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
    return [tree(lengths), tree(new Uint8Array(30).fill(5))];
}

function dynamicTrees(bits: Bits): [Tree, Tree] {
    const literals = bits.take(5) + 257;
    const distances = bits.take(5) + 1;
    const used = bits.take(4) + 4;
    const codes = new Uint8Array(19);
    for (let i = 0; i < used; i++) codes[ORDER[i]] = bits.take(3);
    const codeTree = tree(codes);
    const lengths = new Uint8Array(literals + distances);
    for (let i = 0; i < lengths.length; ) {
        const symbol = bits.symbol(codeTree);
        if (symbol < 16) {
            lengths[i++] = symbol;
            continue;
        }
        const value = symbol === 16 ? lengths[i - 1] : 0;
        const repeat =
            symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
        lengths.fill(value, i, i + repeat);
        i += repeat;
    }
    return [tree(lengths.subarray(0, literals)), tree(lengths.subarray(literals))];
}

function coded(bits: Bits, out: Output, [literals, distances]: [Tree, Tree]): void {
    for (;;) {
        const symbol = bits.symbol(literals);
        if (symbol === 256) return;
        if (symbol < 256) {
            out.reserve(1);
            out.bytes[out.length++] = symbol;
            continue;
        }
        const count = LENGTH_BASE[symbol - 257] + bits.take(LENGTH_BITS[symbol - 257]);
        const far = bits.symbol(distances);
        out.copy(DISTANCE_BASE[far] + bits.take(DISTANCE_BITS[far]), count);
    }
}

/** Where the data begin, behind the gzip header. */
function dataStart(input: Uint8Array): number {
    if (input.length < 18 || input[0] !== 0x1f || input[1] !== 0x8b) throw new Error('the data are not gzip');
    const flags = input[3];
    let at = 10;
    if (flags & 4) at += 2 + (input[at] | (input[at + 1] << 8));
    for (const flag of [8, 16]) {
        if (flags & flag) {
            while (input[at++] !== 0 && at < input.length);
        }
    }
    return flags & 2 ? at + 2 : at;
}

/** The bytes behind one gzip member. */
export function gunzip(input: Uint8Array): Uint8Array {
    const bits = new Bits(input, dataStart(input));
    const size = new DataView(input.buffer, input.byteOffset).getUint32(input.length - 4, true);
    const out = new Output(Math.min(size, input.length * 1100));
    for (let isLast = false; !isLast; ) {
        isLast = bits.take(1) === 1;
        const kind = bits.take(2);
        if (kind === 0) stored(bits, out);
        else if (kind === 1) coded(bits, out, fixedTrees());
        else if (kind === 2) coded(bits, out, dynamicTrees(bits));
        else throw new Error('the compressed data hold an unknown kind of block');
    }
    return out.bytes.subarray(0, out.length);
}
