// From the text of a blob to bytes: base64, then gzip. Nothing is kept; who asks keeps what it made of it.

import { gunzipSync } from 'fflate';

/** Bytes of base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    let binary: string;
    try {
        binary = atob(text.trim());
    } catch {
        throw new Error('the data are not base64: the file is damaged');
    }
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

const DAMAGED = 'the data do not unpack: the file is damaged or cut short';

/** No byte of deflate stands for more of what was packed. */
const RATIO_MAX = 1032;

/** The bytes behind one gzip member. */
export function gunzip(packed: Uint8Array): Uint8Array {
    try {
        const size = new DataView(packed.buffer, packed.byteOffset).getUint32(packed.length - 4, true);
        // A damaged size must not ask for gigabytes.
        return gunzipSync(packed, { out: new Uint8Array(Math.min(size, packed.length * RATIO_MAX)) });
    } catch {
        throw new Error(DAMAGED);
    }
}

/** Unpacks a blob beside the page's own work, where the browser can. */
export async function unpack(text: string): Promise<Uint8Array> {
    const packed = fromBase64(text);
    if (typeof DecompressionStream === 'undefined') return gunzip(packed);
    try {
        const stream = new Response(packed).body!.pipeThrough(new DecompressionStream('gzip'));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new Error(DAMAGED);
    }
}

/** Unpacks a blob at once: for paper, since printing waits for nothing asynchronous. */
export function unpackNow(text: string): Uint8Array {
    return gunzip(fromBase64(text));
}
