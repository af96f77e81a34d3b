// Numbers with units: the table that the Rust side is tested with, and what only the page needs.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import pairs from '../../../crates/core/src/number/pairs.json';
import { count, exact, format, interval } from '../../src/units';

const plain = (text: string): string => text.replace(/\u00a0/g, ' ');

test('the page writes numbers as the terminal does', () => {
    for (const [value, unit, text] of pairs.numbers as [number, string, string][]) {
        assert.equal(plain(format(value, unit)), text, `${value} ${unit}`);
    }
    for (const [, ends, unit, text] of pairs.intervals as [number, [number, number], string, string][]) {
        const [value, expected] = text.slice(0, -1).split(' (');
        assert.equal(interval(ends, unit, value), expected, text);
    }
    assert.ok(pairs.numbers.length > 40 && pairs.intervals.length > 5);
});

test('what is no number is a dash', () => {
    assert.equal(format(NaN, 'ns'), '–');
    assert.equal(exact(Infinity, 'bytes', 5), '–');
});

test('under the pointer a number has more digits and no zeros that say nothing', () => {
    assert.equal(plain(exact(1234567, 'ns', 7)), '1.234567 ms');
    assert.equal(plain(exact(9e6, 'ns', 7)), '9 ms');
    assert.equal(plain(exact(12.5, '%', 5)), '12.5 %');
    assert.equal(count(9876543), '9,876,543');
});

test('an interval is in the unit of its value, with the digits that tell its ends apart', () => {
    assert.equal(interval([0.39981, 0.40042], 'ms', '400 µs'), '399.8–400.4');
    assert.equal(interval([0.0567, 0.0867], 'ms', '68.1\u00a0µs'), '57–87');
    assert.equal(interval([8, 16], 'MiB', '8 MiB (x2)'), '8–16');
    assert.equal(interval([0.9992, 1.0008], '', 'x1.00'), '0.9992–1.0008');
    assert.equal(interval([5, 5], 'ms', '5.00 ms'), '');
});
