// Every IO of an experiment, of one result or of several overlaid.

import { unpack, unpackNow } from '../blob';
import type { LegendEntry, Scene } from '../canvas/scene';
import { decode } from '../decode';
import type { TraceBlock } from '../document';
import { traceCsv } from '../export/trace';
import { Figure, type Flags, type Spec, type Switch } from '../figure';
import { onAxis, type Stretch } from '../groups';
import type { Part } from '../merge';
import { blobOf, isShown, needNames, resultName } from '../results';
import { padded, type Range } from '../scale';
import { colourOf, shapeOf, theme, type Theme } from '../theme';
import { TraceData } from '../trace/data';
import { IosLayer } from '../trace/ios';
import {
    AverageLayer,
    MeanLayer,
    PeriodLayer,
    RegimesLayer,
    StartupLayer,
    startupWords,
} from '../trace/marks';
import { count, exact, format, interval } from '../units';

export type TracePart = Part<TraceBlock>;

interface Loaded {
    result: number;
    data: TraceData;
}

export const traceFigure = (parts: TracePart[]): Figure => new Figure(new TraceSpec(parts));

class TraceSpec implements Spec {
    readonly id: string;
    readonly title: string;
    readonly caption: string;
    readonly group: string | null;
    readonly height = 360;
    readonly size = 'wide';
    readonly switches: Switch[];
    private loaded: Loaded[] = [];
    private layers = new Map<string, IosLayer>();

    constructor(private readonly parts: TracePart[]) {
        const { block } = parts[0];
        this.id = block.id;
        this.title = block.title;
        this.caption = block.caption;
        this.group = block.group;
        this.switches = switches(parts);
    }

    prepare(isNow: boolean): Promise<void> | void {
        if (isNow) {
            this.loaded = this.parts.map((part) => {
                const bytes = unpackNow(textOf(part));
                return {
                    result: part.result,
                    data: new TraceData(part.block, decode(bytes, part.block.arrays)),
                };
            });
            return undefined;
        }
        return Promise.all(this.parts.map(async (part) => {
            const bytes = await unpack(textOf(part));
            return { result: part.result, data: new TraceData(part.block, decode(bytes, part.block.arrays)) };
        })).then((loaded) => {
            this.loaded = loaded;
        });
    }

    scene(flags: Flags): Scene {
        const shown = this.loaded.filter(({ result }) => isShown(result));
        const isTime = flags.time;
        const isOverlaid = needNames(this.parts);
        const dense = shown.map((one) => this.iosLayer(one, isTime, isOverlaid));
        return {
            x: {
                label: isTime ? 'time of submission' : 'IO number',
                unit: isTime ? 'ns' : 'IOs',
                isLog: flags.xlog,
                labels: [],
                full: xRange(shown, isTime, flags.xlog),
            },
            y: {
                label: 'response time',
                unit: 'ns',
                isLog: flags.ylog,
                labels: [],
                full: yRange(shown, flags.ylog),
            },
            layers: [
                ...shown.flatMap((one) =>
                    flags.startup ? [new StartupLayer(one.data, look(one, isTime, isOverlaid))] : [],
                ),
                ...dense,
                ...shown.flatMap((one) => marks(one.data, look(one, isTime, isOverlaid), flags)),
            ],
            legend: legend(this.loaded, flags, isOverlaid),
            notes: shown.flatMap((one) => notes(one, isOverlaid)),
        };
    }

    summary(): string {
        return this.parts
            .map(
                ({ result, block }) =>
                    `${needNames(this.parts) ? `${resultName(result)}: ` : ''}` + findings(block).join(' '),
            )
            .join(' ');
    }

    csv(): string {
        return traceCsv(this.loaded.map(({ result, data }) => ({ name: resultName(result), data })));
    }

    toStretch([a, b]: Range, flags: Flags): Stretch {
        const data = this.loaded[0]?.data;
        if (flags.time) return { timeNs: [a, b], ios: data && [data.ioAt(a), data.ioAt(b)] };
        return { ios: [a, b], timeNs: data && [data.timeOf(a), data.timeOf(b)] };
    }

    fromStretch(stretch: Stretch, flags: Flags): Range | null | undefined {
        const own = onAxis(stretch, flags.time ? 'ns' : 'IOs', '');
        const data = this.loaded[0]?.data;
        if (own !== undefined || !data || flags.time || !stretch.timeNs) return own;
        return [data.ioAt(stretch.timeNs[0]), data.ioAt(stretch.timeNs[1])];
    }

    /** Layers keep what they counted, so that a switch of the marks does not count again. */
    private iosLayer({ result, data }: Loaded, isTime: boolean, isOverlaid: boolean): IosLayer {
        const key = `${result} ${isTime}`;
        const name = isOverlaid ? resultName(result) : '';
        const made = this.layers.get(key)
            ?? new IosLayer(data, { isTime, result: isOverlaid ? result : null, resultName: name });
        this.layers.set(key, made);
        return made;
    }
}

function textOf({ result, block }: TracePart): string {
    const text = blobOf(result, block.blob);
    if (text === null)
        throw new Error(`its data ${block.blob ? `“${block.blob}” ` : ''}are not in this file`);
    return text;
}

function switches(parts: TracePart[]): Switch[] {
    const has = (test: (block: TraceBlock) => boolean) => parts.some(({ block }) => test(block));
    const all: (Switch | false)[] = [
        { key: 'ylog', label: 'log y', title: 'logarithmic response times', isOn: true, shortcut: 'l' },
        { key: 'xlog', label: 'log x', title: 'logarithmic x axis', isOn: false, shortcut: 'x' },
        { key: 'time', label: 'time', title: 'time instead of IO numbers', isOn: false, shortcut: 't' },
        {
            key: 'average',
            label: 'average',
            title: 'running average without the warm-up',
            isOn: true,
            shortcut: 'a',
        },
        has(({ marks }) => marks.startup_ios > 0) && {
            key: 'all',
            label: 'with warm-up',
            title: 'running average of all IOs, including the warm-up',
            isOn: true,
            shortcut: 's',
        },
        has(({ marks }) => marks.startup_range_ios[1] > 0) && {
            key: 'startup',
            label: 'warm-up',
            title: 'the warm-up, shaded',
            isOn: true,
        },
        has(({ marks }) => marks.regimes.length > 0) && {
            key: 'regimes',
            label: 'levels',
            title: 'the mean of each level',
            isOn: parts.length === 1 && has(({ marks }) => marks.regimes.length > 2),
        },
        has(({ marks }) => marks.period_ios !== null) && {
            key: 'period',
            label: 'period',
            title: 'start of each period, when zoomed in',
            isOn: true,
        },
        has(({ marks }) => marks.mean_ns !== null) && {
            key: 'mean',
            label: 'mean',
            title: 'mean of the steady state with its 95 % CI',
            isOn: true,
        },
    ];
    return all.filter((one): one is Switch => Boolean(one));
}

const look = ({ result }: Loaded, isTime: boolean, isOverlaid: boolean) =>
    ({ isTime, colour: isOverlaid ? (t: Theme) => colourOf(t, result) : null });

function marks(data: TraceData, own: ReturnType<typeof look>, flags: Flags) {
    return [
        flags.period && new PeriodLayer(data, own),
        flags.regimes && new RegimesLayer(data, own),
        flags.mean && new MeanLayer(data, own),
        flags.all && new AverageLayer(data, own, true),
        flags.average && new AverageLayer(data, own, false),
    ].filter((layer) => layer !== false && layer !== undefined);
}

function xRange(shown: Loaded[], isTime: boolean, isLog: boolean): Range {
    const last = Math.max(1, ...shown.map(({ data }) => (isTime ? data.endNs : data.block.ios)));
    const first = isTime ? Math.min(last, ...shown.map(({ data }) => data.startNs)) : 0;
    if (!isLog) return [first, last];
    return [Math.min(last / 2, ...shown.map(({ data }) => data.leastX(isTime) / 1.1)), last];
}

function yRange(shown: Loaded[], isLog: boolean): Range {
    const extents = shown.map(({ data }) => data.extent());
    const min = Math.min(...extents.map(([low]) => low));
    const max = Math.max(...extents.map(([, high]) => high));
    if (!Number.isFinite(min)) return isLog ? [1e3, 1e6] : [0, 1e6];
    // Equal response times lie in the middle of a range that says how large they are.
    if (min === max) return isLog ? [Math.max(1, min) / 3, Math.max(1, max) * 3] : [0, Math.max(1, max) * 2];
    return isLog ? padded([Math.max(1, min), max], true) : [0, max * 1.04];
}

function legend(loaded: Loaded[], flags: Flags, isOverlaid: boolean): LegendEntry[] {
    const t = theme();
    const ink = t.ink;
    const { block } = loaded[0].data;
    const colours: LegendEntry[] = isOverlaid
        ? loaded
              .filter(({ result }) => isShown(result))
              .map(({ result }) => ({
                  name: resultName(result),
                  colour: colourOf(t, result),
                  shape: shapeOf(result),
                  kind: 'dot',
              }))
        : loaded[0].data.ops.map((op) => ({
              name: block.ops[op] ?? `operation ${op}`,
              colour: colourOf(t, op),
              shape: shapeOf(op),
              kind: 'dot',
          }));
    const isDense = !isOverlaid && block.ios > 8000;
    return [
        ...colours,
        ...(isDense
            ? [
                  {
                      name: 'IO density',
                      colour: '',
                      kind: 'ramp' as const,
                      ends: ['few', 'many'] as [string, string],
                  },
              ]
            : []),
        ...(flags.average ? [{ name: 'running average', colour: ink, kind: 'line' as const }] : []),
        ...(flags.all ? [{ name: 'with warm-up', colour: ink, dash: [7, 4], kind: 'line' as const }] : []),
        ...(flags.mean && block.marks.mean_ns
            ? [{ name: 'mean and 95 % CI', colour: t.accent, dash: [6, 4], kind: 'line' as const }]
            : []),
    ];
}

/** What the analysis found, in sentences. */
export function findings({ ios, marks }: TraceBlock): string[] {
    const said = [ios === 1 ? 'One IO.' : `${count(ios)} IOs.`];
    if (marks.startup_range_ios[1] > 0)
        said.push(`${sentence(startupWords(marks.startup_ios, marks.startup_range_ios))}.`);
    if (marks.mean_ns) {
        const [mean, low, high] = marks.mean_ns;
        const text = exact(mean, 'ns', 4);
        const ends = interval([low, high], 'ns', text);
        said.push(`Mean of the steady state: ${text}${ends && ` (95 % CI ${ends})`}.`);
    }
    if (marks.period_ios) said.push(`Period: ${count(marks.period_ios)} IOs.`);
    if (marks.regimes.length > 1) {
        const levels = marks.regimes.map(([from, mean]) => `${format(mean, 'ns')} from IO ${count(from)}`);
        const shown = levels.length > 6 ? [...levels.slice(0, 6), '…'] : levels;
        said.push(`${count(levels.length)} levels: ${shown.join(', ')}.`);
    }
    return said;
}

const sentence = (words: string): string => words[0].toUpperCase() + words.slice(1);

function notes({ result, data }: Loaded, isOverlaid: boolean): string[] {
    const { block } = data;
    const found = findings(block).join(' ');
    const said = [isOverlaid ? `${resultName(result)}: ${found}` : found];
    if (data.columns) {
        const head = data.columns.head.length;
        const which = data.ops.length > 1 ? ' (without their operations)' : '';
        const first = head > 0 ? `, and the first ${count(head)} IOs as points${which}` : '';
        said.push(
            `Columns of ${count(block.column_ios)} IOs: histograms of response times with exact minimum ` +
                `and maximum${first}. Every IO is in ${block.file}.`,
        );
    }
    if (data.ios === 0) said.push('No IO to draw.');
    if (data.problem) said.push(`${data.problem} The rest is shown.`);
    return said;
}
