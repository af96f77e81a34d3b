// A document as it should be, from one that may not: what is missing is filled in, and what is wrong is said.

import { DOCUMENT_VERSION, type Block, type Document, type Section } from './document';

export interface Checked extends Document {
    problems: string[];
}

export function checked(raw: unknown): Checked {
    const problems: string[] = [];
    const given = isObject(raw) ? raw : {};
    if (!isObject(raw))
        problems.push('The result cannot be read: the file is damaged.');
    const version = Number(given.version);
    if (version > DOCUMENT_VERSION) {
        problems.push(
            `It has version ${version}, made by a newer flashscope (${text(given.flashscope_version)}); ` +
                `this page reads version ${DOCUMENT_VERSION}. Unknown parts are not shown.`,
        );
    } else if (isObject(raw) && !(version >= 1)) {
        problems.push('It has no version; it may not be a flashscope result.');
    }
    return {
        version,
        kind: text(given.kind),
        title: text(given.title),
        subtitle: text(given.subtitle),
        flashscope_version: text(given.flashscope_version),
        sections: list(given.sections).filter(isObject).map((section, i) => checkedSection(section, i)),
        problems,
    };
}

function checkedSection(raw: Record<string, unknown>, i: number): Section {
    return {
        id: text(raw.id) || `section-${i + 1}`,
        title: text(raw.title),
        is_summary: raw.is_summary === true,
        blocks: list(raw.blocks).filter(isObject).map(checkedBlock),
    };
}

type Of<Kind> = Extract<Block, { block: Kind }>;

/** The fields of a block that are lists of any length. */
type ListsOf<B> = {
    [Field in keyof B as B[Field] extends unknown[]
        ? (number extends B[Field]['length'] ? Field : never)
        : never]: true;
};

/** The lists of each kind of block; a block or a list that is missing here is no TypeScript. */
const LISTS: { [Kind in Block['block']]: ListsOf<Of<Kind>> } = {
    text: {},
    facts: { rows: true },
    tiles: { tiles: true },
    items: { items: true },
    listed: { items: true },
    table: { columns: true, rows: true },
    chart: { series: true },
    heat: { values: true },
    trace: { arrays: true, ops: true },
};

/** Fills in the lists and names that a block is drawn from. */
function checkedBlock(raw: Record<string, unknown>): Block {
    const kind = text(raw.block);
    const block: Record<string, unknown> = { ...raw, block: kind };
    for (const name of Object.keys(LISTS[kind as Block['block']] ?? {})) block[name] = list(raw[name]);
    if (kind === 'listed') block.title = text(raw.title);
    if (kind === 'tiles') block.tiles = (block.tiles as unknown[]).filter(isObject).map(checkedTile);
    if (!['text', 'facts', 'tiles', 'items', 'listed'].includes(kind)) {
        block.id = text(raw.id) || 'unnamed';
        block.title = text(raw.title);
        block.caption = text(raw.caption);
        block.group = text(raw.group) || null;
    }
    if (kind === 'chart' || kind === 'heat') {
        block.x = checkedAxis(raw.x);
        block.y = checkedAxis(raw.y);
    }
    if (kind === 'heat') {
        block.columns = Math.max(1, Math.floor(Number(raw.columns)) || 1);
        for (const name of ['x_range', 'y_range']) block[name] = isRange(raw[name]) ? raw[name] : [0, 1];
    }
    if (kind === 'trace') block.blob = text(raw.blob);
    if (kind === 'trace') block.marks = checkedMarks(raw.marks);
    return block as unknown as Block;
}

function checkedTile(raw: Record<string, unknown>): Record<string, unknown> {
    return { ...raw, colour: Number(raw.colour) || 0, rows: list(raw.rows).filter(Array.isArray) };
}

function checkedAxis(raw: unknown): Record<string, unknown> {
    const axis = isObject(raw) ? raw : {};
    const scale = ['linear', 'log', 'log2', 'category'].includes(text(axis.scale)) ? axis.scale : 'linear';
    const range = isRange(axis.range) ? { range: axis.range } : {};
    return { label: text(axis.label), unit: text(axis.unit), scale, labels: list(axis.labels), ...range };
}

function checkedMarks(raw: unknown): Record<string, unknown> {
    const marks = isObject(raw) ? raw : {};
    return {
        startup_ios: Number(marks.startup_ios) || 0,
        startup_range_ios: Array.isArray(marks.startup_range_ios) ? marks.startup_range_ios : [0, 0],
        regimes: list(marks.regimes),
        period_ios: marks.period_ios ?? null,
        mean_ns: marks.mean_ns ?? null,
    };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
const isRange = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
