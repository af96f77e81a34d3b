// Values on a grid as a picture.

import type { HeatBlock } from '../document';
import { exact, format } from '../units';
import { px, py, type Frame, type Hit, type Layer } from './scene';
import type { Pen } from './pen';
import { ramp } from './ramp';

export class HeatLayer implements Layer {
    readonly rows: number;
    readonly min: number;
    readonly max: number;
    private pictures = new Map<boolean, HTMLCanvasElement>();

    constructor(private readonly heat: HeatBlock) {
        this.rows = heat.columns > 0 ? Math.ceil(heat.values.length / heat.columns) : 0;
        const given = heat.values.filter((v): v is number => v !== null);
        this.min = given.reduce((a, b) => Math.min(a, b), given.length > 0 ? Infinity : 0);
        this.max = given.reduce((a, b) => Math.max(a, b), given.length > 0 ? -Infinity : 0);
    }

    draw(pen: Pen, frame: Frame): void {
        if (this.rows === 0) return;
        const { x_range: xs, y_range: ys } = this.heat;
        const [left, right, top, bottom] = [
            px(frame, xs[0]),
            px(frame, xs[1]),
            py(frame, ys[1]),
            py(frame, ys[0]),
        ];
        pen.image(this.picture(frame.theme.isDark), left, top, right - left, bottom - top);
    }

    /** The share of a value between the least and the largest. */
    share(value: number): number {
        return this.max > this.min ? (value - this.min) / (this.max - this.min) : 0.5;
    }

    private picture(isDark: boolean): HTMLCanvasElement {
        const kept = this.pictures.get(isDark);
        if (kept) return kept;
        const { columns, values } = this.heat;
        const canvas = document.createElement('canvas');
        canvas.width = columns;
        canvas.height = this.rows;
        const context = canvas.getContext('2d')!;
        const image = context.createImageData(columns, this.rows);
        const table = ramp(isDark);
        values.forEach((value, i) => {
            if (value === null) return;
            const row = this.rows - 1 - Math.floor(i / columns);
            const to = (row * columns + (i % columns)) * 4;
            const from = Math.round(this.share(value) * 255) * 3;
            image.data.set([table[from], table[from + 1], table[from + 2], 255], to);
        });
        context.putImageData(image, 0, 0);
        this.pictures.set(isDark, canvas);
        return canvas;
    }

    hit(frame: Frame, x: number, y: number): Hit | null {
        const { x_range: xs, y_range: ys, columns } = this.heat;
        const [left, right, top, bottom] = [
            px(frame, xs[0]),
            px(frame, xs[1]),
            py(frame, ys[1]),
            py(frame, ys[0]),
        ];
        const up = Number.isNaN(y) ? (top + bottom) / 2 : y;
        const column = Math.floor(((x - left) / (right - left)) * columns);
        const row = Math.floor(((bottom - up) / (bottom - top)) * this.rows);
        if (column < 0 || row < 0 || column >= columns || row >= this.rows) return null;
        const value = this.heat.values[row * columns + column];
        if (value === null || value === undefined) return null;
        const along = (i: number) => xs[0] + ((xs[1] - xs[0]) * i) / columns;
        const upwards = (i: number) => ys[0] + ((ys[1] - ys[0]) * i) / this.rows;
        const { x: ax, y: ay } = this.heat;
        const rows: [string, string][] = [
            [ax.label, `${format(along(column), ax.unit)} to ${format(along(column + 1), ax.unit)}`],
            [ay.label, `${format(upwards(row), ay.unit)} to ${format(upwards(row + 1), ay.unit)}`],
        ];
        const title = `${exact(value, '', 5)} ${this.heat.value}`;
        const at = Math.round(this.share(value) * 255) * 3;
        const colour = `rgb(${ramp(frame.theme.isDark).subarray(at, at + 3).join()})`;
        return { x, y: up, title, colour, rows };
    }

    stops(frame: Frame): number[] {
        const [left, right] = [px(frame, this.heat.x_range[0]), px(frame, this.heat.x_range[1])];
        const width = (right - left) / Math.max(1, this.heat.columns);
        return Array.from({ length: this.heat.columns }, (_, i) => left + width * (i + 0.5))
            .filter((at) => at >= frame.left && at <= frame.left + frame.width);
    }
}
