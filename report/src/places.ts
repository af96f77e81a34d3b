// Where things are on the page: a link opens the block of an `id`, also if it must first be taken out of a
// list.

import { hidden, setHidden } from './results';
import type { Place, View } from './view';

interface Opener {
    element: HTMLElement;
    open(view: View): void;
}

const openers = new Map<string, () => Opener>();

/** Registers how the block of an `id` is shown. */
export function placed(id: string, opener: () => Opener): void {
    if (!openers.has(id)) openers.set(id, opener);
}

let known = new Set<string>();

/** Says which ids the page will have, before it is built: links are made before their ends are there. */
export function setKnown(ids: string[]): void {
    known = new Set(ids);
    openers.clear();
}

export const isPlaced = (id: string): boolean => known.has(id);

/** Shows a block and moves there; false if there is none. */
export function openPlace(place: Place): boolean {
    if (place.off && place.off.join() !== hidden().join()) setHidden(place.off);
    const opener = openers.get(place.id)?.();
    const element = opener?.element ?? document.getElementById(place.id);
    if (!element) return false;
    for (let up = element.parentElement; up; up = up.parentElement) {
        if (up instanceof HTMLDetailsElement) up.open = true;
    }
    opener?.open(place.view);
    element.scrollIntoView({ block: 'start' });
    element.classList.remove('arrived');
    requestAnimationFrame(() => element.classList.add('arrived'));
    return true;
}
