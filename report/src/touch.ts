// Fingers on a picture: one pans along x, two zoom. Swipes up and down stay the page's (see `touch-action`).

import { shifted, zoomed, type Range } from './scale';

/** Follows fingers on `over`; `range` is what it shows, `tell` is given what it is to show. */
export function followFingers(
    over: HTMLElement,
    isLog: boolean,
    range: () => Range,
    tell: (x: Range) => void,
): void {
    /** Where each finger is, from 0 (left) to 1. */
    const fingers = new Map<number, number>();
    let begin = { range: range(), places: [] as number[] };
    const restart = () => { begin = { range: range(), places: [...fingers.values()] }; };
    const place = ({ clientX }: PointerEvent): number => {
        const { left, width } = over.getBoundingClientRect();
        return (clientX - left) / width;
    };
    const lifted = ({ pointerId }: PointerEvent) => {
        if (fingers.delete(pointerId)) restart();
    };
    over.addEventListener('pointerdown', (event) => {
        if (event.pointerType !== 'touch' || fingers.size === 2) return;
        fingers.set(event.pointerId, place(event));
        restart();
    });
    over.addEventListener('pointermove', (event) => {
        if (!fingers.has(event.pointerId)) return;
        fingers.set(event.pointerId, place(event));
        tell(followed(begin.range, isLog, begin.places, [...fingers.values()]));
    });
    over.addEventListener('pointerup', lifted);
    over.addEventListener('pointercancel', lifted);
}

/** The range in which what was under the fingers still is. */
export function followed(range: Range, isLog: boolean, before: number[], now: number[]): Range {
    const middle = (places: number[]) => places.reduce((sum, place) => sum + place, 0) / places.length;
    const apart = ([a, b = a]: number[]) => Math.max(0.02, Math.abs(a - b));
    const stretched = zoomed(range, isLog, middle(before), apart(before) / apart(now));
    return shifted(stretched, isLog, middle(before) - middle(now));
}
