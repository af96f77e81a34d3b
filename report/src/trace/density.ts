// Where a million dots would lie on each other: how many IOs there are in each small square of the picture,
// as a colour. Counting is all that is done for each IO, so that a zoom stays within a frame or two.

import type { Frame } from '../canvas/scene';
import { ramp } from '../canvas/ramp';
import { toPx, type Mapping } from '../scale';
import type { TraceData } from './data';

/** Sides of a square, in CSS pixels. */
const SQUARE = 2;

export interface Grid {
    columns: number;
    rows: number;
    /** IOs of each square, from the top left. */
    counts: Float32Array;
    max: number;
}

function emptyGrid(frame: Frame): Grid {
    const columns = Math.max(1, Math.ceil(frame.width / SQUARE));
    const rows = Math.max(1, Math.ceil(frame.height / SQUARE));
    return { columns, rows, counts: new Float32Array(columns * rows), max: 0 };
}

/** Counts the IOs `from..to` one by one. */
export function gridOfIos(data: TraceData, frame: Frame, from: number, to: number, isTime: boolean): Grid {
    const grid = emptyGrid(frame);
    const { response, submit } = data.all!;
    const toX = placer(frame.x, frame.left);
    const [base, factor] = line(frame.y, frame.top);
    const heights = frame.y.isLog ? data.logs() : response;
    for (let i = from; i < to; i++) {
        const x = toX(isTime ? submit[i] : i);
        const y = base + heights[i] * factor;
        if (x >= 0 && y >= 0 && x < grid.columns && y < grid.rows)
            grid.counts[(y | 0) * grid.columns + (x | 0)]++;
    }
    return withMax(grid);
}

/** From a value, or its logarithm, to squares: begin and slope. Taken apart, since it runs for each IO. */
function line(m: Mapping, start: number): [number, number] {
    const [min, max] = m.isLog ? [Math.log(m.min), Math.log(m.max)] : [m.min, m.max];
    const factor = (m.to - m.from) / (max - min) / SQUARE;
    return [(m.from - start) / SQUARE - min * factor, factor];
}

function placer(m: Mapping, start: number): (value: number) => number {
    const [base, factor] = line(m, start);
    return m.isLog ? (v) => base + Math.log(v < 1 ? 1 : v) * factor : (v) => base + v * factor;
}

/** Spreads the cells of the columns `from..to` over the squares they cover. */
export function gridOfColumns(
    data: TraceData,
    frame: Frame,
    from: number,
    to: number,
    isTime: boolean,
): Grid {
    const grid = emptyGrid(frame);
    const { cellStart, row, count } = data.columns!;
    const edges = rowEdges(frame);
    for (let c = from; c < to; c++) {
        const [x0, x1] = columnEdges(data, frame, c, isTime);
        const [begin, end] = [x0, x1].map((x) => Math.round((x - frame.left) / SQUARE));
        const left = Math.max(0, begin);
        const right = Math.min(grid.columns - 1, Math.max(begin, end - 1));
        if (right < left) continue;
        for (let i = cellStart[c]; i < cellStart[c + 1]; i++) {
            const top = Math.max(0, edges[row[i] + 1]);
            const bottom = Math.min(grid.rows - 1, Math.max(edges[row[i] + 1], edges[row[i]] - 1));
            const each = count[i] / ((right - left + 1) * Math.max(1, bottom - top + 1));
            for (let y = top; y <= bottom; y++) {
                for (let x = left; x <= right; x++) grid.counts[y * grid.columns + x] += each;
            }
        }
    }
    return withMax(grid);
}

/** The row of squares at which each row of response times begins, from the bottom. */
function rowEdges(frame: Frame): Int32Array {
    const edges = new Int32Array(1026);
    for (let r = 0; r < edges.length; r++) {
        const y = toPx(frame.y, 2 ** (r / 16));
        edges[r] = Math.round(Math.min(1e6, Math.max(-1e6, (y - frame.top) / SQUARE)));
    }
    return edges;
}

/** Left and right end of a column, in pixels. */
export function columnEdges(data: TraceData, frame: Frame, c: number, isTime: boolean): [number, number] {
    const k = data.block.column_ios;
    const [from, to] = [c * k, c * k + data.columnIos(c)];
    const place = (io: number) => toPx(frame.x, isTime ? data.timeOf(io) : io);
    return [place(from), place(to)];
}

function withMax(grid: Grid): Grid {
    for (const value of grid.counts) if (value > grid.max) grid.max = value;
    return grid;
}

/** A grid as a picture: in the ramp, or in a colour of its own that several can share a place. */
export function picture(grid: Grid, isDark: boolean, colour: string | null): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.width = grid.columns;
    canvas.height = grid.rows;
    const context = canvas.getContext('2d')!;
    const image = context.createImageData(grid.columns, grid.rows);
    const table = ramp(isDark);
    const own = colour === null ? null : [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const scale = 1 / Math.log1p(Math.max(grid.max, 1));
    for (let i = 0; i < grid.counts.length; i++) {
        if (grid.counts[i] === 0) continue;
        const t = Math.min(1, Math.log1p(grid.counts[i]) * scale);
        const at = own ? 0 : (30 + Math.round(t * 225)) * 3;
        for (let k = 0; k < 3; k++) image.data[i * 4 + k] = own ? own[k] : table[at + k];
        image.data[i * 4 + 3] = own ? 70 + t * 170 : 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

export const SQUARE_PX = SQUARE;
