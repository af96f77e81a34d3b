// Axes, ticks and numbers with units.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import {
    nines,
    padded,
    percentile,
    shifted,
    sound,
    ticks,
    toPx,
    toValue,
    zoomed,
    type Mapping,
    type Range,
} from '../../src/scale';
import { followed } from '../../src/touch';
import { random } from '../fixture/random';

const plain = (text: string): string => text.replace(/\u00a0/g, ' ');
const axis = (min: number, max: number, isLog = false): Mapping => ({ min, max, isLog, from: 0, to: 1000 });
const labels = (m: Mapping, unit: string, target: number, isBase2 = unit === 'bytes'): string[] =>
    ticks(m, { unit, isBase2 }, target).map(({ label }) => plain(label)).filter((label) => label !== '');

test('places along an axis go there and back', () => {
    for (const m of [axis(0, 50), axis(3, 4e9, true), { ...axis(1, 9), from: 300, to: 20 }]) {
        for (const value of [m.min, (m.min + m.max) / 2, m.max]) {
            assert.ok(
                Math.abs(toValue(m, toPx(m, value)) / (value || 1) - (value ? 1 : 0)) < 1e-9,
                `${value}`,
            );
        }
    }
});

test('ticks are round and carry their unit', () => {
    assert.deepEqual(labels(axis(0, 27e6), 'ns', 6), ['0 ms', '5 ms', '10 ms', '15 ms', '20 ms', '25 ms']);
    assert.deepEqual(labels(axis(1e5, 1e8, true), 'ns', 4), ['100 µs', '1 ms', '10 ms', '100 ms']);
    assert.deepEqual(labels(axis(512, 524288, true), 'bytes', 4), ['512 B', '4 KiB', '32 KiB', '256 KiB']);
    assert.deepEqual(labels(axis(0, 4), 'IOs', 20), ['0', '1', '2', '3', '4']);
    assert.deepEqual(labels(axis(0, 2300), 'IOs', 3), ['0', '1,000', '2,000']);
    assert.deepEqual(labels(axis(0.25, 0.75), '%', 3), ['0.4 %', '0.6 %']);
});

test('sizes and depths are divided at powers of two', () => {
    assert.deepEqual(labels(axis(1, 32, true), '', 8, true), ['1', '2', '4', '8', '16', '32']);
    assert.deepEqual(labels(axis(0.9, 270, true), '', 5, true), ['1', '4', '16', '64', '256']);
});

test('percentiles are divided at nines', () => {
    const seen = labels(axis(0, nines(0.9995)), 'percentile', 8);
    assert.deepEqual(seen, ['0', 'p50', 'p90', 'p99', 'p99.9']);
    assert.deepEqual([0.5, 0.9, 0.95, 0.999, 0.9987].map((share) => percentile(nines(share))),
        ['p50', 'p90', 'p95', 'p99.9', 'p99.9']);
    assert.ok(labels(axis(2.1, 2.9), 'percentile', 8).length >= 3);
});

test('a log axis of less than a decade still has numbers', () => {
    assert.ok(labels(axis(2.1e6, 4.9e6, true), 'ns', 5).length >= 3);
});

test('any range can be drawn', () => {
    for (const range of [
        [0, 0],
        [5, 5],
        [-3, -3],
        [NaN, 1],
        [Infinity, -Infinity],
        [7, 2],
    ] as [number, number][]) {
        for (const isLog of [false, true]) {
            for (const made of [sound(range, isLog), padded(range, isLog)]) {
                assert.ok(
                    made[0] < made[1] && Number.isFinite(made[0] + made[1]),
                    `${range} ${isLog}: ${made}`,
                );
                assert.ok(!isLog || made[0] > 0);
            }
        }
    }
});

test('zoom keeps its centre, and a shift its width', () => {
    assert.deepEqual(zoomed([0, 100], false, 0.25, 0.5), [12.5, 62.5]);
    const [a, b] = zoomed([1, 10_000], true, 0.5, 0.5);
    assert.ok(Math.abs(a - 10) < 1e-9 && Math.abs(b - 1000) < 1e-9);
    assert.deepEqual(shifted([0, 10], false, 0.1), [1, 11]);
    assert.deepEqual(shifted([1, 100], true, 0.5), [10, 1000]);
});

test('what is under fingers stays under them, on both kinds of axis', () => {
    const next = random(4);
    for (let i = 0; i < 200; i++) {
        const isLog = i % 2 === 0;
        const range: Range = [1 + next() * 10, 100 + next() * 1000];
        const at = ([min, max]: Range, share: number) =>
            isLog ? min * (max / min) ** share : min + (max - min) * share;
        const before = [next() * 0.4, 0.6 + next() * 0.4].slice(0, 1 + (i % 3 === 0 ? 0 : 1));
        const now = before.length > 1 ? [next() * 0.4, 0.6 + next() * 0.4] : [next()];
        const moved = followed(range, isLog, before, now);
        before.forEach((share, k) => {
            const [value, there] = [at(range, share), at(moved, now[k])];
            assert.ok(Math.abs(value - there) < 1e-9 * Math.abs(value) + 1e-6, `${value} ${there}, seed 4`);
        });
    }
});
