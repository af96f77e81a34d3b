// Numbers with their units, as a person reads them. Every number that the page shows goes through here.

const SPACE = '\u00a0';

type Step = [factor: number, name: string];

const TIME: Step[] = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];

const STEPS: Record<string, Step[]> = {
    ns: TIME,
    ms: TIME.map(([factor, name]) => [factor / 1e6, name]),
    s: TIME.map(([factor, name]) => [factor / 1e9, name]),
    bytes: [[1, 'B'], [1024, 'KiB'], [1024 ** 2, 'MiB'], [1024 ** 3, 'GiB'], [1024 ** 4, 'TiB']],
};

/** The step in which `size` is written: the largest that is not larger. */
export function stepOf(size: number, unit: string): Step {
    const steps = STEPS[unit];
    if (!steps) return [1, unit];
    const fitting = steps.filter(([factor]) => Math.abs(size) >= factor * (1 - 1e-9));
    return fitting[fitting.length - 1] ?? steps[0];
}

/** `1234567 ns` as `1.23 ms`. Whole numbers of things that are counted keep all their digits. */
export function format(value: number, unit: string, digits = 3): string {
    if (!Number.isFinite(value)) return '–';
    const [factor, name] = value === 0 ? [1, unit === 's' ? 's' : stepOf(0, unit)[1]] : stepOf(value, unit);
    return withUnit(significant(value / factor, digits), name);
}

/** In the unit that `text` ends in, so that an interval reads like its value. */
export function formatLike(value: number, unit: string, text: string, digits = 3): string {
    const step = stepLike(unit, text);
    if (!step) return format(value, unit, digits);
    return withUnit(significant(value / step[0], digits), step[1]);
}

/**
 * Both ends of an interval, in the unit of the value `text` and with the digits that tell them apart: to the
 * first digit of the half width, at most five in all. The terminal rounds in the same way.
 */
export function formatEnds([low, high]: [number, number], unit: string, text: string): [string, string] {
    const step = stepLike(unit, text) ?? stepOf(high, unit);
    const [half, size] = [(high - low) / 2 / step[0], Math.abs(high) / step[0]];
    const isCounted = [low, high].every((end) => Number.isInteger(end / step[0]));
    if (isCounted || !(half > 0 && Number.isFinite(half) && size > 0)) {
        return [formatLike(low, unit, text), formatLike(high, unit, text)];
    }
    const decimals = Math.min(-Math.floor(Math.log10(half)), 4 - Math.floor(Math.log10(size)));
    const kept = Math.max(0, Math.min(6, decimals));
    return [fixed(low, step, kept), fixed(high, step, kept)];
}

/** The step of the unit that `text` ends in. */
function stepLike(unit: string, text: string): Step | undefined {
    return STEPS[unit]?.find(
        ([, name]) => text.endsWith(name) && /[\d\s]$/.test(text.slice(0, -name.length)),
    );
}

/** In a unit that is already chosen, with a fixed number of decimals: the ticks of an axis look alike. */
export function fixed(value: number, [factor, name]: Step, decimals: number): string {
    return withUnit(grouped((value / factor).toFixed(decimals)), name);
}

/** A count: `12,345`. */
export function count(value: number): string {
    return grouped(String(Math.round(value)));
}

export function significant(value: number, digits: number): string {
    if (value === 0) return '0';
    const size = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
    if (size >= 15 || size < -6) return value.toExponential(digits - 1);
    const decimals = Math.max(0, digits - 1 - size);
    const text = value.toFixed(Number.isInteger(value) ? 0 : decimals);
    return grouped(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

function withUnit(number: string, name: string): string {
    if (name === '') return number;
    return `${number}${SPACE}${name}`.replace('-', '−');
}

function grouped(number: string): string {
    const [whole, part] = number.split('.');
    const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    return part === undefined ? spaced : `${spaced}.${part}`;
}
