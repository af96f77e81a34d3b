// A pen that writes SVG. Dots beyond a limit become a picture inside it, so that a file stays one that other
// programs open.

import { CanvasPen, corners, FONT, type Lettering, type Pen, type Stroke } from '../canvas/pen';
import type { Shape } from '../theme';

/** More dots than this in one call are embedded as a picture. */
export const DOTS_MAX = 20_000;

const BASELINES = { top: 'hanging', middle: 'central', bottom: 'auto' };
const ANCHORS = { left: 'start', center: 'middle', right: 'end' };

export class SvgPen implements Pen {
    private readonly parts: string[] = [];
    private clips = 0;

    constructor(readonly width: number, readonly height: number) {}

    /** The whole file. */
    finish(title: string): string {
        const { width, height } = this;
        const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
        const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(FONT)}">`;
        return `${head}\n<title>${escaped(title)}</title>\n${this.parts.join('\n')}\n</svg>\n`;
    }

    line(points: number[], { colour, width = 1, dash = [], opacity = 1 }: Stroke): void {
        const dashed = dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : '';
        const stroke = `fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"`;
        this.parts.push(`<path d="${path(points)}" ${stroke}${dashed}${faint(opacity, 'stroke')}/>`);
    }

    area(points: number[], colour: string, opacity: number): void {
        this.parts.push(`<path d="${path(points)}Z" fill="${colour}"${faint(opacity, 'fill')}/>`);
    }

    rect(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
        const place = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
        this.parts.push(`<rect ${place} fill="${colour}"${faint(opacity, 'fill')}/>`);
    }

    dots(shape: Shape, points: number[], radius: number, colour: string, halo?: string): void {
        if (points.length / 2 > DOTS_MAX) {
            this.dotsAsPicture(shape, points, radius, colour);
            return;
        }
        const outline = corners(shape);
        let d = '';
        for (let i = 0; i < points.length; i += 2) d += dot(outline, points[i], points[i + 1], radius);
        const stroke = halo ? ` stroke="${halo}" stroke-width="2" paint-order="stroke"` : '';
        if (d !== '') this.parts.push(`<path d="${d}" fill="${colour}"${stroke}/>`);
    }

    text(x: number, y: number, text: string, l: Lettering): void {
        const place = `x="${short(x)}" y="${short(y)}" font-size="${l.size ?? 12}" fill="${l.colour}"`;
        const anchor = `text-anchor="${ANCHORS[l.align ?? 'left']}"`;
        const baseline = `dominant-baseline="${BASELINES[l.baseline ?? 'middle']}"`;
        const halo = l.halo ? ` stroke="${l.halo}" stroke-width="3" paint-order="stroke"` : '';
        const bold = l.isBold ? ' font-weight="600"' : '';
        this.parts.push(`<text ${place} ${anchor} ${baseline}${bold}${halo}>${escaped(text)}</text>`);
    }

    image(picture: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
        const place = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
        const look = 'preserveAspectRatio="none" style="image-rendering:pixelated"';
        this.parts.push(`<image ${place} ${look} href="${picture.toDataURL()}"/>`);
    }

    clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
        const id = `clip${this.clips++}`;
        const place = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
        this.parts.push(`<clipPath id="${id}"><rect ${place}/></clipPath><g clip-path="url(#${id})">`);
        draw();
        this.parts.push('</g>');
    }

    private dotsAsPicture(shape: Shape, points: number[], radius: number, colour: string): void {
        const picture = document.createElement('canvas');
        picture.width = this.width * 2;
        picture.height = this.height * 2;
        const context = picture.getContext('2d')!;
        context.scale(2, 2);
        new CanvasPen(context).dots(shape, points, radius, colour);
        this.image(picture, 0, 0, this.width, this.height);
    }
}

function dot(outline: number[], x: number, y: number, r: number): string {
    if (outline.length === 0) {
        const d = short(2 * r);
        return `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0-${d} 0`;
    }
    return `${path(outline.map((v, i) => v * r + (i % 2 === 0 ? x : y)))}Z`;
}

function path(points: number[]): string {
    let d = '';
    for (let i = 0; i < points.length; i += 2)
        d += `${i === 0 ? 'M' : 'L'}${short(points[i])} ${short(points[i + 1])}`;
    return d;
}

/** A hundredth of a pixel is enough, and halves the file. */
const short = (value: number): string => String(Math.round(value * 100) / 100);

const faint = (opacity: number, kind: string): string => (opacity < 1 ? ` ${kind}-opacity="${opacity}"` : '');

export function escaped(text: string): string {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
