// One way to write a number: the rule of crates/core/src/number.rs, whose table of examples (pairs.json) is
// tested here too. Every number that the page shows goes through here.

const SPACE = '\u00a0';

/** A unit: how many of the base unit it is, and from which number on the next one is used. */
interface Unit {
    name: string;
    size: number;
    end: number;
}

interface Kind {
    units: Unit[];
    digits: number;
    /** Zeros at the end are kept; what was counted or set has none. */
    isMeasured: boolean;
}

const unit = (name: string, size: number, end = Infinity): Unit => ({ name, size, end });
const measured = (units: Unit[], digits = 3): Kind => ({ units, digits, isMeasured: true });

const TIME = measured([
    unit('ns', 1, 999.5),
    unit('µs', 1e3, 999.5),
    unit('ms', 1e6, 999.5),
    unit('s', 1e9, 999.5),
    unit('min', 60e9, 59.95),
    unit('h', 3600e9),
]);

const SIZE: Kind = {
    units: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((name, i, all) =>
        unit(name, 1024 ** i, i + 1 < all.length ? 1023.5 : Infinity)),
    digits: 3,
    isMeasured: false,
};

/** Kinds by the names that axes and columns have for their units, and how many base units each is. */
const KINDS: Record<string, [kind: Kind, size: number]> = {
    ns: [TIME, 1],
    us: [TIME, 1e3],
    ms: [TIME, 1e6],
    s: [TIME, 1e9],
    bytes: [SIZE, 1],
    'MB/s': [measured([unit('MB/s', 1)]), 1],
    'IO/s': [measured([unit('IO/s', 1, 999_999.5), unit('M IO/s', 1e6)]), 1],
    '%': [measured([unit('%', 1)], 2), 1],
    x: [measured([unit('x', 1)]), 1],
};

const kindOf = (name: string): [Kind, number] =>
    KINDS[name] ?? [{ units: [unit(name, 1)], digits: 3, isMeasured: false }, 1];

/** A unit that a number in another is written in: how many of that it is, and its name. */
export type Step = [factor: number, name: string];

/** The unit in which `value` is written. */
export function stepOf(value: number, name: string): Step {
    const [{ units }, size] = kindOf(name);
    const fits = (one: Unit): boolean => Math.abs(value * size) / one.size < one.end;
    const found = units.find(fits) ?? units[units.length - 1];
    return [found.size / size, found.name];
}

/** `1234567 ns` as `1.23 ms`. */
export function format(value: number, name: string): string {
    if (!Number.isFinite(value)) return '–';
    return inStep(value, kindOf(name)[0], stepOf(value, name));
}

/** With more or fewer digits, and without zeros that say nothing: what is under the pointer, ticks. */
export function exact(value: number, name: string, digits: number): string {
    if (!Number.isFinite(value)) return '–';
    const [factor, found] = stepOf(value, name);
    return withUnit(plain(value / factor, digits), found);
}

/**
 * The interval of the value that is written as `text`: in the unit that the text ends in, to the first digit
 * of the half width, at most five digits in all. Empty for a point.
 */
export function interval([low, high]: [number, number], name: string, text: string): string {
    const [kind, size] = kindOf(name);
    const isIn = ({ name }: Unit) => text.endsWith(name) && /[\d\s]$/.test(text.slice(0, -name.length));
    const like = kind.units.find(isIn);
    const factor = like ? like.size / size : stepOf(high, name)[0];
    const [from, to] = [low / factor, high / factor];
    const half = (to - from) / 2;
    if (!(half > 0 && Number.isFinite(half))) return '';
    const isCounted = !kind.isMeasured && [from, to].every(Number.isInteger);
    const decimals = Math.min(-Math.floor(Math.log10(half)), 4 - Math.floor(Math.log10(Math.abs(to))));
    const shown = isCounted ? 0 : Math.max(0, Math.min(6, decimals));
    const [first, last] = [decimal(from, shown), decimal(to, shown)];
    return first.includes('−') ? `${first} to ${last}` : `${first}–${last}`;
}

/** In a unit that is already chosen, with a fixed number of decimals: the ticks of an axis look alike. */
export function fixed(value: number, [factor, name]: Step, decimals: number): string {
    return withUnit(decimal(value / factor, decimals), name);
}

/** A count: `12,345`. */
export function count(value: number): string {
    return decimal(value, 0);
}

function inStep(value: number, { digits, isMeasured }: Kind, [factor, name]: Step): string {
    const number = value / factor;
    return withUnit(isMeasured ? significant(number, digits) : plain(number, digits), name);
}

/** Whole numbers exactly, others without zeros at the end. */
function plain(value: number, digits: number): string {
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return decimal(value, 0);
    const text = significant(value, digits);
    return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

/** So many significant digits, and never fewer than the whole part has. */
function significant(value: number, digits: number): string {
    if (value === 0) return '0';
    const text = value.toExponential(digits - 1).replace('e+', 'e');
    const size = Number(text.split('e')[1]);
    if (size >= 15 || size < -6) return value < 0 ? `−${text.slice(1)}` : text;
    return decimal(value, Math.max(0, digits - 1 - size));
}

function decimal(value: number, decimals: number): string {
    const [whole, part] = Math.abs(value).toFixed(decimals).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    const text = part === undefined ? grouped : `${grouped}.${part}`;
    return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

function withUnit(number: string, name: string): string {
    if (name === '') return number;
    return name === 'x' ? `x${number}` : `${number}${SPACE}${name}`;
}
