// Pictures of pages for the book: `node shots.mjs FOLDER NAME=PAGE.html ..` takes each at three widths, in dark,
// and as its first sheet of paper.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

/** A4 between its margins, in CSS pixels. */
const PAPER = [703, 1000];
const LOOKS = {
    wide: [1400, 900],
    middle: [800, 1000],
    phone: [390, 844],
    dark: [1400, 900],
    paper: PAPER,
};

const [folder, ...pages] = process.argv.slice(2);
const executablePath = process.env.FLASHSCOPE_CHROMIUM ?? '/usr/bin/chromium';
const browser = await puppeteer.launch({ executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--allow-file-access-from-files'] });
for (const [name, file] of pages.map((one) => one.split('='))) {
    for (const [look, [width, height]] of Object.entries(LOOKS)) {
        const page = await browser.newPage();
        const isDark = look === 'dark';
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]);
        await page.setViewport({ width, height });
        await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: 'load' });
        if (look === 'paper') {
            await page.emulateMediaType('print');
            await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        }
        await new Promise((done) => setTimeout(done, 1000));
        await page.screenshot({ path: `${folder}/${name}-${look}.webp`, type: 'webp', quality: 82 });
        await page.close();
    }
}
await browser.close();
