// Several results, hundreds of traces, ten million IOs.

import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { comparison, run } from '../fixture/documents';
import { html, shell } from '../fixture/html';
import type { Wish } from '../fixture/traces';
import { close, drawn, launch, open, plain, plotBox, settled, shot, show, tipText } from './chrome';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const wish = (id: string, ios: number, more: Partial<Wish> = {}): Wish => ({ id, ios, seed: 7, ...more });

test('two results are overlaid, and a switch takes one away', async () => {
    const results = [run('rig:mtron', 1, [wish('rw-32k', 1200), wish('sw-32k', 60_000)]),
        run('rig:samsung', 1.8, [wish('rw-32k', 1000, { seed: 9 }), wish('sw-32k', 60_000, { seed: 3 })])];
    const { blocks } = results[0].document.sections[3];
    blocks.splice(blocks.findIndex((block) => 'id' in block && block.id === 'locality'), 1);
    const opened = await open(browser, html([...results, comparison(['rig:mtron', 'rig:samsung'])]));
    const { page } = opened;
    await settled(page);
    await shot(page, 'compare');
    assert.equal(await page.$eval('#content h2', (e) => e.textContent), 'What differs');
    await show(page, 'granularity');
    await shot(page, 'overlay');
    const legend = () => page.$eval('#granularity .legend', (e) => (e as HTMLElement).innerText);
    assert.match(await legend(), /rig:mtron: SR[^]*rig:samsung: SR/);
    const own = await page.$eval('#locality .legend', (e) => (e as HTMLElement).innerText);
    assert.equal(own.trim(), 'rig:samsung', 'what one result alone has says whose it is');
    await show(page, 'rw-32k');
    await shot(page, 'overlay-trace');
    await show(page, 'sw-32k');
    await shot(page, 'overlay-dense');
    await page.$eval('.results button', (e) => (e as HTMLElement).click());
    await settled(page);
    assert.doesNotMatch(await legend(), /rig:mtron: SR/);
    assert.equal(await page.$$eval('#key-characteristics tbody tr', (all) => all.length), 4);
    await page.evaluate(() => { location.hash = '#traces'; });
    await settled(page);
    assert.doesNotMatch(
        await legend(),
        /rig:mtron: SR/,
        'a link within the page leaves the results as they are',
    );
    await shot(page, 'overlay-one');
    assert.deepEqual(opened.errors, []);
    await close(opened);
});

test('hundreds of traces are a list to search and step through, and one is unpacked', async () => {
    const wishes = Array.from({ length: 300 }, (_, i) => wish(`pattern-${i}-rw`, 300 + i, { seed: i }));
    const opened = await open(browser, html([run('rig:mtron', 1, wishes)]), '#pattern-123-rw?x=10,90');
    const { page } = opened;
    await drawn(page, 'pattern-123-rw');
    await shot(page, 'picker');
    assert.equal(await page.$$eval('.figure[id^="pattern-"]', (all) => all.length), 1);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('/');
    await page.keyboard.type('pattern-29');
    assert.equal(plain(await page.$eval('.found', (e) => e.textContent ?? '')), '11 of 300 traces');
    await page.keyboard.press('ArrowDown');
    await drawn(page, 'pattern-29-rw');
    await page.keyboard.press('ArrowDown');
    await drawn(page, 'pattern-290-rw');
    await shot(page, 'picker-search');
    assert.deepEqual(opened.errors, []);
    await close(opened);
});

test('a million IOs are a density picture with their extremes', async () => {
    const opened = await open(browser, html([run('rig:mtron', 1, [wish('dense', 400_000, { ops: 2 })])]));
    const { page } = opened;
    await show(page, 'dense');
    await shot(page, 'density');
    await page.click('[data-theme-choice="dark"]');
    await settled(page);
    await show(page, 'dense');
    await shot(page, 'density-dark');
    await page.focus('#dense .plot');
    await page.keyboard.press('n');
    assert.match(await tipText(page, 'dense'), /IO [\d,]+\nresponse time/);
    await page.keyboard.press('l');
    await settled(page);
    await shot(page, 'density-linear');
    assert.deepEqual(opened.errors, []);
    await close(opened);
});

/** Milliseconds from a change of range to the end of drawing, as the page itself measures. */
async function redraws(
    page: Page,
    id: string,
    keys: readonly ('+' | 'ArrowRight' | '-' | '0')[],
): Promise<number[]> {
    await page.focus(`[id="${id}"] .plot`);
    await page.evaluate(() => performance.clearMeasures('flashscope:redraw'));
    for (const key of keys) {
        await page.keyboard.press(key);
        await settled(page);
    }
    return page.evaluate(() =>
        performance.getEntriesByName('flashscope:redraw').map((entry) => entry.duration),
    );
}

test('ten million IOs: first paint within 0.7 s, a chart within 1 s, zoom within 0.1 s', async () => {
    const made = run('rig:mtron', 1, [
        wish('ten-million', 10_000_000, { columnIos: 200, ops: 2, group: 'g' }),
    ]);
    const traces = made.document.sections.filter(({ id }) => id === 'traces');
    const others = made.document.sections.filter(({ id }) => id !== 'traces');
    const page1 = { ...made, document: { ...made.document, sections: [...traces, ...others] } };
    const text = html([page1]);
    process.stdout.write(`# file: ${(text.length / 1e6).toFixed(2)} MB\n`);
    assert.ok(text.length < 6e6, `${text.length} bytes`);
    const opened = await open(browser, text);
    const { page } = opened;
    await drawn(page, 'ten-million');
    const first = await page.evaluate(
        () => performance.getEntriesByName('flashscope:first-chart')[0].startTime,
    );
    const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
    );
    await shot(page, 'ten-million');
    const keys = [
        '+',
        '+',
        '+',
        'ArrowRight',
        'ArrowRight',
        '-',
        '0',
        '+',
        '+',
        '+',
        '+',
        '+',
        '+',
        '+',
        '0',
    ] as const;
    const times = await redraws(page, 'ten-million', keys);
    const worst = Math.max(...times);
    const mean = times.reduce((a, b) => a + b, 0) / times.length;
    process.stdout.write(
        `# first paint after ${paint.toFixed(0)} ms, first chart after ${first.toFixed(0)} ms; ` +
            `${times.length} redraws, ${mean.toFixed(1)} ms on average, ${worst.toFixed(1)} ms at worst\n`,
    );
    assert.equal(times.length, keys.length);
    // A machine under test is seldom alone: three times what is promised.
    assert.ok(paint < 2100, `first paint after ${paint} ms`);
    assert.ok(first < 3000, `first chart after ${first} ms`);
    assert.ok(worst < 300, `a redraw took ${worst} ms`);
    await inHead(page);
    assert.deepEqual(opened.errors, []);
    await close(opened);
});

/** The first IOs are shown one by one, and the slowest of a column exactly. */
async function inHead(page: Page): Promise<void> {
    await page.evaluate(() => { location.hash = '#ten-million?x=0,3000'; });
    await settled(page);
    await settled(page);
    await shot(page, 'ten-million-head');
    await page.evaluate(() => { location.hash = '#ten-million?x=5000000,5020000'; });
    await settled(page);
    const box = await plotBox(page, 'ten-million');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 60);
    await settled(page);
    await shot(page, 'ten-million-columns');
    await page.keyboard.press('n');
    assert.match(
        plain(await tipText(page, 'ten-million')),
        /IO 5,0\d\d,\d\d\d\nresponse time[^]*slowest of\nIOs 5,0/,
    );
}

test('a site adds its results and starts', async () => {
    const { document, blobs } = run('rig:mtron', 1, [wish('rw-32k', 500)]);
    const data = JSON.stringify({ document, blobs }).replace(/</g, '\\u003c');
    const text = shell('').replace(
        '</body>',
        `<script>flashscope.add(${data});flashscope.start();</script></body>`,
    );
    const opened = await open(browser, text);
    await show(opened.page, 'rw-32k');
    assert.equal(await opened.page.$eval('h1', (e) => e.textContent), 'rig:mtron');
    assert.deepEqual(opened.errors, []);
    await close(opened);
});
