// CSV, SVG and links, read back.

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { csv } from '../../src/export/csv';
import { DOTS_MAX, SvgPen } from '../../src/export/svg';
import { fromHash, toHash, type Place } from '../../src/view';

test('CSV quotes what it must and nothing else', () => {
    const text = csv(
        ['a', 'b [ns]'],
        [
            ['plain', 1.5],
            ['with, comma', null],
            ['says "so"', 0],
            ['two\nlines', undefined],
        ],
    );
    assert.equal(text, 'a,b [ns]\r\nplain,1.5\r\n"with, comma",\r\n"says ""so""",0\r\n"two\nlines",\r\n');
});

test('SVG holds lines, dots and words as vectors, and is well formed', () => {
    const pen = new SvgPen(100, 50);
    pen.clipped(0, 0, 100, 50, () => {
        pen.line([0, 0, 10.123456, 20], { colour: '#123456', dash: [2, 1], opacity: 0.5 });
        pen.dots('circle', [5, 5, 15, 5], 2, '#000000');
        pen.dots('triangle', [5, 5], 2, '#000000', '#ffffff');
    });
    pen.text(1, 2, 'a < b & "c"', { colour: '#000000', align: 'right' });
    const text = pen.finish('one & two');
    assert.match(text, /M0 0L10.12 20/);
    assert.match(text, /stroke-dasharray="2 1" stroke-opacity="0.5"/);
    assert.equal(text.match(/a2 2 0 1 0/g)?.length, 4);
    assert.match(text, /a &lt; b &amp; &quot;c&quot;/);
    const opened = text.match(/<[a-z]\w*[^>]*[^/]>/gi)!.length;
    assert.equal(opened, text.match(/<\/\w+>/g)!.length);
    assert.ok(DOTS_MAX >= 8000, 'all dots of a picture that is not dense stay vectors');
});

test('a link holds the view, and reading it gives the view again', () => {
    const place: Place = { id: 'rw 32k/ä', off: [1],
        view: { x: [0, 1234.5], y: [1e5, 2.5e8], flags: { ylog: false, time: true, average: false } } };
    const hash = toHash(place);
    assert.deepEqual(fromHash(hash), place);
    assert.equal(toHash({ id: 'a', off: null, view: { x: null, y: null, flags: {} } }), '#a');
});

test('a link that makes no sense opens what it can', () => {
    assert.equal(fromHash(''), null);
    assert.equal(fromHash('#'), null);
    const view = { x: null, y: null, flags: {} };
    assert.deepEqual(fromHash('#a?x=9,1&y=foo&off=b'), { id: 'a', off: [], view });
    assert.deepEqual(fromHash('#a'), { id: 'a', off: null, view });
    assert.deepEqual(fromHash('#%E0%A4%A?x=1'), { id: '%E0%A4%A', off: null, view });
});
