// What a site has beside pages: two results are chosen in its table, and compared on a page of their own.
// That page loads them by scripts, for a page that is opened from disk may fetch nothing.

import type { Cell } from './document';
import { h } from './dom';

const NAME = /^[\w.-]+$/;
const LINK = /^results\/([\w.-]+)\.html$/;

/** The results that an address names, in the order in which their comparison is called. */
export function pairOf(text: string): [string, string] | null {
    const params = new URLSearchParams(text.replace(/^[?#]/, ''));
    const pair = [params.get('a') ?? '', params.get('b') ?? ''].sort();
    return pair.every((name) => NAME.test(name)) && pair[0] !== pair[1] ? [pair[0], pair[1]] : null;
}

/** Loads what `compare.html?a=..&b=..` names, then shows it. */
export async function compare(show: () => void): Promise<void> {
    const pair = pairOf(location.search);
    const ofHash = pairOf(location.hash);
    if (!pair && ofHash) {
        // Behind # stands the view, once there is one.
        location.replace(`${location.pathname}?a=${ofHash[0]}&b=${ofHash[1]}`);
        return;
    }
    const files = pair ? [...pair.map((name) => `data/${name}.js`), `pairs/${pair.join('--')}.js`] : [];
    const missing: string[] = [];
    for (const file of files) await loaded(file).catch(() => missing.push(file));
    show();
    if (!pair) throw new Error('the address names no two results; choose them in the list of all results');
    if (missing.length > 0) throw new Error(`this site has no ${missing.join(', ')}`);
}

function loaded(src: string): Promise<void> {
    return new Promise((done, failed) => {
        document.head.append(h('script', { src, onload: () => done(), onerror: () => failed() }));
    });
}

/** Checkboxes beside the rows of a table, and the link to the comparison of the two that are chosen last. */
export class Chooser {
    readonly bar = h('p', { class: 'choice', 'aria-live': 'polite' });
    private chosen: string[] = [];

    constructor(private readonly refill: () => void) {
        this.tell();
    }

    heading(): HTMLElement {
        return h('th', { scope: 'col', class: 'choose' }, h('span', { class: 'hidden-words' }, 'compare'));
    }

    cell(cells: Cell[]): HTMLElement {
        const name = LINK.exec(cells.find((cell) => cell?.link)?.link ?? '')?.[1];
        if (!name) return h('td', { class: 'choose' });
        const box = h('input', { type: 'checkbox', value: name, 'aria-label': `compare ${name}`,
            onchange: () => this.toggle(name) });
        box.checked = this.chosen.includes(name);
        return h('td', { class: 'choose' }, box);
    }

    private toggle(name: string): void {
        const others = this.chosen.filter((one) => one !== name);
        this.chosen = this.chosen.includes(name) ? others : [...others, name].slice(-2);
        this.tell();
        this.refill();
        document.querySelector<HTMLElement>(`.choose [value="${name}"]`)?.focus();
    }

    private tell(): void {
        const [a, b] = this.chosen;
        if (b)
            this.bar.replaceChildren(h('a', { href: `compare.html?a=${a}&b=${b}` }, `Compare ${a} and ${b}`));
        else
            this.bar.replaceChildren(
                a ? `${a} and … select one more to compare` : 'Select two results to compare',
            );
    }
}
