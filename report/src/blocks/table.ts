// A table: sorted by click or key, saved as CSV, several results in one with the result as its first column.

import type { Cell, Column, TableBlock } from '../document';
import { button, h } from '../dom';
import { csv, type Value } from '../export/csv';
import { save } from '../export/save';
import type { Part } from '../merge';
import { isPlaced, openPlace } from '../places';
import { isShown, list, needNames, onResults, resultName } from '../results';
import { Chooser } from '../site';
import { emptyView } from '../view';
import { interval } from '../units';

type TablePart = Part<TableBlock>;

interface Row {
    result: number;
    cells: Cell[];
}

export function table(parts: TablePart[]): HTMLElement[] {
    // Tables whose columns differ say different things and stay apart.
    const sets: TablePart[][] = [];
    for (const part of parts) {
        const like = sets.find(([first]) => sameColumns(first.block.columns, part.block.columns));
        if (like) like.push(part);
        else sets.push([part]);
    }
    return sets.map((set) => new TableView(set, needNames(parts)).element);
}

const sameColumns = (a: Column[], b: Column[]): boolean =>
    a.length === b.length && a.every((column, i) => column.label === b[i].label && column.unit === b[i].unit);

/** Tables of more rows have a filter. */
const FILTER_ROWS = 12;
/** Words of more letters are not squeezed into a narrow column. */
const LONG_LETTERS = 40;
/** Longer ones scroll within the page. */
const TALL_ROWS = 24;

const unfilled = new Set<() => void>();

/** Gives their rows to all tables that wait to be seen. */
export const fillTables = (): void => unfilled.forEach((fill) => fill());

class TableView {
    readonly element: HTMLElement;
    private readonly body = h('tbody');
    private readonly head = h('tr');
    private sorted: { column: number; isDown: boolean } | null = null;
    private readonly columns: Column[];
    private words: string[] = [];
    /** In the table of a site two rows are chosen to be compared. */
    private readonly chooser: Chooser | null;

    constructor(private readonly parts: TablePart[], private readonly isOverlaid: boolean) {
        const { block, result } = parts[0];
        this.chooser = list()[result]?.document?.kind === 'site' ? new Chooser(() => this.fill()) : null;
        const own = { label: 'Result', unit: '', is_number: false, unit_in_heading: false };
        this.columns = isOverlaid ? [own, ...block.columns] : block.columns;
        const saveCsv = () => save(`${block.id}.csv`, tableCsv(this.columns, this.rows()), 'text/csv');
        this.element = h(
            'section',
            { class: 'tablebox', id: block.id },
            h(
                'div',
                { class: 'bar' },
                h('h3', {}, block.title || block.id),
                h(
                    'div',
                    { class: 'exports' },
                    (this.chooser || this.rows().length > FILTER_ROWS) && this.filter(),
                    button('CSV', `save “${block.title}” as CSV`, saveCsv),
                ),
            ),
            block.caption && h('p', { class: 'caption' }, block.caption),
            this.chooser?.bar,
            h(
                'div',
                {
                    class: this.rows().length > TALL_ROWS ? 'scroll tall' : 'scroll',
                    tabindex: 0,
                    role: 'region',
                    'aria-label': `table: ${block.title} (${block.id})`,
                },
                h('table', {}, h('thead', {}, this.head), this.body),
            ),
        );
        onResults(() => this.fill());
        if (this.rows().length > TALL_ROWS) this.fillLater();
        else this.fill();
    }

    /** A long table would hold up the first picture: its rows come when it is nearly in sight, or printed. */
    private fillLater(): void {
        const now = () => {
            seen.disconnect();
            unfilled.delete(now);
            this.fill();
        };
        const seen = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && now(), {
            rootMargin: '600px',
        });
        seen.observe(this.element);
        unfilled.add(now);
        this.fillHead();
    }

    private fillHead(): void {
        const made = this.columns.map((column, i) => this.heading(column, i));
        this.head.replaceChildren(...(this.chooser ? [this.chooser.heading()] : []), ...made);
    }

    private filter(): HTMLElement {
        const input = h('input', {
            type: 'search',
            placeholder: 'Filter',
            'aria-label': 'show rows that hold these words',
            oninput: () => {
                this.words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
                this.fill();
            } });
        return input;
    }

    private isWanted({ cells }: Row): boolean {
        const text = cells.map((cell) => cell?.text ?? '').join(' ').toLowerCase();
        return this.words.every((word) => text.includes(word));
    }

    private rows(): Row[] {
        const shown = this.parts.filter(({ result }) => !this.isOverlaid || isShown(result));
        return shown.flatMap(({ result, block }) => block.rows.map((cells) => {
            const name = plain(resultName(result));
            return { result, cells: this.isOverlaid ? [name, ...cells] : cells };
        }));
    }

    private fill(): void {
        const rows = this.rows().filter((row) => this.isWanted(row));
        const { sorted } = this;
        if (sorted)
            rows.sort((a, b) => compare(a.cells[sorted.column], b.cells[sorted.column], sorted.isDown));
        this.fillHead();
        this.body.replaceChildren(...rows.map((row) => this.row(row)));
        if (rows.length === 0) {
            this.body.append(
                h(
                    'tr',
                    {},
                    h(
                        'td',
                        { colspan: this.columns.length + Number(this.chooser !== null), class: 'none' },
                        'no rows',
                    ),
                ),
            );
        }
    }

    private heading(column: Column, i: number): HTMLElement {
        const isSorted = this.sorted?.column === i;
        const order = !isSorted ? 'none' : this.sorted!.isDown ? 'descending' : 'ascending';
        const mark = !isSorted ? '' : this.sorted!.isDown ? ' ↓' : ' ↑';
        const sort = h(
            'button',
            { type: 'button', title: `sort by ${column.term || column.label}`, onclick: () => this.sort(i) },
            column.unit_in_heading ? `${column.label}, ${column.unit}` : column.label,
            h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
        );
        return h('th', { scope: 'col', class: column.is_number ? 'number' : null, 'aria-sort': order }, sort);
    }

    private sort(column: number): void {
        const isSame = this.sorted?.column === column;
        if (isSame && this.sorted!.isDown) this.sorted = null;
        else this.sorted = { column, isDown: isSame };
        this.fill();
        this.head.querySelectorAll('button')[column]?.focus();
    }

    private row({ cells }: Row): HTMLElement {
        const isMarked = cells.some((cell) => cell?.is_marked);
        const isWhole = cells.every((cell) => !cell?.text || cell.is_marked);
        return h('tr', { class: isMarked && isWhole ? 'marked' : null },
            this.chooser?.cell(cells),
            ...this.columns.map((column, i) => this.cell(column, cells[i] ?? plain(''), i === 0)));
    }

    private cell(column: Column, cell: Cell, isFirst: boolean): HTMLElement {
        const isLong = !column.is_number && cell.text.length > LONG_LETTERS;
        const kinds = [column.is_number && 'number', cell.is_marked && 'marked', isLong && 'long']
            .filter(Boolean).join(' ');
        const content = cell.link ? linkTo(cell.link, cell.text || '→') : cell.text;
        // A number below its unit is not scaled.
        const unit = column.unit_in_heading ? '' : column.unit;
        const ends = cell.interval && interval(cell.interval, unit, cell.text);
        return h(isFirst ? 'th' : 'td', { class: kinds || null, scope: isFirst ? 'row' : null }, content,
            ends && h('small', { title: 'interval at 95 %' }, ends));
    }
}

const plain = (text: string): Cell => ({ text, value: null, interval: null, link: null, is_marked: false });

/** Another page beside this one, as a site links them; never an address elsewhere. */
const OTHER_PAGE = /^[\w%./-]+\.html([?#].*)?$/;

/** A way to a block of this page, or to another page; plain words if it is not here. */
export function linkTo(id: string, label: string): HTMLElement {
    if (OTHER_PAGE.test(id)) return h('a', { href: id }, label);
    if (!isPlaced(id)) return h('span', { class: 'deadlink', title: 'not in this report' }, label);
    const onclick = (event: Event) => {
        event.preventDefault();
        history.pushState(null, '', `#${encodeURIComponent(id)}`);
        openPlace({ id, view: emptyView(), off: null });
    };
    return h('a', { href: `#${encodeURIComponent(id)}`, onclick }, label);
}

/** Numbers before words, empty cells last whatever the order. */
function compare(a: Cell | undefined, b: Cell | undefined, isDown: boolean): number {
    const isEmpty = (cell: Cell | undefined) => !cell || (cell.value === null && cell.text === '');
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b));
    const order = a!.value !== null && b!.value !== null
        ? a!.value - b!.value
        : Number(a!.value === null) - Number(b!.value === null)
            || a!.text.localeCompare(b!.text, 'en', { numeric: true });
    return isDown ? -order : order;
}

export function tableCsv(columns: Column[], rows: Row[]): string {
    const hasInterval = columns.map((_, i) => rows.some(({ cells }) => cells[i]?.interval));
    const heading = columns.flatMap(({ label, unit }, i) => {
        const name = unit ? `${label} [${unit}]` : label;
        return hasInterval[i] ? [name, `${label} lower`, `${label} upper`] : [name];
    });
    const lines = rows.map(({ cells }) => columns.flatMap((column, i): Value[] => {
        const cell = cells[i];
        const value = column.is_number ? (cell?.value ?? cell?.text) : cell?.text;
        return hasInterval[i] ? [value, cell?.interval?.[0], cell?.interval?.[1]] : [value];
    }));
    return csv(heading, lines);
}
