// A table: sorted by click or key, saved as CSV, several results in one with the result as its first column.

import type { Cell, Column, TableBlock } from '../document';
import { button, h } from '../dom';
import { csv, type Value } from '../export/csv';
import { save } from '../export/save';
import type { Part } from '../merge';
import { isPlaced, openPlace } from '../places';
import { hidden, isShown, onResults, resultName } from '../results';
import { emptyView } from '../view';
import { formatLike } from '../units';

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
    return sets.map((set) => new TableView(set, parts.length > 1).element);
}

const sameColumns = (a: Column[], b: Column[]): boolean =>
    a.length === b.length && a.every((column, i) => column.label === b[i].label && column.unit === b[i].unit);

class TableView {
    readonly element: HTMLElement;
    private readonly body = h('tbody');
    private readonly head = h('tr');
    private sorted: { column: number; isDown: boolean } | null = null;
    private readonly columns: Column[];

    constructor(private readonly parts: TablePart[], private readonly isOverlaid: boolean) {
        const { block } = parts[0];
        const own = { label: 'Result', unit: '', is_number: false };
        this.columns = isOverlaid ? [own, ...block.columns] : block.columns;
        const saveCsv = () => save(`${block.id}.csv`, tableCsv(this.columns, this.rows()), 'text/csv');
        this.element = h('section', { class: 'tablebox', id: block.id },
            h('div', { class: 'bar' }, h('h3', {}, block.title || block.id),
                h('div', { class: 'exports' }, button('CSV', `save “${block.title}” as CSV`, saveCsv))),
            block.caption && h('p', { class: 'caption' }, block.caption),
            h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': block.title },
                h('table', {}, h('thead', {}, this.head), this.body)));
        this.fill();
        onResults(() => this.fill());
    }

    private rows(): Row[] {
        const shown = this.parts.filter(({ result }) => !this.isOverlaid || isShown(result));
        return shown.flatMap(({ result, block }) => block.rows.map((cells) => {
            const name = plain(resultName(result));
            return { result, cells: this.isOverlaid ? [name, ...cells] : cells };
        }));
    }

    private fill(): void {
        const rows = this.rows();
        const { sorted } = this;
        if (sorted) rows.sort((a, b) => compare(a.cells[sorted.column], b.cells[sorted.column], sorted.isDown));
        this.head.replaceChildren(...this.columns.map((column, i) => this.heading(column, i)));
        this.body.replaceChildren(...rows.map((row) => this.row(row)));
        if (rows.length === 0) {
            this.body.append(h('tr', {}, h('td', { colspan: this.columns.length, class: 'none' }, 'no rows')));
        }
    }

    private heading(column: Column, i: number): HTMLElement {
        const isSorted = this.sorted?.column === i;
        const order = !isSorted ? 'none' : this.sorted!.isDown ? 'descending' : 'ascending';
        const mark = !isSorted ? '' : this.sorted!.isDown ? ' ↓' : ' ↑';
        const sort = h('button', { type: 'button', title: `sort by ${column.label}`, onclick: () => this.sort(i) },
            column.label, h('span', { class: 'mark', 'aria-hidden': 'true' }, mark));
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
            ...this.columns.map((column, i) => this.cell(column, cells[i] ?? plain(''), i === 0)));
    }

    private cell(column: Column, cell: Cell, isFirst: boolean): HTMLElement {
        const kinds = [column.is_number && 'number', cell.is_marked && 'marked'].filter(Boolean).join(' ');
        const content = cell.link ? linkTo(cell.link, cell.text || '→') : cell.text;
        const ends = cell.interval?.map((end) => formatLike(end, column.unit, cell.text));
        return h(isFirst ? 'th' : 'td', { class: kinds || null, scope: isFirst ? 'row' : null }, content,
            ends && h('small', { title: 'interval at 95 %' }, `${ends[0]} – ${ends[1]}`));
    }
}

const plain = (text: string): Cell => ({ text, value: null, interval: null, link: null, is_marked: false });

/** A way to a block of this page; plain words if it is not here. */
export function linkTo(id: string, label: string): HTMLElement {
    if (!isPlaced(id)) return h('span', { class: 'deadlink', title: 'not in this report' }, label);
    const onclick = (event: Event) => {
        event.preventDefault();
        history.pushState(null, '', `#${encodeURIComponent(id)}`);
        openPlace({ id, view: emptyView(), off: hidden() });
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
