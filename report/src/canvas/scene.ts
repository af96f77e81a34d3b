// A picture as data: two axes and layers that draw between them. `paint` draws all of it for a file; on
// screen the axes are uPlot's and only the layers are drawn here.

import { toPx, toValue, ticks, type Mapping, type Range } from '../scale';
import type { Theme } from '../theme';
import type { Pen } from './pen';

export interface AxisSpec {
    label: string;
    unit: string;
    isLog: boolean;
    /** Its ticks are powers of two, as far as it is logarithmic. */
    isBase2?: boolean;
    /** Labels of a category axis. */
    labels: string[];
    /** What is seen without zoom. */
    full: Range;
}

/** Where and in what a layer draws. */
export interface Frame {
    left: number;
    top: number;
    width: number;
    height: number;
    x: Mapping;
    y: Mapping;
    theme: Theme;
}

/** What is under the cursor. */
export interface Hit {
    /** Place of the thing, in pixels of the frame's picture. */
    x: number;
    y: number;
    title: string;
    colour: string;
    rows: [string, string][];
    /** `id` of the block behind it. */
    link?: string;
    /** From the cursor, in pixels, where the nearest of all layers is wanted; none is certain. */
    far?: number;
}

export interface Layer {
    draw(pen: Pen, frame: Frame): void;
    /** Words above the frame, where no data are. */
    above?(pen: Pen, frame: Frame): void;
    /** What is nearest to a place, if anything is near. */
    hit?(frame: Frame, px: number, py: number): Hit | null;
    /** Places to step through by keyboard, from left to right: values of x. */
    stops?(frame: Frame): number[];
}

export interface LegendEntry {
    name: string;
    colour: string;
    shape?: string;
    dash?: number[];
    kind: 'dot' | 'line' | 'area' | 'ramp';
    /** Switches the entry, if it can be. */
    key?: string;
    isOff?: boolean;
    /** What a paper calls it. */
    term?: string;
    /** Ends of a ramp. */
    ends?: [string, string];
}

export interface Scene {
    x: AxisSpec;
    y: AxisSpec;
    layers: Layer[];
    legend: LegendEntry[];
    /** What to know about the picture, in sentences. */
    notes: string[];
}

export const frameOf = (
    scene: Scene,
    x: Range,
    y: Range,
    box: { left: number; top: number; width: number; height: number },
    theme: Theme,
): Frame => ({
    ...box,
    theme,
    x: { min: x[0], max: x[1], isLog: scene.x.isLog, from: box.left, to: box.left + box.width },
    y: { min: y[0], max: y[1], isLog: scene.y.isLog, from: box.top + box.height, to: box.top },
});

export const px = (frame: Frame, value: number): number => toPx(frame.x, value);
export const py = (frame: Frame, value: number): number => toPx(frame.y, value);
export const xAt = (frame: Frame, pixel: number): number => toValue(frame.x, pixel);
export const yAt = (frame: Frame, pixel: number): number => toValue(frame.y, pixel);

/** How many ticks have room. */
export const ticksAcross = (width: number, axis: AxisSpec): number =>
    Math.max(
        2,
        Math.floor(width / (axis.labels.length > 0 ? 8 + longest(labelsFor(axis, width)) * 6.2 : 76)),
    );
export const ticksUp = (height: number): number => Math.max(2, Math.floor(height / 42));

/** Labels of a category axis, in lines where they are too long to stand side by side. */
export const labelsFor = (axis: AxisSpec, width: number): string[] =>
    wrapped(axis.labels, Math.max(6, Math.floor(width / Math.max(1, axis.labels.length) / 6.4) - 1));

const longest = (labels: string[]): number =>
    labels.flatMap((label) => label.split('\n')).reduce((most, line) => Math.max(most, line.length), 0);

/** Labels in lines of at most so many letters, broken between words. */
export function wrapped(labels: string[], letters: number): string[] {
    return labels.map((label) => label.split(' ').reduce((text, word) => {
        const line = text.slice(text.lastIndexOf('\n') + 1);
        return `${text}${line.length + 1 + word.length > letters ? '\n' : ' '}${word}`;
    }));
}

/** Draws the layers, clipped to the frame. */
export function paintLayers(pen: Pen, scene: Scene, frame: Frame): void {
    pen.clipped(frame.left, frame.top, frame.width, frame.height, () => {
        for (const layer of scene.layers) layer.draw(pen, frame);
    });
    for (const layer of scene.layers) layer.above?.(pen, frame);
}

/** Pixels between the frame and what is above it. */
export const roomAbove = ({ layers }: Scene): number => (layers.some((layer) => layer.above) ? 20 : 8);

/** Draws the whole picture with its title, axes and legend; returns nothing but ink. */
export function paint(
    pen: Pen,
    scene: Scene,
    title: string,
    x: Range,
    y: Range,
    size: [number, number],
    theme: Theme,
) {
    const [width, height] = size;
    const legendTop = 34;
    const top = 54 + roomAbove(scene);
    const box = { left: 72, top, width: width - 72 - 20, height: height - top - 48 };
    const frame = frameOf(scene, x, y, box, theme);
    pen.rect(0, 0, width, height, theme.paper);
    pen.text(12, 16, title, { colour: theme.ink, size: 15, isBold: true });
    paintLegend(pen, scene, theme, box.left, legendTop, width - 20);
    pen.text(12, 54, scene.y.label, { colour: theme.faint });
    paintAxes(pen, scene, frame);
    paintLayers(pen, scene, frame);
    const middle = box.left + box.width / 2;
    pen.text(middle, height - 12, scene.x.label, { colour: theme.faint, align: 'center' });
}

function paintAxes(pen: Pen, scene: Scene, frame: Frame): void {
    const { theme, left, top, width, height } = frame;
    const bottom = top + height;
    for (const tick of ticks(frame.x, scene.x, ticksAcross(width, scene.x), labelsFor(scene.x, width))) {
        const at = px(frame, tick.value);
        pen.line([at, top, at, bottom], { colour: theme.grid });
        tick.label
            .split('\n')
            .forEach((line, i) =>
                pen.text(at, bottom + 6 + i * 14, line, {
                    colour: theme.faint,
                    align: 'center',
                    baseline: 'top',
                }),
            );
    }
    for (const tick of ticks(frame.y, scene.y, ticksUp(height), scene.y.labels)) {
        const at = py(frame, tick.value);
        pen.line([left, at, left + width, at], { colour: theme.grid });
        pen.text(left - 6, at, tick.label, { colour: theme.faint, align: 'right' });
    }
}

function paintLegend(pen: Pen, scene: Scene, theme: Theme, left: number, y: number, right: number): void {
    let x = left;
    for (const entry of scene.legend.filter((e) => !e.isOff && e.kind !== 'ramp')) {
        const room = 40 + entry.name.length * 6.4;
        if (x + room > right) break;
        if (entry.kind === 'dot') pen.dots((entry.shape ?? 'circle') as never, [x + 5, y], 4, entry.colour);
        else if (entry.kind === 'area') pen.rect(x, y - 5, 10, 10, entry.colour, 0.7);
        else pen.line([x - 4, y, x + 12, y], { colour: entry.colour, width: 2, dash: entry.dash });
        pen.text(x + 16, y, entry.name, { colour: theme.faint });
        x += room;
    }
}
