// Many traces: a list to search and to step through, and the one that is chosen. Only that one is unpacked.

import { h } from '../dom';
import type { Figure } from '../figure';
import { placed } from '../places';
import { count, format } from '../units';
import { emptyView, type View } from '../view';
import { traceFigure, type TracePart } from './trace';

export class Picker {
    readonly element: HTMLElement;
    private readonly list = h('ul', { role: 'listbox', tabindex: 0, 'aria-label': 'traces' });
    private readonly stage = h('div', { class: 'stage' });
    private readonly search: HTMLInputElement;
    private readonly found = h('p', { class: 'found', 'aria-live': 'polite' });
    private chosen = -1;
    private figure: Figure | null = null;
    private readonly entries: { element: HTMLElement; words: string }[];

    constructor(private readonly traces: TracePart[][], idBase: string) {
        this.entries = traces.map((parts, i) => this.entry(parts, `${idBase}-${i}`, i));
        this.search = h('input', {
            type: 'search',
            placeholder: 'Search  ( / )',
            'aria-label': 'search traces',
            oninput: () => this.filter(),
            onkeydown: (event: KeyboardEvent) => this.pressed(event),
        });
        this.list.addEventListener('keydown', (event) => this.pressed(event));
        this.list.append(...this.entries.map(({ element }) => element));
        this.element = h('div', { class: 'picker' },
            h('div', { class: 'chooser' }, this.search, this.found, this.list), this.stage);
        this.filter();
        traces.forEach((parts, i) => placed(parts[0].block.id, () => this.opener(i)));
        this.choose(0, emptyView());
    }

    private entry(parts: TracePart[], id: string, i: number): { element: HTMLElement; words: string } {
        const { block } = parts[0];
        const mean = block.marks.mean_ns?.[0];
        const facts = `${count(block.ios)} IOs${mean ? ` · ${format(mean, 'ns')}` : ''}`;
        const element = h(
            'li',
            { role: 'option', id, 'aria-selected': 'false', onclick: () => this.choose(i, emptyView()) },
            h('span', {}, block.title || block.id),
            h('small', {}, facts),
        );
        return { element, words: `${block.id} ${block.title} ${block.caption}`.toLowerCase() };
    }

    private opener(i: number) {
        this.choose(i, emptyView());
        return { element: this.stage, open: (view: View) => this.choose(i, view) };
    }

    private choose(i: number, view: View): void {
        if (i !== this.chosen) {
            this.entries[this.chosen]?.element.setAttribute('aria-selected', 'false');
            this.chosen = i;
            this.figure?.retire();
            this.figure = traceFigure(this.traces[i]);
            this.stage.replaceChildren(this.figure.element);
            const { element } = this.entries[i];
            element.setAttribute('aria-selected', 'true');
            this.list.setAttribute('aria-activedescendant', element.id);
            this.list.scrollTop = Math.max(0, element.offsetTop - this.list.clientHeight / 2);
        }
        if (view.x || view.y || Object.keys(view.flags).length > 0) this.figure!.open(view);
    }

    private filter(): void {
        const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
        let shown = 0;
        for (const entry of this.entries) {
            const isFound = words.every((word) => entry.words.includes(word));
            entry.element.hidden = !isFound;
            shown += Number(isFound);
        }
        const of = shown === this.entries.length ? '' : ` of ${this.entries.length}`;
        this.found.textContent = `${shown}${of} traces`;
    }

    private pressed(event: KeyboardEvent): void {
        const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
        const by = steps[event.key];
        if (by === undefined) return;
        event.preventDefault();
        const shown = this.entries
            .map((entry, i) => ({ entry, i }))
            .filter(({ entry }) => !entry.element.hidden);
        if (shown.length === 0) return;
        const at = shown.findIndex(({ i }) => i === this.chosen);
        const next = at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by));
        this.choose(shown[next].i, emptyView());
    }
}
