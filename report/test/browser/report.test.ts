// The page of one result, driven as a reader drives it.

import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { run } from '../fixture/documents';
import { html } from '../fixture/html';
import { makeTrace } from '../fixture/traces';
import { close, drawn, launch, open, plain, plotBox, settled, shot, show, tipText } from './chrome';
import type { Opened } from './chrome';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const small = run('rig:mtron', 1, [{ id: 'rw-32k', ios: 2304, seed: 1, ops: 2 }]);
const one = html([small]);

type Body = (page: Page, opened: Opened) => Promise<void>;

async function withPage(hash: string, body: Body, source = one, width = 1280) {
    const opened = await open(browser, source, hash, width);
    await body(opened.page, opened);
    assert.deepEqual(opened.errors, [], 'the page complains of nothing');
    assert.deepEqual(opened.requests, [], 'the page asks for nothing elsewhere');
    await close(opened);
}

const clickExport = (page: Page, id: string, label: string) =>
    page.$$eval(`[id="${id}"] .exports button`, (all, words) =>
        (all.find((one) => one.textContent === words) as HTMLElement).click(), label);

const pressed = (page: Page, id: string, key: string) =>
    page.$eval(`[id="${id}"] [data-key="${key}"]`, (element) => element.getAttribute('aria-pressed'));

/** What a picture shows along x, as its own link says it; none if it shows all. */
async function zoomOf(page: Page, id: string): Promise<number[] | null> {
    await show(page, id);
    await clickExport(page, id, 'Link');
    const x = /[?&]x=([^&]*)/.exec(await page.evaluate(() => location.hash));
    return x && x[1].split(',').map(Number);
}

const near = (value: number, expected: number, by: number) => Math.abs(value - expected) <= by;

test('opens and shows every kind of block', () => withPage('', async (page) => {
    await drawn(page, 'granularity');
    await shot(page, 'light');
    for (const id of ['order', 'partitions', 'locality', 'programs', 'wear', 'rw-32k']) await show(page, id);
    assert.equal(await page.$$eval('.figure canvas', (all) => all.length), 7);
    await shot(page, 'whole', true);
    await show(page, 'rw-32k');
    await shot(page, 'trace');
}));

test('a drag zooms, a double click shows all again', () => withPage('', async (page) => {
    await show(page, 'rw-32k');
    const box = await plotBox(page, 'rw-32k');
    await page.mouse.move(box.x + 100, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 55, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    await page.mouse.move(box.x + 300, box.y + 400);
    await settled(page);
    await shot(page, 'zoomed');
    assert.equal(await page.$eval('#rw-32k .reset', (e) => (e as HTMLElement).hidden), false);
    await page.mouse.click(box.x + 100, box.y + 50, { clickCount: 2 });
    await settled(page);
    assert.equal(await page.$eval('#rw-32k .reset', (e) => (e as HTMLElement).hidden), true);
}));

test('one finger pans, two zoom', () => withPage('#rw-32k?x=1000,1500', async (page) => {
    await drawn(page, 'rw-32k');
    const client = await page.createCDPSession();
    await client.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    const box = await plotBox(page, 'rw-32k');
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]) => {
        const touchPoints = shares.map((share, id) =>
            ({ id, x: box.x + box.width * share, y: box.y + box.height / 2 }));
        await client.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    await touch('touchStart', 0.5);
    for (const share of [0.6, 0.7, 0.8, 0.9]) await touch('touchMove', share);
    await touch('touchEnd');
    const [from, to] = (await zoomOf(page, 'rw-32k'))!;
    assert.ok(near(from, 800, 20) && near(to, 1300, 20), `panned to ${from} ${to}`);
    await touch('touchStart', 0.4, 0.6);
    for (const apart of [0.2, 0.3, 0.4]) await touch('touchMove', 0.5 - apart, 0.5 + apart);
    await touch('touchEnd');
    const [left, right] = (await zoomOf(page, 'rw-32k'))!;
    assert.ok(near(right - left, (to - from) / 4, 15), `zoomed to ${left} ${right}`);
    assert.ok(near((left + right) / 2, (from + to) / 2, 15), `about ${(left + right) / 2}`);
}));

test('hovering an IO says exactly which it is', () => withPage('#rw-32k?x=0,20', async (page) => {
    await drawn(page, 'rw-32k');
    const box = await plotBox(page, 'rw-32k');
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    for (let y = 0; y < box.height; y += 6) {
        await page.mouse.move(box.x + (box.width * 10) / 20, box.y + y);
        if ((await tipText(page, 'rw-32k')) !== '') break;
    }
    const text = await tipText(page, 'rw-32k');
    await shot(page, 'hover');
    const facts = ['response time', 'submitted at', 'operation', 'offset', 'length', 'stream'];
    for (const part of ['IO 10', ...facts, '32 KiB']) {
        assert.ok(text.includes(part), `"${part}" is in: ${text}`);
    }
}));

test('hovering a point of a chart gives value, interval and unit, a click goes to its IOs', () =>
    withPage('', async (page) => {
        await show(page, 'granularity');
        await page.focus('#granularity .plot');
        for (let i = 0; i < 3; i++) await page.keyboard.press('n');
        const text = await tipText(page, 'granularity');
        await shot(page, 'hover-chart');
        assert.match(text, /RW/);
        assert.match(text, /2 KiB/);
        assert.match(text, /9\.\d+ ms/);
        assert.match(text, /interval at 95 %/);
        await page.keyboard.press('Enter');
        await drawn(page, 'rw-32k');
        const top = await page.$eval('#rw-32k', (element) => element.getBoundingClientRect().top);
        assert.ok(Math.abs(top) < 900, `the trace is in sight: ${top}`);
    }));

test('works by keyboard alone', () => withPage('', async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
    await show(page, 'rw-32k');
    await page.focus('#rw-32k .plot');
    assert.equal(await pressed(page, 'rw-32k', 'ylog'), 'true');
    await page.keyboard.press('l');
    assert.equal(await pressed(page, 'rw-32k', 'ylog'), 'false');
    await page.keyboard.press('t');
    assert.equal(await pressed(page, 'rw-32k', 'time'), 'true');
    for (const key of ['+', '+', 'ArrowRight', 'ArrowRight', '-'] as const) await page.keyboard.press(key);
    await settled(page);
    await shot(page, 'keyboard');
    assert.equal(await page.$eval('#rw-32k .reset', (e) => (e as HTMLElement).hidden), false);
    await page.keyboard.press('0');
    assert.equal(await page.$eval('#rw-32k .reset', (e) => (e as HTMLElement).hidden), true);
    await page.keyboard.press('n');
    const words = await page.$eval('#rw-32k [aria-live]', (element) => element.textContent);
    assert.match(words ?? '', /IO 0, response time/);
    await page.keyboard.press('?');
    assert.equal(await page.$eval('dialog', (d) => (d as HTMLDialogElement).open), true);
    await shot(page, 'help');
    await page.keyboard.press('Escape');
}));

test('a link to a view opens the same view', () => withPage('', async (page, { folder }) => {
    await show(page, 'rw-32k');
    await page.focus('#rw-32k .plot');
    for (const key of ['+', '+', 'ArrowRight', 'l', 'ArrowUp'] as const) await page.keyboard.press(key);
    await clickExport(page, 'rw-32k', 'Link');
    const hash = await page.evaluate(() => location.hash);
    assert.match(hash, /^#rw-32k\?x=.*not=ylog/);
    const again = await browser.newPage();
    await again.setViewport({ width: 1280, height: 900 });
    await again.goto(`file://${join(folder, 'report.html')}${hash}`);
    await drawn(again, 'rw-32k');
    await clickExport(again, 'rw-32k', 'Link');
    assert.equal(await again.evaluate(() => location.hash), hash);
    await again.close();
}));

test('CSV, SVG and PNG are saved and hold what is shown', () => withPage('', async (page, { folder }) => {
    const client = await page.createCDPSession();
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    for (const id of ['granularity', 'rw-32k', 'wear']) {
        await show(page, id);
        for (const kind of ['CSV', 'SVG', 'PNG']) {
            await clickExport(page, id, kind);
            const file = join(folder, `${id}.${kind.toLowerCase()}`);
            for (let tries = 0; !existsSync(file) && tries < 100; tries++) {
                await new Promise((r) => setTimeout(r, 50));
            }
            assert.ok(existsSync(file), `${file} was saved`);
        }
    }
    const csv = readFileSync(join(folder, 'rw-32k.csv'), 'utf8').trimEnd().split('\r\n');
    assert.equal(csv[0], 'result,io,submit_ns,response_ns,op,offset_bytes,length_bytes,stream');
    assert.equal(csv.length, 2305);
    const svg = plain(readFileSync(join(folder, 'granularity.svg'), 'utf8'));
    assert.match(svg, /^<svg xmlns/);
    assert.match(svg, />32 KiB</);
    assert.doesNotMatch(svg, /<image/);
    assert.match(readFileSync(join(folder, 'wear.svg'), 'utf8'), /<image [^>]*href="data:image\/png/);
    assert.equal(readFileSync(join(folder, 'rw-32k.png')).subarray(1, 4).toString(), 'PNG');
    if (process.env.FLASHSCOPE_SHOTS) {
        const { copyFileSync } = await import('node:fs');
        for (const name of ['granularity.svg', 'granularity.png', 'rw-32k.svg', 'rw-32k.png', 'wear.svg']) {
            copyFileSync(join(folder, name), join(process.env.FLASHSCOPE_SHOTS, `saved-${name}`));
        }
    }
}));

test('a table is sorted by click and by key', () => withPage('', async (page) => {
    const first = () => page.$eval('#key-characteristics tbody th', (element) => element.textContent);
    const head = (await page.$$('#key-characteristics thead button'))[4];
    await head.click();
    assert.equal(await first(), 'Memoright 2008');
    await page.keyboard.press('Enter');
    assert.equal(await first(), 'Kingston DTI');
    const order = await page.$$eval('#key-characteristics th', (all) => all[4].getAttribute('aria-sort'));
    assert.equal(order, 'descending');
}));

test('a chart is made as wide as the page and small again', () => withPage('', async (page) => {
    await show(page, 'granularity');
    const width = () => page.$eval('#granularity canvas', (canvas) => canvas.clientWidth);
    const small = await width();
    await page.focus('#granularity .plot');
    await page.keyboard.press('w');
    await settled(page);
    await shot(page, 'larger');
    assert.ok((await width()) > 1.8 * small);
    await page.$eval('#granularity .exports button', (element) => (element as HTMLElement).click());
    await settled(page);
    assert.equal(await width(), small);
}));

test('charts of a group share their zoom', () => withPage('', async (page) => {
    await show(page, 'wear');
    await show(page, 'programs');
    await page.focus('#programs .plot');
    await page.keyboard.press('+');
    await settled(page);
    assert.equal(await page.$eval('#wear .reset', (e) => (e as HTMLElement).hidden), false);
}));

const grouped = html([run('rig:mtron', 1, [{ id: 'rw-32k', ios: 2304, seed: 1, group: 'sim' }])]);

test('a link to a stretch of time opens it in the pictures of the inside too, seen or not', () =>
    withPage('#rw-32k?on=time&x=2000000000,6000000000', async (page) => {
        await drawn(page, 'rw-32k');
        await shot(page, 'inside-linked');
        for (const id of ['programs', 'wear']) assert.deepEqual(await zoomOf(page, id), [2, 6], id);
        assert.deepEqual(await zoomOf(page, 'rw-32k'), [2e9, 6e9]);
        await page.focus('#rw-32k .plot');
        await page.keyboard.press('0');
        assert.equal(await zoomOf(page, 'programs'), null);
    }, grouped));

test('a link to some IOs opens the pictures of the inside at their time', () =>
    withPage('#rw-32k?x=300,600', async (page) => {
        await drawn(page, 'rw-32k');
        const { submit } = makeTrace({ id: 'rw-32k', ios: 2304, seed: 1, factor: 1 });
        for (const id of ['programs', 'wear']) {
            const [from, to] = (await zoomOf(page, id))!;
            const [begin, end] = [300, 600].map((io) => submit[io] / 1e9);
            assert.ok(near(from, begin, 0.03) && near(to, end, 0.03), `${id}: ${from} ${to}`);
        }
    }, grouped));

test('a link to a picture of the inside opens the IOs of that time, and a later link another', () =>
    withPage('#programs?x=3,5', async (page) => {
        await drawn(page, 'programs');
        await show(page, 'rw-32k');
        const { submit } = makeTrace({ id: 'rw-32k', ios: 2304, seed: 1, factor: 1 });
        const at = (io: number) => submit[Math.round(io)] / 1e9;
        const [from, to] = (await zoomOf(page, 'rw-32k'))!;
        assert.ok(near(at(from), 3, 0.03) && near(at(to), 5, 0.03), `${from} ${to}`);
        await page.evaluate(() => { location.hash = '#rw-32k?on=time&x=1000000000,2000000000'; });
        await settled(page);
        for (const id of ['programs', 'wear']) assert.deepEqual(await zoomOf(page, id), [1, 2], id);
    }, grouped));

test('dark, by the switch and by the system', () => withPage('', async (page) => {
    await page.click('[data-theme-choice="dark"]');
    await show(page, 'granularity');
    await shot(page, 'dark');
    await show(page, 'rw-32k');
    await shot(page, 'dark-trace');
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await paper(), 'rgb(20, 23, 27)');
    await page.click('[data-theme-choice="auto"]');
    assert.equal(await paper(), 'rgb(255, 255, 255)');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await settled(page);
    assert.equal(await paper(), 'rgb(20, 23, 27)');
    await page.click('[data-theme-choice="light"]');
    assert.equal(await paper(), 'rgb(255, 255, 255)');
    await page.reload();
    assert.equal(await paper(), 'rgb(255, 255, 255)', 'the choice is kept');
}));

test('a narrow window needs no scrolling sideways', () => withPage('', async (page) => {
    for (const id of ['granularity', 'order', 'wear', 'rw-32k']) await show(page, id);
    const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    await shot(page, 'narrow', true);
    assert.equal(width, 360);
    assert.ok(scroll <= width, `the page is ${scroll} px wide`);
}, one, 360));

test('on paper all is there, in light, without controls', () => withPage('', async (page, { folder }) => {
    await page.click('[data-theme-choice="dark"]');
    const file = join(process.env.FLASHSCOPE_SHOTS ?? folder, 'report.pdf');
    await page.pdf({ path: file as `${string}.pdf`, format: 'A4', printBackground: true });
    assert.ok(readFileSync(file).length > 50_000);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await paper(), 'rgb(255, 255, 255)', 'paper is light');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await paper(), 'rgb(20, 23, 27)', 'and the screen is dark again');
    // Pictures that were never in sight were drawn for paper.
    assert.equal(await page.$$eval('.figure canvas', (all) => all.length), 7);
}));
