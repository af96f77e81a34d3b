// Curves with intervals, steps, stacked areas and bars.

import type { Point, Series } from '../document';
import { percentile } from '../scale';
import { exact } from '../units';
import type { Shape, Theme } from '../theme';
import { px, py, type AxisSpec, type Frame, type Hit, type Layer } from './scene';
import type { Pen } from './pen';

export interface Curve {
    name: string;
    /** What a paper calls it. */
    term: string;
    series: Series;
    colour: (theme: Theme) => string;
    shape: Shape;
    dash: number[];
    /** For stacked series the sum of those below, for each point. */
    base: number[] | null;
    /** Place among bars that stand side by side, and how many there are. */
    slot: [number, number];
}

/** Dots are left out where points are closer than this, in pixels. */
const DOTS_APART = 5;
const REACH = 16;

export class CurveLayer implements Layer {
    constructor(private readonly curve: Curve, private readonly x: AxisSpec, private readonly y: AxisSpec) {}

    draw(pen: Pen, frame: Frame): void {
        const { look } = this.curve.series;
        if (look === 'bars') this.drawBars(pen, frame);
        else if (look === 'stacked') this.drawStack(pen, frame);
        else this.drawLine(pen, frame, look === 'steps');
    }

    private drawLine(pen: Pen, frame: Frame, isSteps: boolean): void {
        const { series, shape, dash } = this.curve;
        const colour = this.curve.colour(frame.theme);
        for (const run of runs(series.points)) {
            const points = run.flatMap((p, i) => {
                const [x, y] = [px(frame, p.x), py(frame, p.y!)];
                return isSteps && i > 0 ? [x, py(frame, run[i - 1].y!), x, y] : [x, y];
            });
            // Between places that have no order there is nothing.
            if (this.x.labels.length === 0 && series.look !== 'points')
                pen.line(points, { colour, width: 1.8, dash });
        }
        const given = series.points.filter((p) => p.y !== null);
        for (const p of given) this.drawInterval(pen, frame, p, colour);
        const apart = frame.width / Math.max(1, visible(given, frame));
        const places = given.flatMap((p) => [px(frame, p.x) + this.shift(frame), py(frame, p.y!)]);
        // A distribution ends where too few IOs tell it.
        if (this.y.unit === 'percentile') pen.dots(shape, places.slice(-2), 4, colour, frame.theme.paper);
        const isLarge = apart > 14 || series.look === 'points';
        if (!isSteps && (apart >= DOTS_APART || isLarge))
            pen.dots(shape, places, isLarge ? 3.4 : 2.2, colour, frame.theme.paper);
    }

    private drawInterval(pen: Pen, frame: Frame, point: Point, colour: string): void {
        if (!point.interval) return;
        const x = px(frame, point.x) + this.shift(frame);
        const [low, high] = point.interval.map((v) => Math.min(2e4, Math.max(-2e4, py(frame, v))));
        // One that leaves the frame says little, and must not hide others.
        const isInside = low <= frame.top + frame.height && high >= frame.top;
        const stroke = { colour, width: 1.3, opacity: isInside ? 0.8 : 0.35 };
        pen.line([x, low, x, high], stroke);
        for (const y of [low, high]) pen.line([x - 3.5, y, x + 3.5, y], stroke);
    }

    private drawStack(pen: Pen, frame: Frame): void {
        const colour = this.curve.colour(frame.theme);
        const { points } = this.curve.series;
        const { base } = this.curve;
        const [upper, lower]: number[][] = [[], []];
        points.forEach((p, i) => {
            const [x, next] = [px(frame, p.x), px(frame, points[i + 1]?.x ?? p.x)];
            const from = base?.[i] ?? 0;
            upper.push(x, py(frame, from + (p.y ?? 0)), next, py(frame, from + (p.y ?? 0)));
            lower.unshift(next, this.floor(frame, from), x, this.floor(frame, from));
        });
        // `unshift` turns the order around, which is the way back along the lower edge.
        pen.area([...upper, ...lower], colour, 0.72);
    }

    private drawBars(pen: Pen, frame: Frame): void {
        const colour = this.curve.colour(frame.theme);
        const width = Math.max(1, this.slotWidth(frame) - 1);
        for (const p of this.curve.series.points) {
            if (p.y === null) continue;
            const x = px(frame, p.x) + this.shift(frame) - width / 2;
            const [y, zero] = [py(frame, p.y), this.floor(frame, 0)];
            pen.rect(x, Math.min(y, zero), width, Math.max(1, Math.abs(zero - y)), colour, 0.8);
            this.drawInterval(pen, frame, p, frame.theme.ink);
        }
    }

    /** A log axis has no zero; there bars stand on the frame. */
    private floor(frame: Frame, value: number): number {
        return this.y.isLog && value <= 0 ? frame.top + frame.height : py(frame, value);
    }

    private slotWidth(frame: Frame): number {
        const { points } = this.curve.series;
        let gap = this.x.labels.length > 0 ? Math.abs(px(frame, 1) - px(frame, 0)) : frame.width / 2;
        for (let i = 1; i < points.length; i++) {
            const far = Math.abs(px(frame, points[i].x) - px(frame, points[i - 1].x));
            if (far > 0) gap = Math.min(gap, far);
        }
        return Math.min(64, (gap * 0.8) / this.curve.slot[1]);
    }

    private shift(frame: Frame): number {
        const isBars = this.curve.series.look === 'bars';
        if (!isBars && this.x.labels.length === 0) return 0;
        const [at, of] = this.curve.slot;
        return (at - (of - 1) / 2) * Math.min(this.slotWidth(frame), isBars ? Infinity : 12);
    }

    hit(frame: Frame, x: number, y: number): Hit | null {
        let best: { i: number; far: number } | null = null;
        this.curve.series.points.forEach((p, i) => {
            if (p.y === null) return;
            const dx = px(frame, p.x) + this.shift(frame) - x;
            const dy = Number.isNaN(y) ? 0 : this.top(frame, i) - y;
            // Whatever is inside a bar or an area is on it; of points the nearest is meant.
            const far = this.reachable(frame, i, dx, dy) && this.isFilled ? 0 : Math.hypot(dx, dy);
            if (!best || far < best.far) best = { i, far };
        });
        if (!best) return null;
        const { i, far } = best as { i: number; far: number };
        return { ...this.describe(frame, i), far };
    }

    private get isFilled(): boolean {
        return ['bars', 'stacked'].includes(this.curve.series.look);
    }

    stops(frame: Frame): number[] {
        return this.curve.series.points
            .filter((p) => p.y !== null)
            .map((p) => px(frame, p.x) + this.shift(frame))
            .filter((at) => at >= frame.left - 1 && at <= frame.left + frame.width + 1);
    }

    private top(frame: Frame, i: number): number {
        return py(frame, (this.curve.base?.[i] ?? 0) + this.curve.series.points[i].y!);
    }

    /** Bars and areas are hit anywhere inside. */
    private reachable(frame: Frame, i: number, dx: number, dy: number): boolean {
        const { look, points } = this.curve.series;
        if (look === 'bars') return Math.abs(dx) <= Math.max(4, this.slotWidth(frame) / 2) && dy < 6;
        const next = points[i + 1] ? px(frame, points[i + 1].x) - px(frame, points[i].x) : REACH;
        const below = dy <= 2 && dy > -this.height(frame, i);
        return look === 'stacked' && dx <= 1 && -dx < next && (Number.isNaN(dy) || below);
    }

    private height(frame: Frame, i: number): number {
        return Math.abs(this.floor(frame, this.curve.base?.[i] ?? 0) - this.top(frame, i));
    }

    private describe(frame: Frame, i: number): Hit {
        const p = this.curve.series.points[i];
        const title = this.curve.term ? `${this.curve.name} (${this.curve.term})` : this.curve.name;
        const colour = this.curve.colour(frame.theme);
        const [x, y] = [px(frame, p.x) + this.shift(frame), this.top(frame, i)];
        if (this.y.unit === 'percentile')
            return { x, y, title, colour, rows: [[percentile(p.y!), exact(p.x, this.x.unit, 4)]] };
        const rows: [string, string][] = [[this.y.label || 'value', exact(p.y!, this.y.unit, 5)]];
        if (p.interval) {
            const ends = p.interval.map((v) => exact(v, this.y.unit, 5)).join(' to ');
            rows.push(['interval at 95 %', ends]);
        }
        const at = this.x.labels[p.x] ?? exact(p.x, this.x.unit, 5);
        rows.unshift([this.x.label || 'at', p.label && p.label !== at ? `${p.label} (${at})` : at]);
        return { x, y, title, colour, rows, link: p.link };
    }
}

function visible(points: Point[], frame: Frame): number {
    return points.filter((p) => p.x >= frame.x.min && p.x <= frame.x.max).length;
}

/** Stretches of points without gaps. */
function runs(points: Point[]): Point[][] {
    const all: Point[][] = [];
    let run: Point[] = [];
    for (const point of points) {
        if (point.y === null) {
            if (run.length > 0) all.push(run);
            run = [];
        } else run.push(point);
    }
    if (run.length > 0) all.push(run);
    return all;
}
