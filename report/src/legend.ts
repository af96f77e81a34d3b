// The legend of a picture: a small drawing and a name for each kind of ink, and a switch where it can be
// hidden.

import { corners } from './canvas/pen';
import { rampColour } from './canvas/ramp';
import type { LegendEntry } from './canvas/scene';
import { h, svg } from './dom';
import { theme, type Shape } from './theme';

export function legend(entries: LegendEntry[], toggle: (key: string) => void): HTMLElement {
    const list = h('ul', { class: 'legend' });
    for (const entry of entries) {
        const content = entry.kind === 'ramp' ? rampOf(entry) : [glyph(entry), h('span', {}, entry.name)];
        if (!entry.key) {
            list.append(h('li', {}, ...content));
            continue;
        }
        const onclick = () => toggle(entry.key!);
        const term = entry.term ? ` (${entry.term})` : '';
        const title = `${entry.isOff ? 'show' : 'hide'} ${entry.name}${term}`;
        list.append(
            h(
                'li',
                {},
                h(
                    'button',
                    { type: 'button', 'aria-pressed': !entry.isOff ? 'true' : 'false', title, onclick },
                    ...content,
                ),
            ),
        );
    }
    return list;
}

function rampOf(entry: LegendEntry): (HTMLElement | string)[] {
    const bar = h('span', { class: 'ramp' });
    const stops = Array.from({ length: 11 }, (_, i) => rampColour(theme().isDark, 0.12 + 0.088 * i));
    bar.style.background = `linear-gradient(to right, ${stops.join()})`;
    return [h('span', {}, entry.ends![0]), bar, h('span', {}, entry.ends![1]), h('span', {}, entry.name)];
}

export function glyph({ kind, colour, shape, dash }: LegendEntry): SVGElement {
    // A line is as long as its dashes need to be seen beside the shape.
    const half = kind === 'line' ? 15 : 8;
    const picture = svg('svg', {
        viewBox: `-${half} -6 ${2 * half} 12`,
        width: 2 * half,
        height: 12,
        'aria-hidden': 'true',
    });
    if (kind === 'area') {
        picture.append(
            svg('rect', { x: -6, y: -5, width: 12, height: 10, fill: colour, 'fill-opacity': 0.6 }),
        );
        return picture;
    }
    if (kind === 'line') {
        const line = { x1: -half, x2: half, y1: 0, y2: 0, stroke: colour, 'stroke-width': 2 };
        picture.append(svg('line', { ...line, 'stroke-dasharray': dash?.join(' ') ?? '' }));
    }
    if (shape) {
        const points = corners(shape as Shape);
        const filled = { fill: colour };
        picture.append(points.length === 0
            ? svg('circle', { r: 4, ...filled })
            : svg('polygon', { points: points.map((v) => v * 4).join(' '), ...filled }));
    }
    return picture;
}
