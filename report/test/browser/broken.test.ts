// Whatever is wrong with the input, the page says what and shows the rest.

import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import type { TraceBlock } from '../../src/document';
import { run, type MadeResult } from '../fixture/documents';
import { html, shell } from '../fixture/html';
import { close, drawn, launch, open, plain, settled, shot, show } from './chrome';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const made = (ios: number, more = {}): MadeResult =>
    run('rig:mtron', 1, [{ id: 'rw', ios, seed: 1, ...more }]);
const traceOf = ({ document }: MadeResult): TraceBlock => document.sections[5].blocks[0] as TraceBlock;

/** The words of the page, once all of it was in sight. */
async function words(
    text: string,
    name: string,
    id: string | null = 'rw',
): Promise<{ text: string; errors: string[] }> {
    const opened = await open(browser, text);
    const { page } = opened;
    if (id) await page.$eval(`[id="${id}"]`, (element) => element.scrollIntoView());
    await new Promise((done) => setTimeout(done, 300));
    await settled(page);
    await shot(page, `broken-${name}`);
    const all = plain(await page.$eval('body', (body) => body.innerText));
    await close(opened);
    return { text: all, errors: opened.errors };
}

test('a blob that is cut short, of wrong letters, or missing', async () => {
    const whole = made(500);
    const cases: [string, Record<string, string>, RegExp][] = [
        ['cut', { rw: whole.blobs.rw.slice(0, 800) }, /cannot be shown: .*damaged/],
        ['letters', { rw: '§§ not base64 §§' }, /cannot be shown: the data are not base64/],
        ['missing', {}, /cannot be shown: its data “rw” are not in this file/],
    ];
    for (const [name, blobs, expected] of cases) {
        const { text, errors } = await words(html([{ ...whole, blobs }]), name);
        assert.match(text, expected);
        assert.match(text, /Granularity/);
        assert.deepEqual(errors, [], name);
    }
});

test('a blob with fewer bytes than announced', async () => {
    const whole = made(500);
    const trace = traceOf(whole);
    trace.arrays = trace.arrays.map((array) => ({ ...array, length: array.length * 2 }));
    assert.match(
        (await words(html([whole]), 'short')).text,
        /the data hold \d+ bytes where \d+ are announced/,
    );
});

test('fewer IOs in the file than in the run are shown, and said', async () => {
    const whole = made(500);
    traceOf(whole).ios = 900;
    assert.match(
        (await words(html([whole]), 'fewer')).text,
        /Only 500 of 900 IOs are in the file\. The rest is shown/,
    );
});

test('a document of a newer version, with a block nobody knows', async () => {
    const whole = made(500);
    whole.document.version = 7;
    whole.document.sections[0].blocks.push({ block: 'hologram', id: 'h' } as never);
    const { text } = await words(html([whole]), 'newer');
    assert.match(text, /version 7, made by a newer flashscope/);
    assert.match(text, /does not know blocks of kind “hologram”/);
    assert.match(text, /Granularity/);
});

test('an empty document, no document, and one that is none', async () => {
    const empty = { document: { ...made(1).document, sections: [] }, blobs: {} };
    assert.match((await words(html([empty]), 'empty', null)).text, /Empty result/);
    const torn =
        '<script type="application/json" data-flashscope="document" data-result="0">' +
        '{"version":1,"ti</script>';
    assert.match((await words(shell(torn), 'torn', null)).text, /cannot be read: the file is damaged/);
    const opened = await open(browser, shell(''));
    await opened.page.waitForSelector('.problem', { timeout: 10_000 });
    assert.match(await opened.page.$eval('.problem', (e) => e.textContent ?? ''), /No result loaded/);
    await close(opened);
});

test('documents that lack what they should have', async () => {
    const bare = {
        version: 1,
        title: 'bare',
        sections: [
            {
                id: 's',
                title: 'S',
                blocks: [
                    { block: 'chart', id: 'c', x: {}, y: {} },
                    { block: 'table', id: 't' },
                    { block: 'facts' },
                    { block: 'items', items: [{ text: 'x' }] },
                    { block: 'heat', id: 'h' },
                    { block: 'trace', id: 'rw' },
                    null,
                    7,
                ],
            },
        ],
    };
    const { text, errors } = await words(html([{ document: bare as never, blobs: {} }]), 'bare');
    assert.match(text, /No data to draw/);
    assert.match(text, /no rows/);
    assert.deepEqual(errors, []);
});

test('no IO, one IO, and response times that are all equal', async () => {
    for (const [name, ios, more] of [
        ['none', 0, {}],
        ['one', 1, {}],
        ['equal', 300, { isEqual: true }],
    ] as const) {
        const opened = await open(browser, html([made(ios, more)]));
        await show(opened.page, 'rw');
        for (const key of ['l', 't', 'x', '+', 'n', '0'] as const) {
            await opened.page.focus('#rw .plot');
            await opened.page.keyboard.press(key);
            await drawn(opened.page, 'rw');
        }
        await shot(opened.page, `ios-${name}`);
        const notes = plain(await opened.page.$eval('#rw .notes', (e) => e.textContent ?? ''));
        assert.match(notes, ios === 1 ? /^One IO\./ : new RegExp(`^${ios} IOs\\.`));
        if (ios === 0) assert.match(notes, /No IO to draw/);
        assert.deepEqual(opened.errors, [], name);
        await close(opened);
    }
});

test('an error of the page itself is told on top of it', async () => {
    const text = html([made(10)]).replace(
        '</body>',
        '<script>setTimeout(() => { throw new Error("oops"); })</script></body>',
    );
    const { text: said } = await words(text, 'banner');
    assert.match(said, /Error on this page: .*oops/);
});
