// The IOs of a trace as a layer: dots while they stand apart, density where they do not, and the extremes
// always as dots on top.

import type { Frame, Hit, Layer } from '../canvas/scene';
import { px, py, xAt } from '../canvas/scene';
import type { Pen } from '../canvas/pen';
import { colourOf, shapeOf, type Shape, type Theme } from '../theme';
import type { TraceData } from './data';
import { columnEdges, gridOfColumns, gridOfIos, picture, SQUARE_PX, type Grid } from './density';
import { describeColumn, describeIo, describeSlowest, describeFastest } from './words';

/** More IOs than this in sight are drawn as density. */
const DOTS_MAX = 8_000;
/** Width of the stripes of which each shows its slowest IO, in pixels. */
const STRIPE = 10;
const REACH = 14;
/** Stands for an operation that is not kept. */
const UNKNOWN = -1;

/** Of the dots, in pixels, by how many there are. */
const radius = (ios: number): number => (ios > 1500 ? 1.6 : ios > 250 ? 2.3 : 3.2);

export interface IosLook {
    isTime: boolean;
    /** Of one result among several the number, for its colour; else colours mean operations. */
    result: number | null;
    resultName: string;
}

/** An IO that is drawn by itself. */
interface Spot {
    x: number;
    ns: number;
    op: number;
    hit: (x: number, y: number, theme: Theme) => Hit;
}

export class IosLayer implements Layer {
    private kept: { key: string; grid: Grid } | null = null;

    constructor(readonly data: TraceData, readonly look: IosLook) {}

    draw(pen: Pen, frame: Frame): void {
        const [from, to] = this.visible(frame);
        const isDense = this.isDense(frame);
        if (isDense) {
            this.drawDensity(pen, frame, from, to);
            this.drawSpots(pen, frame, this.extremes(frame), 2.6, frame.theme.paper);
        } else if (this.data.all) {
            this.drawSpots(pen, frame, this.singles(from, to), radius(to - from));
        } else {
            this.drawHead(pen, frame, from, to);
        }
    }

    private xOf(frame: Frame, x: number): number {
        return px(frame, frame.x.isLog ? Math.max(x, this.data.leastX(this.look.isTime)) : x);
    }

    /** IOs in sight, with a little more at both ends. */
    visible(frame: Frame): [number, number] {
        const at = (x: number) => (this.look.isTime ? this.data.ioAt(x) : Math.floor(x));
        const from = Math.max(0, at(frame.x.min) - 1);
        return [Math.min(from, this.data.ios), Math.max(0, Math.min(this.data.ios, at(frame.x.max) + 2))];
    }

    isDense(frame: Frame): boolean {
        const [from, to] = this.visible(frame);
        if (this.data.all) return to - from > DOTS_MAX;
        return this.look.isTime || to > this.data.columns!.head.length || to - from > DOTS_MAX;
    }

    private drawDensity(pen: Pen, frame: Frame, from: number, to: number): void {
        const { min, max, isLog } = frame.x;
        const y = frame.y;
        const key = [min, max, isLog, y.min, y.max, y.isLog, frame.width, frame.height].join();
        if (this.kept?.key !== key) {
            const k = this.data.block.column_ios;
            const { isTime } = this.look;
            const grid = this.data.all
                ? gridOfIos(this.data, frame, from, to, isTime)
                : gridOfColumns(this.data, frame, Math.floor(from / k), Math.ceil(to / k), isTime);
            this.kept = { key, grid };
        }
        const { grid } = this.kept;
        const own = this.look.result === null ? null : colourOf(frame.theme, this.look.result);
        const size: [number, number] = [grid.columns * SQUARE_PX, grid.rows * SQUARE_PX];
        pen.image(picture(grid, frame.theme.isDark, own), frame.left, frame.top, ...size);
    }

    private drawHead(pen: Pen, frame: Frame, from: number, to: number): void {
        const { head } = this.data.columns!;
        const points: number[] = [];
        for (let i = from; i < to; i++) points.push(this.xOf(frame, i), py(frame, Math.max(1, head[i])));
        pen.dots(
            this.shape(this.likelyOp),
            points,
            radius(to - from),
            this.colour(frame.theme, this.likelyOp),
        );
    }

    private drawSpots(pen: Pen, frame: Frame, spots: Iterable<Spot>, radius: number, halo?: string): void {
        const byOp = new Map<number, number[]>();
        for (const spot of spots) {
            const points = byOp.get(spot.op) ?? [];
            byOp.set(spot.op, points);
            points.push(this.xOf(frame, spot.x), py(frame, Math.max(1, spot.ns)));
        }
        byOp.forEach((points, op) =>
            pen.dots(this.shape(op), points, radius, this.colour(frame.theme, op), halo),
        );
    }

    private colour(theme: Theme, op: number): string {
        if (this.look.result === null && op === UNKNOWN) return theme.faint;
        return colourOf(theme, this.look.result ?? op);
    }

    private shape(op: number): Shape {
        return shapeOf(this.look.result ?? Math.max(0, op));
    }

    /** Of IOs whose operation is not kept: known all the same where there is only one. */
    private get likelyOp(): number {
        return this.data.ops.length === 1 ? this.data.ops[0] : UNKNOWN;
    }

    private *singles(from: number, to: number): Iterable<Spot> {
        for (let i = from; i < to; i++) yield this.single(i);
    }

    private single(i: number): Spot {
        const all = this.data.all!;
        const x = this.look.isTime ? all.submit[i] : i;
        const hit = (px: number, py: number, theme: Theme): Hit =>
            describeIo(this.data, i, px, py, this.colour(theme, all.op?.[i] ?? 0), this.look.resultName);
        return { x, ns: all.response[i], op: all.op?.[i] ?? 0, hit };
    }

    /** The slowest IO of every stripe, and the fastest one in sight. */
    private extremes(frame: Frame): Spot[] {
        const spots: Spot[] = [];
        let fastest: Spot | null = null;
        const [first, last] = this.visible(frame);
        const stripes = Math.max(1, Math.floor(frame.width / STRIPE));
        let from = first;
        for (let s = 1; s <= stripes && from < last; s++) {
            const edge = xAt(frame, frame.left + (frame.width * s) / stripes);
            const at = s === stripes ? last : Math.ceil(this.look.isTime ? this.data.ioAt(edge) : edge);
            const to = Math.min(last, Math.max(from, at));
            const [slow, fast] = this.data.all
                ? this.extremesOfIos(from, to)
                : this.extremesOfColumns(from, to);
            if (slow) spots.push(slow);
            if (fast && (!fastest || fast.ns < fastest.ns)) fastest = fast;
            from = to;
        }
        return fastest ? [...spots, fastest] : spots;
    }

    private extremesOfIos(from: number, to: number): [Spot | null, Spot | null] {
        if (to <= from) return [null, null];
        const { response } = this.data.all!;
        let [slow, fast] = [from, from];
        for (let i = from; i < to; i++) {
            if (response[i] > response[slow]) slow = i;
            if (response[i] < response[fast]) fast = i;
        }
        return [this.single(slow), this.single(fast)];
    }

    private extremesOfColumns(from: number, to: number): [Spot | null, Spot | null] {
        const k = this.data.block.column_ios;
        const [first, last] = [Math.ceil(from / k), Math.ceil(to / k)];
        if (last <= first) return [null, null];
        const { max, min } = this.data.columns!;
        let [slow, fast] = [first, first];
        for (let c = first; c < last && c < max.length; c++) {
            if (max[c] > max[slow]) slow = c;
            if (min[c] < min[fast]) fast = c;
        }
        return [this.slowestOf(slow), this.fastestOf(fast)];
    }

    private slowestOf(c: number): Spot {
        const columns = this.data.columns!;
        const io = c * this.data.block.column_ios + columns.maxAt[c];
        const op = columns.maxOp?.[c] ?? 0;
        const hit = (x: number, y: number, theme: Theme): Hit =>
            describeSlowest(this.data, c, x, y, this.colour(theme, op), this.look.resultName);
        return { x: this.look.isTime ? columns.maxSubmit[c] : io, ns: columns.max[c], op, hit };
    }

    private fastestOf(c: number): Spot {
        const columns = this.data.columns!;
        const io = c * this.data.block.column_ios + columns.minAt[c];
        const hit = (x: number, y: number, theme: Theme): Hit =>
            describeFastest(this.data, c, x, y, this.colour(theme, this.likelyOp), this.look.resultName);
        return {
            x: this.look.isTime ? this.data.timeOf(io) : io,
            ns: columns.min[c],
            op: this.likelyOp,
            hit,
        };
    }

    hit(frame: Frame, x: number, y: number): Hit | null {
        const near = this.nearest(frame, x, y);
        if (near) return near.hit(this.xOf(frame, near.x), py(frame, Math.max(1, near.ns)), frame.theme);
        if (this.data.all || !this.isDense(frame) || Number.isNaN(y)) return null;
        return this.cellAt(frame, x, y);
    }

    stops(frame: Frame): number[] {
        const [from, to] = this.visible(frame);
        const spots =
            this.isDense(frame) || !this.data.all ? this.extremes(frame) : [...this.singles(from, to)];
        return spots
            .map((spot) => this.xOf(frame, spot.x))
            .filter((at) => at >= frame.left && at <= frame.left + frame.width)
            .sort((a, b) => a - b);
    }

    private nearest(frame: Frame, x: number, y: number): Spot | null {
        const at = (pixel: number) => {
            const value = xAt(frame, pixel);
            return Math.max(
                0,
                Math.min(this.data.ios, Math.floor(this.look.isTime ? this.data.ioAt(value) : value)),
            );
        };
        const [from, to] = [at(x - REACH), Math.min(this.data.ios, at(x + REACH) + 2)];
        const far = (place: number, ns: number) => {
            const dy = Number.isNaN(y) ? 0 : py(frame, Math.max(1, ns)) - y;
            return (this.xOf(frame, place) - x) ** 2 + dy * dy;
        };
        return this.data.all
            ? this.nearestIo(from, to, far)
            : this.nearestSpot(this.spots(frame, from, to), far);
    }

    private nearestIo(from: number, to: number, far: (x: number, ns: number) => number): Spot | null {
        const { response, submit } = this.data.all!;
        const step = Math.max(1, Math.floor((to - from) / 200_000));
        let [best, bestFar] = [-1, REACH * REACH];
        for (let i = from; i < to; i += step) {
            const d = far(this.look.isTime ? submit[i] : i, response[i]);
            if (d < bestFar) [best, bestFar] = [i, d];
        }
        return best < 0 ? null : this.single(best);
    }

    private nearestSpot(spots: Iterable<Spot>, far: (x: number, ns: number) => number): Spot | null {
        let best: Spot | null = null;
        let bestFar = REACH * REACH;
        for (const spot of spots) {
            const d = far(spot.x, spot.ns);
            if (d < bestFar) [best, bestFar] = [spot, d];
        }
        return best;
    }

    /** Of columns, what is known one by one: extremes, or the IOs of the head. */
    private *spots(frame: Frame, from: number, to: number): Iterable<Spot> {
        if (!this.isDense(frame)) {
            for (let i = from; i < to; i++) yield this.ofHead(i);
            return;
        }
        const k = this.data.block.column_ios;
        for (let c = Math.max(0, Math.floor(from / k) - 1); c * k < to; c++) {
            yield this.slowestOf(c);
            yield this.fastestOf(c);
        }
    }

    private ofHead(i: number): Spot {
        const hit = (x: number, y: number, theme: Theme): Hit =>
            describeIo(this.data, i, x, y, this.colour(theme, this.likelyOp), this.look.resultName);
        return { x: i, ns: this.data.columns!.head[i], op: this.likelyOp, hit };
    }

    private cellAt(frame: Frame, x: number, y: number): Hit | null {
        const value = xAt(frame, x);
        const io = this.look.isTime ? this.data.ioAt(value) - 1 : Math.floor(value);
        const c = Math.floor(Math.max(0, io) / this.data.block.column_ios);
        if (c >= this.data.columns!.submit.length) return null;
        const [x0, x1] = columnEdges(this.data, frame, c, this.look.isTime);
        const t = (frame.y.from - y) / (frame.y.from - frame.y.to);
        const { min, max, isLog } = frame.y;
        const ns = isLog ? min * (max / min) ** t : min + (max - min) * t;
        const row = Math.floor(Math.log2(Math.max(1, ns)) * 16);
        return describeColumn(this.data, c, row, (x0 + x1) / 2, y, frame.theme.faint, this.look.resultName);
    }
}
