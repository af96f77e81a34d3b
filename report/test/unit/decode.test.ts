// From base64 to arrays and back, against the encoder of the tests and against zlib.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { fromBase64, gunzip, unpack, unpackNow } from '../../src/blob';
import { decode } from '../../src/decode';
import { encode } from '../fixture/encode';
import { random } from '../fixture/random';

const SEED = 20261121;

test('what is encoded is decoded again: planes, differences, beyond 32 bits', () => {
    const next = random(SEED);
    const wide = Array.from({ length: 1000 }, () => Math.floor(next() * 2 ** 52));
    const narrow = Array.from({ length: 1000 }, () => Math.floor(next() * 2 ** 32));
    const { arrays, base64 } = encode([
        { name: 'wide', values: wide, planes: 7 },
        { name: 'narrow', values: narrow, planes: 4 },
        { name: 'steps', values: narrow, planes: 5, isDelta: true },
        { name: 'wideSteps', values: wide, planes: 7, isDelta: true },
        { name: 'none', values: [], planes: 3 },
    ]);
    const decoded = decode(unpackNow(base64), arrays);
    assert.deepEqual([...decoded.get('wide')!], wide, `seed ${SEED}`);
    assert.deepEqual([...decoded.get('narrow')!], narrow);
    assert.deepEqual([...decoded.get('steps')!], narrow);
    assert.deepEqual([...decoded.get('wideSteps')!], wide);
    assert.equal(decoded.get('none')!.length, 0);
});

test('the bytes of an array are laid out as dense.rs says', () => {
    // Two planes of 1 and 515 (0x0203), then the zigzag codes 2 and 3 of the differences +1 and -2.
    const bytes = Uint8Array.of(1, 3, 0, 2, 2, 3);
    const arrays = decode(bytes, [
        { name: 'a', length: 2, planes: 2, is_delta: false },
        { name: 'b', length: 2, planes: 1, is_delta: true },
    ]);
    assert.deepEqual([...arrays.get('a')!], [1, 515]);
    assert.deepEqual([...arrays.get('b')!], [1, -1]);
});

test('a blob that is too short is refused with words', () => {
    const specs = [{ name: 'a', length: 3, planes: 2, is_delta: false }];
    assert.throws(() => decode(new Uint8Array(5), specs), /5 bytes where 6 are announced/);
});

test('unpacking gives what zlib packed: stored, fixed and dynamic codes', () => {
    const next = random(SEED);
    const noise = Buffer.from(Array.from({ length: 70_000 }, () => Math.floor(next() * 256)));
    const words = Buffer.from(Array.from({ length: 9000 }, (_, i) => `io ${i % 37} `).join(''));
    for (const data of [Buffer.alloc(0), Buffer.from('a'), noise, words, Buffer.alloc(200_000)]) {
        for (const level of [0, 1, 6, 9]) {
            assert.ok(Buffer.from(gunzip(gzipSync(data, { level }))).equals(data), `level ${level}`);
        }
        // The strategy 4 uses fixed codes only.
        assert.ok(Buffer.from(gunzip(gzipSync(data, { strategy: 4 }))).equals(data), 'fixed codes');
    }
});

test('damaged data are refused, whatever the damage', async () => {
    const whole = gzipSync(Buffer.from('response times '.repeat(400)));
    assert.throws(() => gunzip(whole.subarray(0, 30)), /damaged/);
    assert.throws(() => gunzip(Buffer.from('not gzip at all, but long enough')), /damaged/);
    assert.throws(() => gunzip(deflateRawSync(Buffer.alloc(500))), /damaged/);
    const huge = Buffer.from(whole);
    huge.writeUInt32LE(0xffffffff, huge.length - 4);
    assert.ok(gunzip(huge).length <= 1032 * huge.length, 'no more room than it could fill');
    assert.throws(() => fromBase64('§§§'), /not base64/);
    await assert.rejects(unpack(whole.subarray(0, 40).toString('base64')), /damaged/);
    const next = random(SEED);
    for (let i = 0; i < 300; i++) {
        const torn = Buffer.from(whole);
        torn[10 + Math.floor(next() * (torn.length - 10))] ^= 1 << Math.floor(next() * 8);
        // It may come out wrong or be refused, but it ends.
        try {
            gunzip(torn);
        } catch (error) {
            assert.ok(error instanceof Error && error.message.length > 10);
        }
    }
});
