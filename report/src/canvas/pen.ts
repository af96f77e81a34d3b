// What pictures are drawn with: on a canvas, or as SVG. A layer says what, a pen how; so the screen and the
// exported files are the same picture.

import type { Shape } from '../theme';

export interface Stroke {
    colour: string;
    width?: number;
    dash?: number[];
    opacity?: number;
}

export interface Lettering {
    colour: string;
    align?: 'left' | 'center' | 'right';
    baseline?: 'top' | 'middle' | 'bottom';
    size?: number;
    isBold?: boolean;
    /** Drawn behind the letters, so that they can be read on anything. */
    halo?: string;
}

/** Points are x, y, x, y, ..; all lengths in CSS pixels. */
export interface Pen {
    line(points: number[], stroke: Stroke): void;
    area(points: number[], colour: string, opacity: number): void;
    rect(x: number, y: number, width: number, height: number, colour: string, opacity?: number): void;
    dots(shape: Shape, points: number[], radius: number, colour: string, halo?: string): void;
    text(x: number, y: number, text: string, lettering: Lettering): void;
    image(picture: HTMLCanvasElement, x: number, y: number, width: number, height: number): void;
    clipped(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** Corners of a shape around 0 for radius 1; none for a circle. */
export function corners(shape: Shape): number[] {
    switch (shape) {
        case 'circle':
            return [];
        case 'triangle':
            return [0, -1.25, 1.15, 0.85, -1.15, 0.85];
        case 'down':
            return [0, 1.25, 1.15, -0.85, -1.15, -0.85];
        case 'square':
            return [-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9];
        case 'diamond':
            return [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0];
        case 'cross':
            return [
                -1.2, -0.7, -0.7, -1.2, 0, -0.5, 0.7, -1.2, 1.2, -0.7, 0.5, 0, 1.2, 0.7, 0.7, 1.2, 0, 0.5,
                -0.7, 1.2, -1.2, 0.7, -0.5, 0,
            ];
        case 'plus':
            return [
                -0.35, -1.3, 0.35, -1.3, 0.35, -0.35, 1.3, -0.35, 1.3, 0.35, 0.35, 0.35, 0.35, 1.3, -0.35,
                1.3, -0.35, 0.35, -1.3, 0.35, -1.3, -0.35, -0.35, -0.35,
            ];
    }
}

export class CanvasPen implements Pen {
    constructor(private readonly context: CanvasRenderingContext2D) {}

    line(points: number[], { colour, width = 1, dash = [], opacity = 1 }: Stroke): void {
        const c = this.context;
        c.globalAlpha = opacity;
        c.strokeStyle = colour;
        c.lineWidth = width;
        c.lineJoin = 'round';
        c.setLineDash(dash);
        this.path(points);
        c.stroke();
        c.setLineDash([]);
        c.globalAlpha = 1;
    }

    area(points: number[], colour: string, opacity: number): void {
        this.context.globalAlpha = opacity;
        this.context.fillStyle = colour;
        this.path(points);
        this.context.fill();
        this.context.globalAlpha = 1;
    }

    rect(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
        this.context.globalAlpha = opacity;
        this.context.fillStyle = colour;
        this.context.fillRect(x, y, width, height);
        this.context.globalAlpha = 1;
    }

    dots(shape: Shape, points: number[], radius: number, colour: string, halo?: string): void {
        const c = this.context;
        const outline = corners(shape);
        c.beginPath();
        for (let i = 0; i < points.length; i += 2) {
            if (outline.length === 0) {
                c.moveTo(points[i] + radius, points[i + 1]);
                c.arc(points[i], points[i + 1], radius, 0, 2 * Math.PI);
                continue;
            }
            for (let k = 0; k < outline.length; k += 2) {
                const [x, y] = [points[i] + outline[k] * radius, points[i + 1] + outline[k + 1] * radius];
                if (k === 0) c.moveTo(x, y);
                else c.lineTo(x, y);
            }
            c.closePath();
        }
        if (halo) {
            c.strokeStyle = halo;
            c.lineWidth = 2;
            c.stroke();
        }
        c.fillStyle = colour;
        c.fill();
    }

    text(x: number, y: number, text: string, l: Lettering): void {
        const c = this.context;
        c.font = `${l.isBold ? '600 ' : ''}${l.size ?? 12}px ${FONT}`;
        c.textAlign = l.align ?? 'left';
        c.textBaseline = l.baseline ?? 'middle';
        if (l.halo) {
            c.strokeStyle = l.halo;
            c.lineWidth = 3;
            c.lineJoin = 'round';
            c.strokeText(text, x, y);
        }
        c.fillStyle = l.colour;
        c.fillText(text, x, y);
    }

    image(picture: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
        this.context.imageSmoothingEnabled = false;
        this.context.drawImage(picture, x, y, width, height);
    }

    clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
        draw();
        this.context.restore();
    }

    private path(points: number[]): void {
        this.context.beginPath();
        for (let i = 0; i < points.length; i += 2) {
            if (i === 0) this.context.moveTo(points[0], points[1]);
            else this.context.lineTo(points[i], points[i + 1]);
        }
    }
}
