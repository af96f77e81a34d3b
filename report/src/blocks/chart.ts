// A chart of one result, or of several overlaid.

import type { Axis, ChartBlock, Series } from '../document';
import { CurveLayer, type Curve } from '../canvas/series';
import type { AxisSpec, LegendEntry, Scene } from '../canvas/scene';
import { csv } from '../export/csv';
import { Figure, type Flags, type Spec, type Switch } from '../figure';
import { overlays, type ChartPart } from '../overlay';
import { isShown, needNames, resultName } from '../results';
import { padded, type Range } from '../scale';
import { colourOf, dashOf, shapeOf, theme } from '../theme';
import { format } from '../units';
import { smallSpec } from './small';

/** Makes the figures of a chart: one, but one for each result where series are stacked. */
export function charts(parts: ChartPart[]): Figure[] {
    const isStacked = parts.some(({ block }) => block.series.some((s) => s.look === 'stacked'));
    const sets = isStacked ? parts.map((part) => [part]) : overlays(parts);
    if (sets.length === 1) return [new Figure(chartSpec(sets[0]))];
    return sets.map((set, i) => {
        const { block, result } = set[0];
        const title = `${block.title}: ${set.map((part) => resultName(part.result)).join(', ')}`;
        const group = block.group ?? `side by side ${block.id}`;
        const id = i === 0 ? block.id : `${block.id}-${result}`;
        const [first, ...others] = set;
        return new Figure(chartSpec([{ ...first, block: { ...block, id, title, group } }, ...others]));
    });
}

function chartSpec(parts: ChartPart[]): Spec {
    const { block } = parts[0];
    return {
        ...smallSpec(block),
        switches: switches(block),
        scene: (flags) => scene(parts, flags),
        summary: () => summary(parts),
        csv: () => chartCsv(parts),
    };
}

function switches({ x, y, series }: ChartBlock): Switch[] {
    const all: Switch[] = [];
    const isAbove = (axis: Axis, value: (s: Series) => (number | null)[]) =>
        series.some((s) => value(s).some((v) => v !== null && v > 0)) && axis.scale !== 'category';
    if (isAbove(y, (s) => s.points.map((p) => p.y)) && !series.some((s) => s.look === 'stacked')) {
        all.push({
            key: 'ylog',
            label: 'log y',
            title: 'logarithmic upwards',
            isOn: y.scale === 'log',
            shortcut: 'l',
        });
    }
    if (isAbove(x, (s) => s.points.map((p) => p.x))) {
        all.push({
            key: 'xlog',
            label: 'log x',
            title: 'logarithmic along',
            isOn: x.scale === 'log',
            shortcut: 'x',
        });
    }
    return all;
}

function curves(parts: ChartPart[]): (Curve & { key: string; result: number })[] {
    const isOverlaid = needNames(parts);
    const names = [...new Set(parts.flatMap(({ block }) => block.series.map((s) => s.name)))];
    const slots = parts.reduce((sum, { block }) => sum + block.series.length, 0);
    let slot = 0;
    return parts.flatMap(({ result, block }) => block.series.map((series) => {
        const nth = names.indexOf(series.name);
        // What is stacked belongs to one result, whose name the title tells; colours tell its parts apart.
        const look = isOverlaid && series.look !== 'stacked' ? result : nth;
        const own = names.length > 1 ? `${resultName(result)}: ${series.name}` : resultName(result);
        return {
            key: isOverlaid ? `r${result}s${nth}` : `s${nth}`,
            result,
            series,
            name: isOverlaid ? own : series.name || block.title,
            colour: (t) => colourOf(t, look),
            shape: shapeOf(look),
            dash: dashOf(nth % 5),
            base: null,
            slot: [slot++, slots] as [number, number],
        };
    }));
}

function scene(parts: ChartPart[], flags: Flags): Scene {
    const { block } = parts[0];
    const all = curves(parts);
    const shown = all.filter((curve) => isShown(curve.result) && (flags[curve.key] ?? true));
    stack(shown);
    const x = axis(block.x, flags.xlog ?? false, xRange(shown, block.x, flags.xlog ?? false));
    const y = axis(block.y, flags.ylog ?? false, yRange(shown, block.y, flags.ylog ?? false));
    return {
        x,
        y,
        layers: shown.map((curve) => new CurveLayer(curve, x, y)),
        legend:
            all.length > 1 || needNames(parts)
                ? all.filter((c) => isShown(c.result)).map((c) => entry(c, flags))
                : [],
        notes: shown.every((c) => c.series.points.length === 0) ? ['No data to draw.'] : [],
    };
}

/** Puts the stacked series on each other. Their points are the same along x. */
function stack(shown: Curve[]): void {
    const sums = new Map<number, number>();
    for (const curve of shown.filter((c) => c.series.look === 'stacked')) {
        curve.base = curve.series.points.map((p) => sums.get(p.x) ?? 0);
        curve.series.points.forEach((p, i) => sums.set(p.x, curve.base![i] + (p.y ?? 0)));
    }
}

function entry(curve: Curve & { key: string }, flags: Flags): LegendEntry {
    const { look } = curve.series;
    const isFilled = isArea(curve.series);
    return {
        name: curve.name,
        colour: curve.colour(theme()),
        shape: isFilled || look === 'steps' ? undefined : curve.shape,
        dash: curve.dash,
        kind: isFilled ? 'area' : 'line',
        key: curve.key,
        isOff: !(flags[curve.key] ?? true),
    };
}

const axis = (spec: Axis, isLog: boolean, full: Range): AxisSpec => ({
    label: spec.label,
    unit: spec.unit,
    isLog,
    labels: spec.scale === 'category' ? spec.labels : [],
    full,
});

const isArea = ({ look }: Series): boolean => look === 'stacked' || look === 'bars';

function xRange(shown: Curve[], spec: Axis, isLog: boolean): Range {
    if (spec.scale === 'category') return [-0.5, Math.max(0.5, spec.labels.length - 0.5)];
    const xs = shown.flatMap((c) => c.series.points.map((p) => p.x)).filter((v) => !isLog || v > 0);
    const isFlush = shown.some((c) => c.series.look === 'stacked' || c.series.look === 'steps');
    const range: Range = [least(xs), most(xs)];
    if (shown.some((c) => c.series.look === 'bars') && xs.length > 0) return widened(xs, range, isLog);
    return isFlush ? range : padded(range, isLog);
}

/** Half a step of room on both sides, for bars. */
function widened(xs: number[], [min, max]: Range, isLog: boolean): Range {
    const steps = Math.max(1, new Set(xs).size - 1);
    if (isLog) {
        const factor = (max / min) ** (0.6 / steps);
        return [min / factor, max * factor];
    }
    const half = ((max - min) / steps) * 0.6;
    return [min - half, max + half];
}

/** Areas, bars and rates begin at 0: how much higher one is must be seen as that. */
function yRange(shown: Curve[], { unit }: Axis, isLog: boolean): Range {
    const values = shown.flatMap((c) => c.series.points.flatMap((p, i) => {
        if (p.y === null) return [];
        const base = c.base?.[i] ?? 0;
        return [p.y + base, ...(p.interval ?? [])];
    }));
    const isFilled = shown.some((c) => isArea(c.series)) || unit.endsWith('/s');
    const usable = values.filter((v) => Number.isFinite(v) && (!isLog || v > 0));
    if (isFilled && !isLog) usable.push(0);
    return padded([least(usable), most(usable)], isLog);
}

const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);

function summary(parts: ChartPart[]): string {
    const { x, y } = parts[0].block;
    const words = curves(parts).map((curve) => {
        const points = curve.series.points.filter((p) => p.y !== null);
        if (points.length === 0) return `${curve.name}: no points`;
        const at = (p: (typeof points)[number]) => p.label || x.labels[p.x] || format(p.x, x.unit);
        const byY = [...points].sort((a, b) => a.y! - b.y!);
        const [low, high] = [byY[0], byY[byY.length - 1]];
        return `${curve.name}: ${points.length} points, from ${format(low.y!, y.unit)} at ${at(low)} `
            + `to ${format(high.y!, y.unit)} at ${at(high)}`;
    });
    return `${y.label} by ${x.label}. ${words.join('. ')}.`;
}

export function chartCsv(parts: ChartPart[]): string {
    const { x, y } = parts[0].block;
    const name = (a: Axis) => (a.unit ? `${a.label} [${a.unit}]` : a.label);
    const heading = ['result', 'series', name(x), 'label', name(y), 'lower', 'upper'];
    const rows = parts.flatMap(({ result, block }) => block.series.flatMap((s) => s.points.map((p) =>
        [resultName(result), s.name, x.labels[p.x] ?? p.x, p.label, p.y, p.interval?.[0], p.interval?.[1]])));
    return csv(heading, rows);
}
