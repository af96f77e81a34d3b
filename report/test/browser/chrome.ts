// A real browser for the tests: the system's Chromium, without a head.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

/** Pictures for a person to look at go here, if it is set. */
const shots = process.env.FLASHSCOPE_SHOTS;

export async function launch(): Promise<Browser> {
    const executablePath = process.env.FLASHSCOPE_CHROMIUM ?? '/usr/bin/chromium';
    if (!existsSync(executablePath)) {
        throw new Error(
            `no browser at ${executablePath}: install chromium, or set FLASHSCOPE_CHROMIUM to its path`,
        );
    }
    return puppeteer.launch({ executablePath, headless: true,
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--allow-file-access-from-files'] });
}

export interface Opened {
    page: Page;
    /** What the page complained of, and every address it asked for besides itself. */
    errors: string[];
    requests: string[];
    folder: string;
}

/** Opens text as a file of its own, as a reader would. */
export async function open(
    browser: Browser,
    html: string,
    hash = '',
    width = 1280,
    height = 900,
): Promise<Opened> {
    const folder = mkdtempSync(join(tmpdir(), 'flashscope-page-'));
    const file = join(folder, 'report.html');
    writeFileSync(file, html);
    const page = await browser.newPage();
    await page.setViewport({ width, height });
    const [errors, requests]: string[][] = [[], []];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('request', (request) => requests.push(request.url()));
    const address = pathToFileURL(file).href + hash;
    await page.goto(address, { waitUntil: 'load' });
    const others = requests.filter((url) => url !== pathToFileURL(file).href && !/^(blob|data):/.test(url));
    return { page, errors, requests: others, folder };
}

export async function close({ page, folder }: Opened): Promise<void> {
    await page.close();
    rmSync(folder, { recursive: true, force: true });
}

/** Waits until the picture of an `id` is drawn. */
export async function drawn(page: Page, id: string): Promise<void> {
    await page.waitForSelector(`[id="${id}"] .plot canvas`, { timeout: 20_000 });
    await settled(page);
}

/** Two frames later everything that was asked for is on the screen. */
export async function settled(page: Page): Promise<void> {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
}

export async function shot(page: Page, name: string, isWhole = false): Promise<void> {
    if (!shots) return;
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${name}.png`) as `${string}.png`, fullPage: isWhole });
}

/** With plain spaces where the page has some that do not break. */
export const plain = (text: string): string => text.replace(/\u00a0/g, ' ');

/** Brings a picture into sight and waits for it. */
export async function show(page: Page, id: string): Promise<void> {
    await page.$eval(`[id="${id}"]`, (element) => element.scrollIntoView());
    await drawn(page, id);
}

/** Where a picture is drawn between its axes. */
export async function plotBox(
    page: Page,
    id: string,
): Promise<{ x: number; y: number; width: number; height: number }> {
    return page.$eval(`[id="${id}"] .u-over`, (element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return { x, y, width, height };
    });
}

export async function tipText(page: Page, id: string): Promise<string> {
    const text = await page.$eval(`[id="${id}"] .tip`, (tip) =>
        ((tip as HTMLElement).hidden ? '' : (tip as HTMLElement).innerText));
    return plain(text);
}
