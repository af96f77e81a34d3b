// Charts of different results are put in one picture only where their axes mean the same.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Axis, ChartBlock } from '../../src/document';
import { overlays, type ChartPart } from '../../src/overlay';

const axis = (unit: string, scale: Axis['scale'], labels: string[] = []): Axis => ({
    label: 'x',
    unit,
    scale,
    labels,
});

function part(result: number, x: Axis, xs: number[], y = axis('ns', 'linear')): ChartPart {
    const points = xs.map((at) => ({ x: at, y: at * 10 }));
    const block: ChartBlock = { block: 'chart', id: 'c', title: '', caption: '', x, y, group: null,
        series: [{ name: 's', look: 'line', points }] };
    return { result, block };
}

const places = (one: ChartPart) => one.block.series[0].points.map(({ x }) => x);
const named = (one: ChartPart) => places(one).map((x) => one.block.x.labels[x]);

test('a place keeps its label where other results have other places', () => {
    const [set] = overlays([part(0, axis('', 'category', ['-1', '0', '1', '2']), [0, 1, 2, 3]),
        part(1, axis('', 'category', ['-1', '0', '32']), [0, 1, 2])]);
    assert.deepEqual(set[0].block.x.labels, ['-1', '0', '1', '2', '32']);
    assert.deepEqual(set[1].block.x.labels, set[0].block.x.labels);
    assert.deepEqual(set.map(named), [['-1', '0', '1', '2'], ['-1', '0', '32']]);
    assert.deepEqual(set[1].block.series[0].points[2], { x: 4, y: 20 });
});

test('words keep the order of the first result', () => {
    const [set] = overlays([part(0, axis('', 'category', ['SR', 'RW']), [0, 1]),
        part(1, axis('', 'category', ['RW', 'SW']), [0, 1])]);
    assert.deepEqual(set[0].block.x.labels, ['SR', 'RW', 'SW']);
    assert.deepEqual(named(set[1]), ['RW', 'SW']);
});

test('places called by numbers go to their place on the scale of another result', () => {
    const sets = overlays([
        part(0, axis('', 'log'), [1, 2, 4, 8]),
        part(1, axis('', 'category', ['1', '8']), [0, 1]),
    ]);
    assert.equal(sets.length, 1);
    assert.deepEqual(places(sets[0][1]), [1, 8]);
    assert.equal(sets[0][1].block.x.scale, 'log');
});

test('axes that mean different things stay apart', () => {
    const scaled = part(0, axis('', 'log'), [1, 2]);
    assert.equal(overlays([scaled, part(1, axis('', 'category', ['SR']), [0])]).length, 2);
    assert.equal(overlays([scaled, part(1, axis('bytes', 'log'), [512])]).length, 2);
    assert.equal(overlays([scaled, part(1, axis('', 'log'), [1], axis('%', 'linear'))]).length, 2);
});
