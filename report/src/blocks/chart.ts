// A chart of one result, or of several overlaid.

import type { Axis, ChartBlock, Point, Series } from '../document';
import { CurveLayer, type Curve } from '../canvas/series';
import type { AxisSpec, LegendEntry, Scene } from '../canvas/scene';
import { csv } from '../export/csv';
import { Figure, type Flags, type Spec, type Switch } from '../figure';
import { overlays, type ChartPart } from '../overlay';
import { isShown, needNames, resultName } from '../results';
import { nines, padded, type Range } from '../scale';
import { colourOf, dashOf, shapeOf, theme } from '../theme';
import { format } from '../units';
import { smallSpec } from './small';

/** Makes the figures of a chart: one, but one for each result where series are stacked. */
export function charts(given: ChartPart[], isHero = false): Figure[] {
    const parts = given.map(({ result, block }) => ({ result, block: drawable(block) }));
    const isStacked = parts.some(({ block }) => block.series.some((s) => s.look === 'stacked'));
    const sets = isStacked ? parts.map((part) => [part]) : overlays(parts);
    if (sets.length === 1) return [new Figure(chartSpec(sets[0], isHero))];
    return sets.map((set, i) => {
        const { block, result } = set[0];
        const title = `${block.title}: ${set.map((part) => resultName(part.result)).join(', ')}`;
        const group = block.group ?? `side by side ${block.id}`;
        const id = i === 0 ? block.id : `${block.id}-${result}`;
        const [first, ...others] = set;
        return new Figure(chartSpec([{ ...first, block: { ...block, id, title, group } }, ...others]));
    });
}

/** Percentiles are drawn by how many nines they have. */
function drawable(block: ChartBlock): ChartBlock {
    if (block.y.unit !== 'percentile') return block;
    const nined = (p: Point) => ({ ...p, y: p.y === null ? null : nines(p.y / 100) });
    return { ...block, series: block.series.map((s) => ({ ...s, points: s.points.map(nined) })) };
}

function chartSpec(parts: ChartPart[], isHero = false): Spec {
    const { block } = parts[0];
    return {
        ...smallSpec(block, isHero),
        term: block.term,
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
    if (isAbove(y, (s) => s.points.map((p) => p.y)) 
        && y.unit !== 'percentile' && !series.some((s) => s.look === 'stacked')) {
        all.push({
            key: 'ylog',
            label: 'log y',
            title: 'logarithmic upwards',
            isOn: isLog(y),
            shortcut: 'l',
        });
    }
    if (isAbove(x, (s) => s.points.map((p) => p.x))) {
        all.push({
            key: 'xlog',
            label: 'log x',
            title: 'logarithmic along',
            isOn: isLog(x),
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
        const look = isOverlaid && series.look !== 'stacked' ? result : (series.colour ?? nth);
        const own = names.length > 1 ? `${resultName(result)}: ${series.name}` : resultName(result);
        return {
            key: isOverlaid ? `r${result}s${nth}` : `s${nth}`,
            result,
            series,
            name: isOverlaid ? own : series.name || block.title,
            term: series.term ?? '',
            colour: (t) => colourOf(t, look),
            shape: shapeOf(look),
            // What has its colour on the whole page needs no dashes.
            dash: series.colour === undefined || isOverlaid ? dashOf(nth % 5) : [],
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
    const hasEnds = block.y.unit === 'percentile';
    const x = axis(block.x, flags.xlog ?? false, xRange(shown, block.x, flags.xlog ?? false, hasEnds));
    const y = axis(block.y, flags.ylog ?? false, yRange(shown, block.y, flags.ylog ?? false));
    return {
        x,
        y,
        layers: shown.map((curve) => new CurveLayer(curve, x, y)),
        legend:
            all.length > 1 || needNames(parts)
                ? all.filter((c) => isShown(c.result)).map((c) => entry(c, flags, hasEnds))
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

function entry(curve: Curve & { key: string }, flags: Flags, hasEnds: boolean): LegendEntry {
    const { look } = curve.series;
    const isFilled = isArea(curve.series);
    return {
        name: curve.name,
        colour: curve.colour(theme()),
        shape: isFilled || (look === 'steps' && !hasEnds) ? undefined : curve.shape,
        dash: curve.dash,
        kind: isFilled ? 'area' : look === 'points' ? 'dot' : 'line',
        term: curve.term,
        key: curve.key,
        isOff: !(flags[curve.key] ?? true),
    };
}

const axis = (spec: Axis, isLog: boolean, full: Range): AxisSpec => ({
    label: spec.label,
    unit: spec.unit,
    isLog,
    isBase2: spec.scale === 'log2' || spec.unit === 'bytes',
    labels: spec.scale === 'category' ? spec.labels : [],
    full,
});

const isLog = ({ scale }: Axis): boolean => scale === 'log' || scale === 'log2';

const isArea = ({ look }: Series): boolean => look === 'stacked' || look === 'bars';

function xRange(shown: Curve[], spec: Axis, isLog: boolean, hasEnds: boolean): Range {
    if (spec.scale === 'category') return [-0.5, Math.max(0.5, spec.labels.length - 0.5)];
    const xs = shown.flatMap((c) => c.series.points.map((p) => p.x)).filter((v) => !isLog || v > 0);
    const has = (...looks: string[]) => shown.some((c) => looks.includes(c.series.look));
    const isFlush = has('stacked', 'steps') && !has('points') && !hasEnds;
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

/** An interval takes so much room beyond the values, as a factor. */
const WHISKER_MAX = 2;

/** Areas, bars and rates begin at 0: how much higher one is must be seen as that. */
function yRange(shown: Curve[], { unit, range }: Axis, isLog: boolean): Range {
    const heights = (c: Curve) => c.series.points.map((p, i) => (p.y ?? NaN) + (c.base?.[i] ?? 0));
    const values = shown.flatMap(heights).filter((v) => Number.isFinite(v));
    // An interval that is far wider than all values leaves the frame, and does not flatten them.
    const [low, high] = [least(values) / WHISKER_MAX, most(values) * WHISKER_MAX];
    const ends = shown.flatMap((c) => c.series.points.flatMap((p) => (p.y === null ? [] : p.interval ?? [])));
    values.push(...ends.map((v) => Math.min(high, Math.max(low, v))), ...(range ?? []));
    const isFilled = shown.some((c) => isArea(c.series)) || unit.endsWith('/s') || unit === 'percentile';
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
