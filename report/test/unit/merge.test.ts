// Overlaying, and the traces in memory.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { checked } from '../../src/check';
import { decode } from '../../src/decode';
import { unpackNow } from '../../src/blob';
import type { Block, Document } from '../../src/document';
import { merge } from '../../src/merge';
import { TraceData } from '../../src/trace/data';
import { makeTrace } from '../fixture/traces';

const text = (words: string): Block => ({ block: 'text', text: words });
const table = (id: string): Block => ({ block: 'table', id, title: id, caption: '', columns: [], rows: [] });
const doc = (...blocks: Block[]): Document => ({
    version: 1,
    kind: 'run',
    title: '',
    subtitle: '',
    flashscope_version: '',
    sections: [{ id: 's', title: 'S', blocks }],
});
const merged = (...documents: Document[]) =>
    merge(documents.map((document, result) => ({ result, document })))[0].blocks.map(
        ({ kind, id, parts }) => `${id ?? kind}:${parts.map(({ result }) => result).join('+')}`,
    );

test('blocks of one id become one, in the order of the first that has them', () => {
    assert.deepEqual(merged(doc(table('a'), table('b')), doc(table('b'), table('a'))), ['a:0+1', 'b:0+1']);
    assert.deepEqual(merged(doc(table('a'), table('c')), doc(table('a'), table('b'), table('c'))), [
        'a:0+1',
        'b:1',
        'c:0+1',
    ]);
});

test('blocks without an id are matched by kind and place', () => {
    assert.deepEqual(merged(doc(text('x'), table('a'), text('y')), doc(text('x'), table('a'))), [
        'text:0+1',
        'a:0+1',
        'text:0',
    ]);
    assert.deepEqual(merged(doc(text('x')), doc(text('x'), text('y'))), ['text:0+1', 'text:1']);
});

test('a document with one id twice loses nothing', () => {
    assert.deepEqual(merged(doc(table('a'), table('a')), doc(table('a'))), ['a:0+1', 'a:0']);
});

test('sections that only one document has are kept', () => {
    const other = { ...doc(text('z')), sections: [{ id: 't', title: 'T', blocks: [] }] };
    const ids = merge([{ result: 0, document: doc() }, { result: 1, document: other }]).map(({ id }) => id);
    assert.deepEqual(ids, ['s', 't']);
});

test('anything at all can be checked', () => {
    for (const raw of [
        null,
        7,
        'x',
        [],
        {},
        { sections: 3 },
        { sections: [null, { blocks: [null, { block: 5 }] }] },
    ]) {
        const document = checked(raw);
        assert.ok(Array.isArray(document.sections));
        assert.ok(document.problems.length > 0);
    }
    assert.deepEqual(checked(doc()).problems, []);
});

const load = (made: ReturnType<typeof makeTrace>) =>
    new TraceData(made.block, decode(unpackNow(made.base64), made.block.arrays));

test('a trace knows its IOs, times and sums: every IO, and columns', () => {
    for (const columnIos of [1, 64]) {
        const made = makeTrace({ id: 't', ios: 5000, seed: 3, columnIos, headIos: 100 });
        const data = load(made);
        assert.equal(data.ios, 5000);
        assert.equal(data.problem, null);
        assert.deepEqual(data.extent(), [Math.min(...made.response), Math.max(...made.response)]);
        const sum = (n: number) => made.response.subarray(0, n).reduce((a, b) => a + b, 0);
        for (const n of [0, 1, 50, 99, 64 * 40, 5000]) {
            const far = Math.abs(data.sumTo(n) - sum(n)) / Math.max(1, sum(n));
            assert.ok(far < (columnIos === 1 ? 1e-12 : 1e-6), `${columnIos}: sum to ${n} is off by ${far}`);
        }
        assert.equal(data.exactFrom(99), 99);
        assert.equal(data.exactFrom(150), columnIos === 1 ? 150 : 192);
        for (const n of [0, 64 * 17, 64 * 40]) {
            assert.equal(data.timeOf(n), made.submit[n]);
            assert.equal(data.ioAt(made.submit[n]), n);
        }
    }
});

test('times and IO numbers of columns go there and back', () => {
    const data = load(makeTrace({ id: 't', ios: 1000, seed: 3, columnIos: 64 }));
    for (let io = 0; io < 1000; io += 7) assert.ok(Math.abs(data.ioAt(data.timeOf(io)) - io) <= 1, `${io}`);
});

test('a trace without an array it needs is refused by name', () => {
    const made = makeTrace({ id: 't', ios: 10, seed: 3 });
    const arrays = decode(unpackNow(made.base64), made.block.arrays);
    arrays.delete('response_ns');
    assert.throws(() => new TraceData(made.block, arrays), /"response_ns" is missing/);
});
