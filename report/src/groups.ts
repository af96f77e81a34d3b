// Pictures of one group share their zoom along x, as far as they show the same: time, IO numbers, or else a
// quantity of the same name.

import type { Range } from './scale';

/** A stretch of x, in each of the quantities that are known for it; `all` undoes the zoom. */
export interface Stretch {
    all?: boolean;
    timeNs?: Range;
    ios?: Range;
    other?: { name: string; range: Range };
}

type Listener = (stretch: Stretch) => void;

const groups = new Map<string, Set<Listener>>();

export interface Membership {
    tell(stretch: Stretch): void;
    leave(): void;
}

/** Joins a group, if there is one. */
export function join(group: string | null | undefined, listener: Listener): Membership {
    if (!group) return { tell: () => undefined, leave: () => undefined };
    const members = groups.get(group) ?? new Set();
    groups.set(group, members.add(listener));
    return {
        tell: (stretch) => members.forEach((member) => member !== listener && member(stretch)),
        leave: () => members.delete(listener),
    };
}

export const stretchOf = (range: Range, unit: string, name: string): Stretch => {
    if (unit === 'ns') return { timeNs: range };
    if (unit === 's') return { timeNs: [range[0] * 1e9, range[1] * 1e9] };
    if (unit === 'IOs') return { ios: range };
    return { other: { name, range } };
};

/** The stretch on an axis of `unit`; undefined if it says nothing of it. */
export function onAxis(stretch: Stretch, unit: string, name: string): Range | null | undefined {
    if (stretch.all) return null;
    if (unit === 'ns') return stretch.timeNs;
    if (unit === 's') return stretch.timeNs && [stretch.timeNs[0] / 1e9, stretch.timeNs[1] / 1e9];
    if (unit === 'IOs') return stretch.ios;
    return stretch.other?.name === name ? stretch.other.range : undefined;
}
