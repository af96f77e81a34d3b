// What a reader sees, measured: the first screen, that nothing is cut at any width or on paper, and axe-core.
// FLASHSCOPE_PAGES may name pages that the program made, which are held to the same.

import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { run } from '../fixture/documents';
import { html } from '../fixture/html';
import { close, drawn, launch, open, plain, plotBox, settled, shot, tipText } from './chrome';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const made = html([run('rig:mtron', 1, [{ id: 'rw-32k', ios: 2304, seed: 1, ops: 2 }], true)]);
const files = (process.env.FLASHSCOPE_PAGES ?? '').split(':').filter((name) => name !== '');
const pages: [string, string][] = [
    ['fixture', made],
    ...files.map((file): [string, string] => [basename(file), readFileSync(file, 'utf8')]),
];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** From the top of the page, in pixels. */
const bottom = (page: Page, what: string) =>
    page.$eval(what, (element) => element.getBoundingClientRect().bottom + scrollY);

/** Words that reach beyond the window or their own box, where no bar scrolls to them. */
const cut = (page: Page) => page.evaluate(() => {
    const isScrolled = (element: Element) => element.closest('.scroll, nav, .chooser') !== null;
    const isSeen = (element: HTMLElement) =>
        element.checkVisibility() && !element.closest('.hidden-words, .skip');
    const all = [...document.querySelectorAll<HTMLElement>('main *')].filter((element) => isSeen(element)
        && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim() !== ''));
    const width = document.documentElement.clientWidth;
    const isCut = (element: HTMLElement) => {
        const { left, right } = element.getBoundingClientRect();
        return left < -1 || right > width + 1 || element.scrollWidth > element.clientWidth + 2;
    };
    const inline = (element: HTMLElement) => getComputedStyle(element).display === 'inline';
    const found = all.filter((element) => !isScrolled(element) && !inline(element) && isCut(element));
    return found.map((element) => `${element.tagName} ${element.className}: ${element.textContent}`);
});

for (const [name, source] of pages) {
    test(`${name}: numbers and a chart are on the first screen`, async () => {
        const opened = await open(browser, source, '', 1400, 900);
        const { page } = opened;
        await page.waitForSelector('.summary figure canvas');
        await settled(page);
        await shot(page, `screen-${name}`);
        const figure = '.summary figure .plot';
        // Of several results a row of tiles each; designs of a sweep are points and have none.
        const tiles = await page.$$eval('.summary .tile', (all) => all.map((tile) => ({
            bottom: tile.getBoundingClientRect().bottom, value: tile.querySelector('.big')!.textContent })));
        assert.ok(tiles.every(({ bottom: end }) => end < 900), JSON.stringify(tiles));
        assert.ok(tiles.every(({ value }) => /^[\d.,]+/.test(value ?? '')), JSON.stringify(tiles));
        let stops = 0;
        const isThere = () => page.evaluate(() => document.activeElement!.matches('.figure .plot'));
        while (stops < 20 && !(await isThere())) {
            await page.keyboard.press('Tab');
            stops += 1;
        }
        // With several results there are switches and their differences before it.
        const results = await page.$$eval('.results button', (all) => all.length);
        const end = await bottom(page, figure);
        assert.ok(results > 0 || end <= 900, `the chart ends at ${end}`);
        assert.ok(results > 0 || stops <= 10, `the first chart is at stop ${stops}`);
        assert.ok(source.length <= 6e6, `${source.length} bytes`);
        await close(opened);
    });

    for (const width of [1400, 800, 390]) {
        test(`${name}: nothing is cut at ${width} px`, async () => {
            const opened = await open(browser, source, '', width, 900);
            await settled(opened.page);
            const wide = await opened.page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `the page is ${wide} px wide`);
            assert.deepEqual(await cut(opened.page), []);
            await shot(opened.page, `screen-${name}-${width}`);
            await close(opened);
        });
    }

    test(`${name}: nothing is cut on paper`, async () => {
        // A4 between its margins.
        const opened = await open(browser, source, '', 703, 1000);
        const { page } = opened;
        await page.emulateMediaType('print');
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        await settled(page);
        const beyond = await page.$$eval('main table, main canvas, main .tile, main li', (all) => all
            .filter((element) => element.getBoundingClientRect().right > 704)
            .map((element) => `${element.tagName} to ${element.getBoundingClientRect().right}: `
                + element.textContent!.slice(0, 60)));
        assert.deepEqual(beyond, []);
        assert.deepEqual(await cut(page), []);
        await close(opened);
    });

    for (const scheme of ['light', 'dark']) {
        test(`${name}: axe-core finds nothing in ${scheme}`, async () => {
            const opened = await open(browser, source, '', 1400, 900);
            const { page } = opened;
            await page.click(`[data-theme-choice="${scheme}"]`);
            await settled(page);
            await page.evaluate(axe);
            const found = await page.evaluate(async () => {
                const { axe: core } = window as never as { axe: typeof import('axe-core') };
                const places = (nodes: { html: string }[]) => nodes.slice(0, 3).map(({ html: at }) => at);
                const { violations } = await core.run();
                return violations.map(({ id, nodes }) => `${id}: ${places(nodes).join(' ')}`);
            });
            assert.deepEqual(found, []);
            await close(opened);
        });
    }
}

test('the pointer snaps to the nearest point, wherever it is', async () => {
    const opened = await open(browser, made, '', 1400, 900);
    const { page } = opened;
    await drawn(page, 'latency');
    const box = await plotBox(page, 'latency');
    const seen = new Set<string>();
    for (const share of [0.05, 0.5, 0.95]) {
        await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.5);
        await settled(page);
        const text = plain(await tipText(page, 'latency'));
        assert.match(text, /(read|write) \(SR\)\s+p\d/, `at ${share}`);
        seen.add(text);
    }
    assert.equal(seen.size, 3, 'each place has its own');
    await shot(page, 'screen-hover');
    await close(opened);
});
