// A picture with all that belongs to it: heading, switches, legend, notes, its data behind buttons, what it
// says in words, and the keys. What it shows comes from a `Spec`.

import { CanvasPen } from './canvas/pen';
import { paint, type Hit, type Scene } from './canvas/scene';
import { button, h } from './dom';
import { save } from './export/save';
import { SvgPen } from './export/svg';
import { join, type Membership, type Stretch } from './groups';
import { toggleHelp } from './help';
import { legend } from './legend';
import { openPlace } from './places';
import { Plot } from './plot';
import { hidden, onResults } from './results';
import type { Range } from './scale';
import { LIGHT, onTheme } from './theme';
import { inWords, Tooltip } from './tooltip';
import { emptyView, toHash, type View } from './view';

export type Flags = Record<string, boolean>;

export interface Switch {
    key: string;
    label: string;
    title: string;
    isOn: boolean;
    /** A key of the keyboard. */
    shortcut?: string;
}

export interface Spec {
    id: string;
    title: string;
    caption: string;
    /** What a paper calls it. */
    term?: string;
    group: string | null;
    height: number;
    /** Beside others, or over the whole width. */
    size: 'multiple' | 'small' | 'wide';
    switches: Switch[];
    /** Fetches what the scene needs; `isNow` where nothing may wait. */
    prepare?(isNow: boolean): Promise<void> | void;
    scene(flags: Flags): Scene;
    /** The picture in words. */
    summary(): string;
    csv(): string;
    toStretch(x: Range, flags: Flags): Stretch;
    fromStretch(stretch: Stretch, flags: Flags): Range | null | undefined;
}

/** For pictures on paper, in CSS pixels. */
export const PAPER_WIDTH = 680;
const PAPER_WIDTHS = { multiple: PAPER_WIDTH / 4 - 12, small: PAPER_WIDTH / 2 - 10, wide: PAPER_WIDTH };
const FILE_SIZE: [number, number] = [960, 540];

const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) figures.get(entry.target)?.activate(false);
}, { rootMargin: '200px' });

const figures = new Map<Element, Figure>();
let made = 0;

export class Figure {
    readonly element: HTMLElement;
    private view: View = emptyView();
    /** A link was followed here, and the group does not know yet. */
    private isOpened = false;
    /** What the group shows, until the data say what it means on these axes. */
    private awaited: Stretch | null = null;
    private state: 'waiting' | 'preparing' | 'ready' | 'broken' = 'waiting';
    private scene: Scene | null = null;
    private readonly host = h('div', { class: 'host' });
    private readonly plotBox: HTMLElement;
    private readonly yLabel = h('div', { class: 'ylabel', 'aria-hidden': 'true' });
    private readonly legendBox = h('div', { class: 'legendbox' });
    private readonly notes = h('ul', { class: 'notes' });
    private readonly live = h('p', { class: 'hidden-words', 'aria-live': 'polite' });
    private readonly words: HTMLElement;
    private readonly bar: HTMLElement;
    private readonly tip: Tooltip;
    private readonly plot: Plot;
    private readonly group: Membership;
    private readonly endings: (() => void)[] = [];
    private width = 0;
    private isLarge = false;
    private paperWidth = 0;

    constructor(readonly spec: Spec) {
        const wordsId = `words-${++made}`;
        this.words = h('p', { class: 'hidden-words', id: wordsId });
        this.plotBox = h(
            'div',
            {
                class: 'plot',
                tabindex: 0,
                'aria-describedby': wordsId,
                role: 'group',
                'aria-roledescription': 'chart',
                'aria-label':
                    `${spec.title}. Arrow keys pan, plus and minus zoom, n steps through, ? for help`,
                onkeydown: (event: KeyboardEvent) => this.pressed(event),
            },
            this.host,
        );
        this.plotBox.style.minHeight = `${spec.height}px`;
        this.tip = new Tooltip(this.plotBox);
        this.bar = h('div', { class: 'bar' });
        this.element = h('figure', { class: `figure ${spec.size}`, id: spec.id },
            h('figcaption', {}, h('h3', { title: spec.term || null }, spec.title || spec.id),
                spec.caption && h('p', { class: 'caption' }, spec.caption)),
            this.yLabel, this.plotBox, this.legendBox, this.notes, this.bar, this.words, this.live);
        this.plot = new Plot(this.host, {
            ranged: (x, y) => this.ranged(x, y),
            hovered: (hit, isByKey) => this.hovered(hit, isByKey),
            chosen: (hit) => this.chosen(hit),
        });
        this.group = join(spec.group, (stretch) => this.joined(stretch));
        this.fillBar();
        this.watch();
    }

    /** Shows the picture, now or as soon as its data are unpacked. */
    activate(isNow: boolean): void {
        if (this.state === 'ready' || this.state === 'broken' || (this.state === 'preparing' && !isNow))
            return;
        this.state = 'preparing';
        this.plotBox.classList.add('waiting');
        try {
            const wait = this.spec.prepare?.(isNow);
            if (wait) wait.then(() => this.ready(), (error) => this.broke(error));
            else this.ready();
        } catch (error) {
            this.broke(error);
        }
    }

    /** Takes a view from a link. */
    open(view: View): void {
        this.view = { ...view, flags: { ...view.flags } };
        this.isOpened = true;
        this.awaited = null;
        if (this.state === 'ready') {
            this.rebuild();
            this.share();
        } else {
            this.activate(false);
        }
        this.fillBar();
    }

    /** The others of the group follow a link too, once the data say what it means on their axes. */
    private share(): void {
        if (this.isOpened) this.tellGroup();
        this.isOpened = false;
    }

    private tellGroup(): void {
        const { x } = this.view;
        this.group.tell(x ? this.spec.toStretch(x, this.flags()) : { all: true });
    }

    focus(): void {
        this.plotBox.focus({ preventScroll: true });
    }

    flags(): Flags {
        const begin = Object.fromEntries(this.spec.switches.map(({ key, isOn }) => [key, isOn]));
        return { ...begin, ...this.view.flags };
    }

    /** Draws for paper, or for the screen again. */
    onPaper(isPaper: boolean): void {
        this.paperWidth = isPaper ? PAPER_WIDTHS[this.spec.size] : 0;
        if (isPaper) this.activate(true);
        if (this.state === 'ready') this.rebuild();
    }

    private watch(): void {
        figures.set(this.element, this);
        watcher.observe(this.element);
        const again = () => {
            if (this.state === 'ready') this.rebuild();
        };
        const resized = new ResizeObserver(() => {
            if (!this.paperWidth && this.plotBox.clientWidth !== this.width) again();
        });
        resized.observe(this.plotBox);
        this.endings.push(
            onTheme(again),
            onResults(again),
            () => resized.disconnect(),
            () => this.group.leave(),
        );
    }

    /** Ends it: it is taken off the page. */
    retire(): void {
        this.endings.forEach((end) => end());
        watcher.unobserve(this.element);
        figures.delete(this.element);
        this.plot.destroy();
    }

    private ready(): void {
        if (this.state === 'ready') return;
        this.state = 'ready';
        this.plotBox.classList.remove('waiting');
        if (this.awaited) this.joined(this.awaited);
        this.rebuild();
        this.share();
    }

    private broke(error: unknown): void {
        this.state = 'broken';
        this.plotBox.classList.remove('waiting');
        const why = error instanceof Error ? error.message : String(error);
        this.plotBox.replaceChildren(
            h('p', { class: 'problem', role: 'alert' }, `This cannot be shown: ${why}.`),
        );
        this.plotBox.style.minHeight = '';
    }

    private rebuild(): void {
        try {
            const flags = this.flags();
            this.scene = this.spec.scene(flags);
            this.width = this.plotBox.clientWidth;
            const width = Math.max(140, this.paperWidth || this.width);
            this.yLabel.textContent = this.scene.y.label;
            this.yLabel.hidden = this.scene.y.unit === 'percentile';
            this.legendBox.replaceChildren(legend(this.scene.legend, (key) => this.flip(key)));
            this.notes.replaceChildren(...this.scene.notes.map((note) => h('li', {}, note)));
            this.words.textContent = this.spec.summary();
            this.plot.show(this.scene, this.view.x, this.view.y, [width, this.height]);
            this.tip.show(null);
        } catch (error) {
            this.broke(error);
        }
    }

    private ranged(x: Range | null, y: Range | null): void {
        const isMoved = String(x) !== String(this.view.x);
        this.view = { ...this.view, x, y };
        this.plot.range(x, y);
        this.tip.show(null);
        this.fillReset();
        if (isMoved) this.tellGroup();
    }

    private joined(stretch: Stretch): void {
        this.awaited = this.state === 'ready' ? null : stretch;
        const x = this.awaited ? undefined : this.spec.fromStretch(stretch, this.flags());
        if (x === undefined) return;
        this.view = { ...this.view, x };
        this.plot.range(x, this.view.y);
        this.fillReset();
    }

    private hovered(hit: Hit | null, isByKey: boolean): void {
        this.tip.show(hit);
        this.plotBox.classList.toggle('linked', Boolean(hit?.link));
        if (isByKey) this.live.textContent = hit ? inWords(hit) : 'nothing here';
    }

    private chosen(hit: Hit): void {
        if (hit.link) openPlace({ id: hit.link, view: emptyView(), off: null });
    }

    private flip(key: string): void {
        const flags = this.flags();
        const isOn = flags[key] ?? true;
        const before = this.view.x && this.spec.toStretch(this.view.x, flags);
        this.view.flags = { ...this.view.flags, [key]: !isOn };
        const x = before && this.spec.fromStretch(before, this.flags());
        this.view.x = x ?? null;
        if (this.state === 'ready') this.rebuild();
        this.fillBar();
        this.plotBox.isConnected && this.bar.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
    }

    private fillBar(): void {
        const flags = this.flags();
        const switches = this.spec.switches.map(({ key, label, title, shortcut }) => {
            const words = shortcut ? `${title} (key ${shortcut})` : title;
            return h('button', { type: 'button', class: 'switch', 'data-key': key, title: words,
                'aria-pressed': flags[key] ? 'true' : 'false', onclick: () => this.flip(key) }, label);
        });
        const reset = button('Reset', 'show all of it again (key 0)', () => this.ranged(null, null));
        reset.classList.add('reset');
        this.bar.replaceChildren(
            h('div', { class: 'switches', role: 'group', 'aria-label': 'what is shown' }, ...switches, reset),
            h('div', { class: 'exports', role: 'group', 'aria-label': 'take along' },
                this.spec.size !== 'wide' && this.sizeButton(),
                button('CSV', `save the data of “${this.spec.title}” as CSV`, () =>
                    this.exported(() => this.saveCsv()),
                ),
                button('SVG', `save “${this.spec.title}” as SVG`, () => this.exported(() => this.saveSvg())),
                button('PNG', `save “${this.spec.title}” as PNG`, () => this.exported(() => this.savePng())),
                button('Link', 'put a link to this view into the address bar', () => this.link())),
        );
        this.fillReset();
    }

    private sizeButton(): HTMLElement {
        const words = this.isLarge ? 'as small as the others' : 'as wide as the page';
        return button(this.isLarge ? 'Smaller' : 'Larger', `${words} (key w)`, () => this.resize());
    }

    private resize(): void {
        if (this.spec.size === 'wide') return;
        this.isLarge = !this.isLarge;
        this.element.classList.toggle('large', this.isLarge);
        this.activate(false);
        if (this.state === 'ready') this.rebuild();
        this.fillBar();
        this.element.scrollIntoView({ block: 'nearest' });
    }

    /** Of the picture, in pixels. */
    private get height(): number {
        return this.isLarge && !this.paperWidth ? 460 : this.spec.height;
    }

    private fillReset(): void {
        const reset = this.bar.querySelector<HTMLElement>('.reset');
        if (reset) reset.hidden = !this.view.x && !this.view.y;
    }

    private link(): void {
        const hash = toHash({ id: this.spec.id, view: this.view, off: hidden() });
        history.replaceState(null, '', hash);
        const said = () => { this.live.textContent = 'The address bar has the link.'; };
        navigator.clipboard?.writeText(location.href).then(() => {
            this.live.textContent = 'The link is in the address bar and the clipboard.';
        }, said) ?? said();
        this.bar.classList.add('linked');
        setTimeout(() => this.bar.classList.remove('linked'), 1500);
    }

    private exported(make: () => void): void {
        try {
            this.activate(true);
            if (this.state === 'ready') make();
        } catch (error) {
            this.live.textContent = `Saving failed: ${String(error)}`;
        }
    }

    private saveCsv(): void {
        save(`${this.spec.id}.csv`, this.spec.csv(), 'text/csv');
    }

    private saveSvg(): void {
        const [width, height] = FILE_SIZE;
        const pen = new SvgPen(width, height);
        paint(pen, this.scene!, this.spec.title, ...this.plot.ranges(), FILE_SIZE, LIGHT);
        save(`${this.spec.id}.svg`, pen.finish(this.spec.title), 'image/svg+xml');
    }

    private savePng(): void {
        const [width, height] = FILE_SIZE;
        const canvas = h('canvas', { width: width * 2, height: height * 2 });
        const context = canvas.getContext('2d')!;
        context.scale(2, 2);
        paint(new CanvasPen(context), this.scene!, this.spec.title, ...this.plot.ranges(), FILE_SIZE, LIGHT);
        canvas.toBlob((blob) => blob && save(`${this.spec.id}.png`, blob), 'image/png');
    }

    private pressed(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey || this.state !== 'ready') return;
        if (event.target !== this.plotBox) return;
        const shortcut = this.spec.switches.find((s) => s.shortcut === event.key);
        const action = shortcut ? () => this.flip(shortcut.key) : this.actions()[event.key];
        if (!action) return;
        event.preventDefault();
        action();
        if (shortcut) this.focus();
    }

    private actions(): Record<string, () => void> {
        const { plot } = this;
        return {
            ArrowLeft: () => plot.pan(-0.1, 0),
            ArrowRight: () => plot.pan(0.1, 0),
            ArrowUp: () => plot.pan(0, 0.1),
            ArrowDown: () => plot.pan(0, -0.1),
            '+': () => plot.zoom(0.7),
            '=': () => plot.zoom(0.7),
            '-': () => plot.zoom(1 / 0.7),
            0: () => this.ranged(null, null),
            n: () => plot.step(1),
            p: () => plot.step(-1),
            w: () => this.resize(),
            Enter: () => plot.choose(),
            Escape: () => this.hovered(null, false),
            '?': () => toggleHelp(),
        };
    }
}

/** Takes all of them off, before the page is built anew. */
export const retireAll = (): void => figures.forEach((figure) => figure.retire());

/** Every figure that is on the page now. */
export const figuresOnPage = (): Figure[] => [...figures.values()].filter((f) => f.element.isConnected);

/**
 * Draws ahead of the reader while there is nothing else to do: the first picture, then all that need no data
 * unpacked.
 */
export function drawAhead(): void {
    const idle = window.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 30));
    const waiting = figuresOnPage().filter((figure, i) => i === 0 || !figure.spec.prepare);
    const next = () => {
        const figure = waiting.shift();
        if (!figure) return;
        if (figure.element.isConnected) figure.activate(false);
        idle(next);
    };
    idle(next);
}

/** How a link shows a figure that stands on the page by itself. */
export const openerOf = (figure: Figure) => ({
    element: figure.element,
    open: (view: View) => {
        figure.open(view);
        figure.focus();
    },
});
