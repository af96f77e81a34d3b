// A heat map; of several results one beside the other.

import { HeatLayer } from '../canvas/heat';
import type { Scene } from '../canvas/scene';
import type { Axis, HeatBlock } from '../document';
import { csv } from '../export/csv';
import { Figure, type Spec } from '../figure';
import type { Part } from '../merge';
import { needNames, resultName } from '../results';
import { format } from '../units';
import { smallSpec } from './small';

export function heats(parts: Part<HeatBlock>[]): Figure[] {
    return parts.map(({ result, block }, i) => {
        const title = needNames(parts) ? `${block.title}: ${resultName(result)}` : block.title;
        return new Figure(heatSpec({ ...block, title, id: i === 0 ? block.id : `${block.id}-${result}` }));
    });
}

function heatSpec(block: HeatBlock): Spec {
    const layer = new HeatLayer(block);
    return {
        ...smallSpec(block),
        switches: [],
        scene: () => scene(block, layer),
        summary: () => summary(block, layer),
        csv: () => heatCsv(block, layer.rows),
    };
}

function scene(block: HeatBlock, layer: HeatLayer): Scene {
    const axis = (spec: Axis, full: [number, number]) =>
        ({ label: spec.label, unit: spec.unit, isLog: false, labels: spec.labels, full });
    const ends: [string, string] = [format(layer.min, ''), `${format(layer.max, '')} ${block.value}`];
    return {
        x: axis(block.x, block.x_range),
        y: axis(block.y, block.y_range),
        layers: [layer],
        legend: layer.rows > 0 ? [{ name: '', colour: '', kind: 'ramp', ends }] : [],
        notes: layer.rows === 0 ? ['No data to draw.'] : [],
    };
}

function summary({ value, x, y }: HeatBlock, layer: HeatLayer): string {
    return `${y.label} by ${x.label}: from ${format(layer.min, '')} to ${format(layer.max, '')} ${value}.`;
}

export function heatCsv(block: HeatBlock, rows: number): string {
    const { x, y, x_range: xs, y_range: ys, columns } = block;
    const name = (axis: Axis, end: string) => `${axis.label} ${end}${axis.unit ? ` [${axis.unit}]` : ''}`;
    const edge = ([a, b]: [number, number], i: number, n: number) => a + ((b - a) * i) / n;
    const lines = block.values.map((value, i) => {
        const [column, row] = [i % columns, Math.floor(i / columns)];
        return [
            edge(xs, column, columns),
            edge(xs, column + 1, columns),
            edge(ys, row, rows),
            edge(ys, row + 1, rows),
            value,
        ];
    });
    return csv([name(x, 'from'), name(x, 'to'), name(y, 'from'), name(y, 'to'), block.value], lines);
}
