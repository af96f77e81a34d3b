// What a reader sees of a block (its zoom and its switches), and the link that opens it again:
// `#latency-sr?x=0,1200&y=1e5,1e8&on=ylog&not=average&off=1`.

import type { Range } from './scale';

export interface View {
    /** None shows all. */
    x: Range | null;
    y: Range | null;
    /** Switches that differ from how the block begins. */
    flags: Record<string, boolean>;
}

export interface Place {
    id: string;
    view: View;
    /** Numbers of the results that are switched off; none leaves them as they are. */
    off: number[] | null;
}

export const emptyView = (): View => ({ x: null, y: null, flags: {} });

export function toHash({ id, view, off }: Place): string {
    const parts: string[] = [];
    if (view.x) parts.push(`x=${range(view.x)}`);
    if (view.y) parts.push(`y=${range(view.y)}`);
    const names = Object.keys(view.flags).sort();
    const on = names.filter((name) => view.flags[name]);
    const not = names.filter((name) => !view.flags[name]);
    if (on.length > 0) parts.push(`on=${on.join(',')}`);
    if (not.length > 0) parts.push(`not=${not.join(',')}`);
    if (off && off.length > 0) parts.push(`off=${off.join(',')}`);
    return `#${encodeURIComponent(id)}${parts.length > 0 ? `?${parts.join('&')}` : ''}`;
}

/** Reads a link; what it does not understand it leaves out. */
export function fromHash(hash: string): Place | null {
    const [id, query = ''] = hash.replace(/^#/, '').split('?');
    if (id === '') return null;
    const params = new URLSearchParams(query);
    const flags: Record<string, boolean> = {};
    for (const name of list(params.get('on'))) flags[name] = true;
    for (const name of list(params.get('not'))) flags[name] = false;
    const view = { x: readRange(params.get('x')), y: readRange(params.get('y')), flags };
    const off = params.has('off') ? list(params.get('off')).map(Number).filter(Number.isInteger) : null;
    return { id: decoded(id), view, off };
}

function decoded(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

const range = ([a, b]: Range): string => `${+a.toPrecision(10)},${+b.toPrecision(10)}`;

const list = (text: string | null): string[] => (text ? text.split(',').filter((part) => part !== '') : []);

function readRange(text: string | null): Range | null {
    const [a, b] = list(text).map(Number);
    return Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null;
}
