// The ramp of density and heat: even steps of lightness in OKLab, from near the paper to its opposite, from
// yellow over green to blue. Lightness alone carries the order, so that it survives print and any colour
// vision.

type Lab = [number, number, number];

const LIGHT_STOPS: Lab[] = [
    [0.93, -0.01, 0.07],
    [0.72, -0.075, 0.04],
    [0.5, -0.045, -0.07],
    [0.27, 0.01, -0.1],
];
const DARK_STOPS: Lab[] = [
    [0.3, 0.005, -0.1],
    [0.5, -0.045, -0.085],
    [0.72, -0.08, 0.03],
    [0.95, -0.01, 0.1],
];

const tables = new Map<boolean, Uint8ClampedArray>();

/** 256 colours, RGB one after the other. */
export function ramp(isDark: boolean): Uint8ClampedArray {
    let table = tables.get(isDark);
    if (!table) {
        table = build(isDark ? DARK_STOPS : LIGHT_STOPS);
        tables.set(isDark, table);
    }
    return table;
}

/** The ramp at `t` from 0 to 1, for style sheets. */
export function rampColour(isDark: boolean, t: number): string {
    const at = Math.round(Math.min(1, Math.max(0, t)) * 255) * 3;
    const [r, g, b] = ramp(isDark).subarray(at, at + 3);
    return `rgb(${r}, ${g}, ${b})`;
}

function build(stops: Lab[]): Uint8ClampedArray {
    const table = new Uint8ClampedArray(256 * 3);
    for (let i = 0; i < 256; i++) {
        const at = (i / 255) * (stops.length - 1);
        const k = Math.min(stops.length - 2, Math.floor(at));
        const t = at - k;
        const l = stops[0][0] + ((stops[stops.length - 1][0] - stops[0][0]) * i) / 255;
        table.set(rgb([l, mix(stops, k, t, 1), mix(stops, k, t, 2)]), i * 3);
    }
    return table;
}

function mix(stops: Lab[], k: number, t: number, part: 1 | 2): number {
    return stops[k][part] * (1 - t) + stops[k + 1][part] * t;
}

/** OKLab to sRGB, after its definition by Björn Ottosson. */
function rgb([l, a, b]: Lab): number[] {
    const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
        4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
        -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
        -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
    ].map((v) => 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.max(v, 0) ** (1 / 2.4) - 0.055));
}
