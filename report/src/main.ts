// The page's entry: takes the documents from the page, or from `flashscope.add` where each comes in a script
// of its own (a site must work from files, where nothing can be fetched), and starts.

import type { Document } from './document';
import { h } from './dom';
import { drawAhead } from './figure';
import { startKeys } from './keys';
import { openPlace } from './places';
import { followReading, page } from './page';
import { startPrint } from './print';
import { list, setResults, type Result } from './results';
import { compare } from './site';
import { startTheme } from './theme';
import { fromHash } from './view';

interface Given {
    document: Document;
    blobs?: Record<string, string>;
}

const added: Result[] = [];
let isStarted = false;

/** Adds a result with its blobs by key. */
function add({ document, blobs = {} }: Given): void {
    added.push({ document, blobs: (key) => blobs[key] ?? null });
}

/** Shows what was added, or what the page holds. */
function start(): void {
    isStarted = true;
    performance.mark('flashscope:start');
    const root = document.getElementById('report') ?? document.body.appendChild(h('main', { id: 'report' }));
    try {
        setResults([...ofPage(), ...added]);
        page(root, list());
        followReading();
        drawAhead();
        openHash();
    } catch (error) {
        complain(error instanceof Error ? error.message : String(error));
    }
}

/** The results that stand in the page itself. Blobs stay text in the page until they are wanted. */
function ofPage(): Result[] {
    const blobs = new Map<string, Element>();
    for (const script of document.querySelectorAll<HTMLElement>('script[data-flashscope="blob"]')) {
        blobs.set(`${script.dataset.result} ${script.dataset.id}`, script);
    }
    const scripts = [...document.querySelectorAll<HTMLElement>('script[data-flashscope="document"]')];
    return scripts.map((script) => ({
        document: parsed(script.textContent ?? ''),
        blobs: (key) => blobs.get(`${script.dataset.result} ${key}`)?.textContent ?? null,
    }));
}

function parsed(text: string): Document {
    try {
        return JSON.parse(text) as Document;
    } catch {
        // The check says that this is no document.
        return text as unknown as Document;
    }
}

function openHash(): void {
    const place = fromHash(location.hash);
    if (place) openPlace(place);
}

/** Says that something went wrong, on top of whatever is there. */
function complain(message: string): void {
    const old = document.querySelector('.banner');
    const words = `Error on this page: ${message}. The content below may be incomplete.`;
    if (!old) document.body.prepend(h('p', { class: 'banner', role: 'alert' }, words));
}

addEventListener('error', (event) => {
    // Browsers report so that sizes changed once more while they were told; nothing is wrong then.
    if (!event.message.startsWith('ResizeObserver')) complain(event.message);
});
addEventListener('unhandledrejection', (event) =>
    complain(String((event.reason as Error)?.message ?? event.reason)),
);
addEventListener('hashchange', openHash);
startTheme();
startPrint();
startKeys();

/** Shows the two results of a site that the address names. */
function startPair(): Promise<void> {
    isStarted = true;
    return compare(start);
}

Object.assign(window, { flashscope: { add, start, compare: startPair } });
if (document.querySelector('script[data-flashscope="document"]')) start();
// A page that nobody starts is still not a blank one.
else addEventListener('load', () => setTimeout(() => isStarted || start(), 3000));
