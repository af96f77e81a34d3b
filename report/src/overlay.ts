// Charts of several results in one picture, as far as they mean the same: a quantity can be divided into
// places in one result and be a scale in another, and places can be others.

import type { ChartBlock } from './document';
import type { Part } from './merge';

export type ChartPart = Part<ChartBlock>;

/** Sets of parts that share their axes. */
export function overlays(parts: ChartPart[]): ChartPart[][] {
    const scaled = parts.find(({ block }) => block.x.scale !== 'category');
    const alike = scaled ? parts.map((part) => onScale(part, scaled)) : parts;
    const kind = ({ block: { x, y } }: ChartPart) => [x.scale === 'category', x.unit, y.unit].join();
    const sets = [...new Set(alike.map(kind))].map((one) => alike.filter((part) => kind(part) === one));
    return sets.map((set) => (set[0].block.x.scale === 'category' ? sameLabels(set) : set));
}

const isNumber = (label: string): boolean => label.trim() !== '' && Number.isFinite(Number(label));

/** Places that are called by numbers, put on the scale of another part where they mean the same. */
function onScale(part: ChartPart, { block: { x: scale } }: ChartPart): ChartPart {
    const { x } = part.block;
    if (x.scale !== 'category' || x.unit !== scale.unit || !x.labels.every(isNumber)) return part;
    return moved(part, (place) => Number(x.labels[place]), scale);
}

/** The labels of all, in the order of the first; numbers in their own order. */
function sameLabels(parts: ChartPart[]): ChartPart[] {
    const labels = [...new Set(parts.flatMap(({ block }) => block.x.labels))];
    if (labels.every(isNumber)) labels.sort((a, b) => Number(a) - Number(b));
    return parts.map((part) => {
        const old = part.block.x.labels;
        return moved(part, (place) => labels.indexOf(old[place]), { ...part.block.x, labels });
    });
}

function moved({ result, block }: ChartPart, place: (x: number) => number, x: ChartBlock['x']): ChartPart {
    const series = block.series.map((one) => {
        const points = one.points.map((point) => ({ ...point, x: place(point.x) }));
        return { ...one, points: points.sort((a, b) => a.x - b.x) };
    });
    return { result, block: { ...block, series, x } };
}
