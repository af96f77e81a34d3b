// Axes as plain functions: from values to pixels and back, and where the ticks are. The screen, the SVG and
// the PNG all ask here, so that they cannot differ.

import { exact, fixed, stepOf } from './units';

export type Range = [number, number];

/** One axis of a picture. */
export interface Mapping {
    min: number;
    max: number;
    isLog: boolean;
    /** Pixels of `min` and of `max`; for an axis upwards the first is the larger one. */
    from: number;
    to: number;
}

export function toPx(m: Mapping, value: number): number {
    return m.from + (m.to - m.from) * share(m, value);
}

export function toValue(m: Mapping, px: number): number {
    const t = (px - m.from) / (m.to - m.from);
    if (!m.isLog) return m.min + t * (m.max - m.min);
    return Math.exp(Math.log(m.min) + t * (Math.log(m.max) - Math.log(m.min)));
}

function share(m: Mapping, value: number): number {
    if (!m.isLog) return (value - m.min) / (m.max - m.min);
    if (value <= 0) return -1;
    return Math.log(value / m.min) / Math.log(m.max / m.min);
}

/** A range that can be drawn: ordered, not empty, and above zero for a log axis. */
export function sound([min, max]: Range, isLog: boolean): Range {
    if (!Number.isFinite(min) || !Number.isFinite(max)) return isLog ? [1, 10] : [0, 1];
    if (min > max) [min, max] = [max, min];
    if (isLog) {
        if (max <= 0) return [1, 10];
        if (min <= 0) min = Math.min(max / 1000, 1);
        return max / min < 1.001 ? [min / 1.5, max * 1.5] : [min, max];
    }
    if (max - min > Math.abs(max) * 1e-12) return [min, max];
    return max === 0 ? [0, 1] : [min - Math.abs(min) / 2, max + Math.abs(max) / 2];
}

/** Room around data, so that no point sits on the frame. */
export function padded([min, max]: Range, isLog: boolean): Range {
    const [a, b] = sound([min, max], isLog);
    if (isLog) {
        const room = (b / a) ** 0.04;
        return [a / room, b * room];
    }
    const room = (b - a) * 0.04;
    return [a >= 0 && a < (b - a) * 0.6 ? 0 : a - room, b + room];
}

/** `range` moved or stretched about `centre` (0 to 1) by `factor`. */
export function zoomed([min, max]: Range, isLog: boolean, centre: number, factor: number): Range {
    const [f, g] = isLog ? [Math.log, Math.exp] : [(v: number) => v, (v: number) => v];
    const [a, b] = [f(min), f(max)];
    const middle = a + (b - a) * centre;
    return [g(middle - (middle - a) * factor), g(middle + (b - middle) * factor)];
}

export function shifted([min, max]: Range, isLog: boolean, by: number): Range {
    if (isLog) {
        const factor = (max / min) ** by;
        return [min * factor, max * factor];
    }
    const step = (max - min) * by;
    return [min + step, max + step];
}

/** `range` moved back over what there is to see; none if it covers all of that. */
export function within([min, max]: Range, [low, high]: Range, isLog: boolean): Range | null {
    if (min <= low && max >= high) return null;
    if (isLog) {
        const factor = min < low ? low / min : max > high ? high / max : 1;
        return [Math.max(low, min * factor), Math.min(high, max * factor)];
    }
    const shift = min < low ? low - min : max > high ? high - max : 0;
    return [Math.max(low, min + shift), Math.min(high, max + shift)];
}

export interface Tick {
    value: number;
    /** Empty for a line without a number. */
    label: string;
}

/** About `target` ticks of an axis. */
export function ticks(
    m: Mapping,
    { unit, isBase2 }: { unit: string; isBase2?: boolean },
    target: number,
    labels: string[] = [],
): Tick[] {
    if (labels.length > 0) return categoryTicks(m, labels, target);
    if (unit === 'percentile') return percentileTicks(m);
    const decades = Math.log10(m.max / m.min);
    if (m.isLog && isBase2 && decades > 0.3) return powersOfTwo(m, unit, target);
    return m.isLog && decades > 0.9 ? decadeTicks(m, unit, target) : linearTicks(m, unit, target);
}

/** A share of 1 by its nines: 0.9 is 1, 0.99 is 2. */
export const nines = (share: number): number => -Math.log10(Math.max(1e-9, 1 - share));

/** `p99.9` of 3 nines. */
export function percentile(value: number): string {
    const decimals = Math.max(0, Math.ceil(value - 1e-9) - 2);
    return `p${(100 - 100 * 10 ** -value).toFixed(decimals)}`;
}

function percentileTicks(m: Mapping): Tick[] {
    const named = [0, 0.5, ...[1, 2, 3, 4, 5, 6, 7].map((count) => 1 - 10 ** -count)].map(nines);
    const seen = named.filter((value) => value >= m.min - 1e-9 && value <= m.max + 1e-9);
    // Far in, where none of these are, any number is better than none.
    const name = (value: number) => (value === 0 ? '0' : percentile(value));
    if (seen.length > 1) return seen.map((value) => ({ value, label: name(value) }));
    return linearTicks(m, '', 5).map(({ value }) => ({ value, label: percentile(value) }));
}

function linearTicks(m: Mapping, unit: string, target: number): Tick[] {
    const largest = Math.max(Math.abs(m.min), Math.abs(m.max));
    const step = stepOf(largest, unit);
    const size = niceStep((m.max - m.min) / step[0] / Math.max(target, 1), unit);
    const whole = unit === 'IOs' ? Math.max(size, 1) : size;
    const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(whole) + 1e-9)));
    const ticks: Tick[] = [];
    const first = Math.ceil(m.min / step[0] / whole - 1e-9);
    for (let i = first; i * whole <= (m.max / step[0]) * (1 + 1e-12) && ticks.length < 100; i++) {
        const value = i * whole * step[0];
        ticks.push({ value, label: fixed(value, unit === 'IOs' ? [1, ''] : step, decimals) });
    }
    return ticks;
}

function niceStep(rough: number, unit: string): number {
    if (unit === 'bytes') return 2 ** Math.ceil(Math.log2(rough));
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find((f) => f * power >= rough * 0.85) ?? 10);
}

function decadeTicks(m: Mapping, unit: string, target: number): Tick[] {
    const low = Math.floor(Math.log10(m.min));
    const high = Math.ceil(Math.log10(m.max));
    const every = Math.max(1, Math.ceil((high - low) / Math.max(target, 1)));
    // As many numbers in a decade as there is room for.
    const room = (target * 1.3) / Math.log10(m.max / m.min);
    const inner = [[1, 2, 5], [1, 3]].find((digits) => digits.length <= room) ?? [1];
    const ticks: Tick[] = [];
    for (let power = low; power <= high; power++) {
        for (let digit = 1; digit < 10; digit++) {
            const value = digit * 10 ** power;
            if (value < m.min * (1 - 1e-9) || value > m.max * (1 + 1e-9)) continue;
            const isNumbered = inner.includes(digit) && (digit > 1 || power % every === 0);
            if (!isNumbered && every > 1) continue;
            ticks.push({ value, label: isNumbered ? tickLabel(value, unit) : '' });
        }
    }
    return ticks;
}

function tickLabel(value: number, unit: string): string {
    return exact(value, unit === 'IOs' ? '' : unit, 2);
}

function powersOfTwo(m: Mapping, unit: string, target: number): Tick[] {
    const low = Math.ceil(Math.log2(m.min) - 1e-9);
    const high = Math.floor(Math.log2(m.max) + 1e-9);
    const every = Math.max(1, Math.ceil((high - low + 1) / Math.max(target, 1)));
    const ticks: Tick[] = [];
    for (let power = low; power <= high; power++) {
        if (((power % every) + every) % every === 0)
            ticks.push({ value: 2 ** power, label: exact(2 ** power, unit === 'IOs' ? '' : unit, 4) });
    }
    return ticks;
}

function categoryTicks(m: Mapping, labels: string[], target: number): Tick[] {
    const first = Math.max(0, Math.ceil(m.min));
    const last = Math.min(labels.length - 1, Math.floor(m.max));
    const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(target, 1)));
    const ticks: Tick[] = [];
    for (let i = first; i <= last; i += every) ticks.push({ value: i, label: labels[i] });
    return ticks;
}
