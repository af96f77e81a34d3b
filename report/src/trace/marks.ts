// What the analysis found in a trace, drawn into it: start-up, regimes, period, mean, and the running
// averages.

import type { Frame, Layer } from '../canvas/scene';
import { px, py, xAt } from '../canvas/scene';
import type { Pen } from '../canvas/pen';
import type { Theme } from '../theme';
import { count, format } from '../units';
import type { TraceData } from './data';

export interface MarksLook {
    isTime: boolean;
    /** Colour of the result if there are several. */
    colour: ((theme: Theme) => string) | null;
}

const place = (data: TraceData, frame: Frame, io: number, isTime: boolean): number =>
    px(frame, frame.x.isLog ? Math.max(data.leastX(isTime), at(data, io, isTime)) : at(data, io, isTime));

const at = (data: TraceData, io: number, isTime: boolean): number => (isTime ? data.timeOf(io) : io);

/** Words on a ground of their own, since there may be anything below. */
function label(pen: Pen, theme: Theme, x: number, y: number, words: string, colour: string): void {
    pen.rect(x, y, words.length * 6.2 + 8, 15, theme.paper, 0.82);
    pen.text(x + 4, y + 8, words, { colour, size: 11 });
}

const halo = (theme: Theme): string => theme.paper;

/** The start-up, shaded, and fainter what may belong to it. */
export class StartupLayer implements Layer {
    constructor(private readonly data: TraceData, private readonly look: MarksLook) {}

    draw(pen: Pen, frame: Frame): void {
        const { startup_ios: ios, startup_range_ios: range } = this.data.block.marks;
        if (ios === 0 && range[1] === 0) return;
        const at = (io: number) => Math.max(frame.left - 2, place(this.data, frame, io, this.look.isTime));
        const colour = this.look.colour?.(frame.theme) ?? frame.theme.shade;
        const { top, height } = frame;
        pen.rect(frame.left, top, Math.max(0, at(ios) - frame.left), height, colour, 0.14);
        if (range[1] > range[0])
            pen.rect(at(range[0]), top, at(range[1]) - at(range[0]), height, colour, 0.12);
        pen.line([at(ios), top, at(ios), top + height], { colour, width: 1, dash: [3, 3] });
    }

    above(pen: Pen, frame: Frame): void {
        const { startup_ios: ios, startup_range_ios: range } = this.data.block.marks;
        const at = place(this.data, frame, ios, this.look.isTime);
        const right = frame.left + frame.width;
        if (this.look.colour || (ios === 0 && range[1] === 0) || at < frame.left || at > right) return;
        const words = startupWords(ios, range);
        const x = Math.max(frame.left, Math.min(at, right - words.length * 6.2));
        pen.text(x, frame.top - 8, words, { colour: frame.theme.shade, size: 11 });
    }
}

export function startupWords(ios: number, [low, high]: [number, number]): string {
    if (ios === 0) return `no warm-up (at most ${count(high)} IOs)`;
    const between = high > low ? ` (${count(low)} to ${count(high)})` : '';
    return `warm-up: ${count(ios)} IOs${between}`;
}

/** The mean of each level. */
export class RegimesLayer implements Layer {
    constructor(private readonly data: TraceData, private readonly look: MarksLook) {}

    draw(pen: Pen, frame: Frame): void {
        const { regimes } = this.data.block.marks;
        const colour = this.look.colour?.(frame.theme) ?? frame.theme.palette[2];
        regimes.forEach(([from, mean], i) => {
            const end = i + 1 < regimes.length ? regimes[i + 1][0] : this.data.block.ios;
            const [x0, x1] = [from, end].map((io) => place(this.data, frame, io, this.look.isTime));
            const y = py(frame, mean);
            pen.line([x0, y, x1, y], { colour: halo(frame.theme), width: 6, opacity: 0.7 });
            pen.line([x0, y, x1, y], { colour, width: 3.5 });
            pen.line([x0, y - 5, x0, y + 5], { colour, width: 2 });
        });
    }
}

/** Ticks at the top where each cycle begins, once there is room for them. */
export class PeriodLayer implements Layer {
    constructor(private readonly data: TraceData, private readonly look: MarksLook) {}

    draw(pen: Pen, frame: Frame): void {
        const { period_ios: period, startup_ios: startup } = this.data.block.marks;
        if (!period) return;
        const { isTime } = this.look;
        const seen = (x: number) => Math.max(0, isTime ? this.data.ioAt(x) : x);
        const [from, to] = [seen(frame.x.min), seen(frame.x.max)];
        if (to <= from || frame.width / ((to - from) / period) < 7) return;
        const colour = this.look.colour?.(frame.theme) ?? frame.theme.faint;
        const bottom = frame.top + frame.height;
        for (let k = Math.max(0, Math.floor((from - startup) / period)); ; k++) {
            const io = startup + k * period;
            if (io > to || io > this.data.block.ios) break;
            const x = place(this.data, frame, io, isTime);
            pen.line([x, frame.top, x, bottom], { colour, opacity: 0.22 });
            pen.line([x, bottom - 8, x, bottom], { colour, width: 1.5 });
        }
    }
}

/** The mean of the running phase and its interval. */
export class MeanLayer implements Layer {
    constructor(private readonly data: TraceData, private readonly look: MarksLook) {}

    draw(pen: Pen, frame: Frame): void {
        const { mean_ns: mean, startup_ios: startup } = this.data.block.marks;
        if (!mean) return;
        const colour = this.look.colour?.(frame.theme) ?? frame.theme.accent;
        const x0 = Math.max(frame.left, place(this.data, frame, startup, this.look.isTime));
        const x1 = Math.min(
            frame.left + frame.width,
            place(this.data, frame, this.data.block.ios, this.look.isTime),
        );
        if (x1 <= x0) return;
        const [y, low, high] = mean.map((value) => py(frame, Math.max(value, 1)));
        pen.rect(x0, Math.min(low, high), x1 - x0, Math.abs(high - low), colour, 0.22);
        pen.line([x0, y, x1, y], { colour, width: 1.4, dash: [6, 4] });
        if (this.look.colour) return;
        const words = `mean ${format(mean[0], 'ns')}`;
        label(pen, frame.theme, x1 - words.length * 6.4 - 12, y - 19, words, colour);
    }
}

/** The mean of all IOs up to each, from the first or from the end of the start-up. */
export class AverageLayer implements Layer {
    constructor(
        private readonly data: TraceData,
        private readonly look: MarksLook,
        private readonly isWithStartup: boolean,
    ) {}

    draw(pen: Pen, frame: Frame): void {
        const begin = this.isWithStartup ? 0 : this.data.exactFrom(this.data.block.marks.startup_ios);
        const before = this.data.sumTo(begin);
        const points: number[] = [];
        let last = -1;
        for (let x = frame.left; x <= frame.left + frame.width + 2; x += 1.5) {
            const value = xAt(frame, x);
            const io = Math.min(
                this.data.ios,
                Math.floor(this.look.isTime ? this.data.ioAt(value) : value) + 1,
            );
            if (io <= begin || io === last) continue;
            last = io;
            const mean = (this.data.sumTo(io) - before) / (io - begin);
            points.push(place(this.data, frame, io - 1, this.look.isTime), py(frame, Math.max(mean, 1)));
        }
        const colour = this.look.colour?.(frame.theme) ?? frame.theme.ink;
        pen.line(points, { colour: halo(frame.theme), width: 4, opacity: 0.6 });
        pen.line(points, { colour, width: 1.8, dash: this.isWithStartup ? [7, 4] : [] });
    }
}
