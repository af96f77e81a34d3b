import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { run } from '../fixture/documents';
import { html } from '../fixture/html';
import { close, drawn, launch, open, settled, shot } from './chrome';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const one = () => html([run('rig:mtron', 1, [{ id: 'rw-32k', ios: 2304, seed: 1 }])]);

test('a report opens, asks for nothing elsewhere, and complains of nothing', async () => {
    const opened = await open(browser, one());
    const { page } = opened;
    await drawn(page, 'granularity');
    await shot(page, 'light');
    await page.evaluate(() => document.getElementById('traces')!.scrollIntoView());
    await drawn(page, 'rw-32k');
    await settled(page);
    await shot(page, 'trace');
    await shot(page, 'whole', true);
    assert.deepEqual(opened.requests, []);
    assert.deepEqual(opened.errors, []);
    await close(opened);
});
