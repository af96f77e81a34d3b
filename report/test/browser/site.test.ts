// A site from disk: its table sorts and filters, and two of its results are compared.

import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import type { Cell, Document } from '../../src/document';
import { comparison, run, type MadeResult } from '../fixture/documents';
import { asset } from '../fixture/html';
import { launch, settled, shot, show } from './chrome';

let browser: Browser;
let folder: string;
before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'flashscope-site-'));
    write();
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
});

const cell = (text: string, value: number | null = null, link: string | null = null): Cell =>
    ({ text, value, interval: null, link, is_marked: false });
const column = (label: string, unit = '') => ({
    label, unit, is_number: unit !== '', unit_in_heading: false,
});

function index(): Document {
    const rows = [
        ['alpha', 9.5],
        ['beta', 0.3],
        ['gamma', 2.1],
    ] as const;
    return {
        version: 1,
        kind: 'site',
        title: '3 results',
        subtitle: '',
        flashscope_version: '0.1.0',
        sections: [
            {
                id: 'results',
                title: 'Results',
                blocks: [
                    {
                        block: 'table',
                        id: 'results-table',
                        title: 'Key characteristics',
                        caption: '',
                        columns: [column('device'), column('RW', 'ms')],
                        rows: rows.map(([name, rw]) => [
                            cell(`rig:${name}`, null, `results/${name}.html`),
                            cell(String(rw), rw),
                        ]),
                    },
                ],
            },
        ],
    };
}

const add = ({ document, blobs }: MadeResult): string =>
    `flashscope.add(${JSON.stringify({ document, blobs })});`;

/** As the Rust side writes it. */
function write(): void {
    for (const name of ['assets', 'data', 'pairs', 'results']) mkdirSync(join(folder, name));
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
    for (const name of ['report.js', 'report.css']) put(`assets/${name}`, asset(name));
    for (const name of ['alpha', 'beta', 'gamma']) {
        put(`data/${name}.js`, add(run(`rig:${name}`, 1, [{ id: 'rw-32k', ios: 800, seed: name.length }])));
        put(`results/${name}.html`, page('../', '', [`data/${name}.js`], 'flashscope.start()'));
    }
    put('pairs/alpha--gamma.js', add(comparison(['rig:alpha', 'rig:gamma'])));
    const data =
        `<script type="application/json" data-flashscope="document" data-result="0">` +
        `${JSON.stringify(index())}</script>`;
    put('index.html', page('', data, [], ''));
    put('compare.html', page('', '', [], 'flashscope.compare()'));
}

function page(up: string, inside: string, data: string[], start: string): string {
    const policy =
        "default-src 'none'; script-src 'self' file: 'unsafe-inline'; " +
        "style-src 'self' file: 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'";
    const scripts = ['assets/report.js', ...data]
        .map((name) => `<script src="${up}${name}"></script>`)
        .join('');
    return (
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>test</title>` +
        `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
        `<link rel="stylesheet" href="${up}assets/report.css">` +
        `</head><body><main id="report"></main>${inside}${scripts}<script>${start}</script></body></html>`
    );
}

async function visit(name: string): Promise<{ page: Page; errors: string[] }> {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(pathToFileURL(join(folder, 'x')).href.replace(/x$/, name), { waitUntil: 'load' });
    await settled(page);
    return { page, errors };
}

const devices = (page: Page): Promise<(string | null)[]> =>
    page.$$eval('#results-table tbody th', (all) => all.map((one) => one.textContent));

test('the table sorts, filters, and leads to a report', async () => {
    const { page, errors } = await visit('index.html');
    assert.deepEqual(await devices(page), ['rig:alpha', 'rig:beta', 'rig:gamma']);
    await page.click('#results-table thead th:last-child button');
    assert.deepEqual(await devices(page), ['rig:beta', 'rig:gamma', 'rig:alpha']);
    await page.type('#results-table input[type=search]', 'gam');
    assert.deepEqual(await devices(page), ['rig:gamma']);
    await shot(page, 'site-filtered');
    await Promise.all([page.waitForNavigation(), page.click('#results-table tbody a')]);
    await show(page, 'rw-32k');
    assert.equal(await page.$eval('h1', (e) => e.textContent), 'rig:gamma');
    assert.deepEqual(errors, []);
    await page.close();
});

test('two chosen rows are compared, overlaid, whichever was chosen first', async () => {
    const { page, errors } = await visit('index.html');
    await page.click('[value=gamma]');
    await page.focus('[value=alpha]');
    await page.keyboard.press('Space');
    await shot(page, 'site-chosen');
    await Promise.all([page.waitForNavigation(), page.click('.choice a')]);
    await page.waitForSelector('#content h2');
    assert.equal(await page.$eval('#content h2', (e) => e.textContent), 'What differs');
    assert.equal((await page.$$('.results button')).length, 2);
    await show(page, 'rw-32k');
    await shot(page, 'site-compared');
    assert.deepEqual(errors, []);
    await page.close();
});

test('a third choice takes the place of the first', async () => {
    const { page } = await visit('index.html');
    for (const name of ['alpha', 'beta', 'gamma']) await page.click(`[value=${name}]`);
    const chosen = await page.$$eval('.choose input:checked', (all) =>
        all.map((one) => (one as HTMLInputElement).value),
    );
    assert.deepEqual(chosen, ['beta', 'gamma']);
    await page.close();
});

test('a pair behind # is compared too, and what is missing is said', async () => {
    const { page } = await visit('compare.html#a=gamma&b=alpha');
    await page.waitForSelector('.results button');
    assert.equal((await page.$$('.results button')).length, 2);
    await page.close();
    const missing = await visit('compare.html?a=alpha&b=nobody');
    await missing.page.waitForSelector('.banner');
    assert.match(await missing.page.$eval('.banner', (e) => e.textContent ?? ''), /data\/nobody\.js/);
    await missing.page.close();
    const outside = await visit('compare.html?a=alpha&b=../x');
    await outside.page.waitForSelector('.banner');
    assert.match(await outside.page.$eval('.banner', (e) => e.textContent ?? ''), /names no two results/);
    await outside.page.close();
});
