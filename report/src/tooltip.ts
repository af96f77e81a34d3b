// The small note beside what is under the cursor, and the ring around it.

import { h } from './dom';
import type { Hit } from './canvas/scene';

export class Tooltip {
    private readonly ring = h('div', { class: 'ring', hidden: true });
    private readonly box = h('div', { class: 'tip', hidden: true });

    constructor(private readonly host: HTMLElement) {
        host.append(this.ring, this.box);
    }

    show(hit: Hit | null): void {
        this.ring.hidden = this.box.hidden = hit === null;
        if (!hit) return;
        this.box.replaceChildren(
            h('strong', {}, swatch(hit.colour), hit.title),
            h('dl', {}, ...hit.rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
        );
        if (hit.link) this.box.append(h('em', {}, 'click: see its IOs'));
        this.ring.style.transform = `translate(${hit.x}px, ${hit.y}px)`;
        const { clientWidth: width, clientHeight: height } = this.host;
        const { offsetWidth: w, offsetHeight: tall } = this.box;
        const right = hit.x + 14 + w <= width;
        const left = right ? hit.x + 14 : Math.max(0, Math.min(width - w, hit.x - 14 - w));
        const above = Math.min(Math.max(0, hit.y - tall / 2), Math.max(0, height - tall));
        this.box.style.transform = `translate(${left}px, ${above}px)`;
    }
}

function swatch(colour: string): HTMLElement {
    const mark = h('i', { class: 'swatch' });
    mark.style.background = colour;
    return mark;
}

export const inWords = (hit: Hit): string =>
    [hit.title, ...hit.rows.map(([name, value]) => `${name} ${value}`)].join(', ');
