// From merged blocks to elements: which kind is shown by whom.

import type { Block } from '../document';
import { h } from '../dom';
import { openerOf, type Figure } from '../figure';
import type { MergedBlock, Part } from '../merge';
import { placed } from '../places';
import { charts } from './chart';
import { heats } from './heat';
import { Picker } from './picker';
import { table } from './table';
import { tiles } from './tiles';
import { traceFigure, type TracePart } from './trace';
import { facts, items, texts } from './words';

/** Traces of a section beyond this many are put into a list, of which one is shown. */
const TRACES_MAX = 3;

type Of<K extends Block['block']> = Part<Extract<Block, { block: K }>>[];

/** Shows the blocks of a section. One that fails says so in its place, and the others are shown. */
export function blocks(merged: MergedBlock[], sectionId: string, isSummary: boolean): HTMLElement[] {
    const traces = merged.filter(({ kind }) => kind === 'trace');
    const isPicked = traces.length > TRACES_MAX;
    const elements: HTMLElement[] = [];
    let hasPicker = false;
    for (const block of merged) {
        try {
            if (block.kind !== 'trace' || !isPicked) elements.push(...one(block, isSummary));
            else if (!hasPicker) {
                hasPicker = true;
                elements.push(
                    new Picker(
                        traces.map(({ parts }) => parts as TracePart[]),
                        `${sectionId}-trace`,
                    ).element,
                );
            }
        } catch (error) {
            elements.push(broken(block, error));
        }
    }
    return isSummary ? beside(elements) : gridded(elements);
}

function one(block: MergedBlock, isHero: boolean): HTMLElement[] {
    switch (block.kind) {
        case 'text':
            return [texts(block.parts as Of<'text'>)];
        case 'facts':
            return [facts(block.parts as Of<'facts'>)];
        case 'items':
        case 'listed':
            return [items(block.parts as Of<'items' | 'listed'>)];
        case 'tiles':
            return [tiles(block.parts as Of<'tiles'>)];
        case 'table':
            return table(block.parts as Of<'table'>);
        case 'chart':
            return charts(block.parts as Of<'chart'>, isHero).map(shown);
        case 'heat':
            return heats(block.parts as Of<'heat'>).map(shown);
        case 'trace':
            return [shown(traceFigure(block.parts as TracePart[]))];
        default:
            throw new Error(
                `this page does not know blocks of kind “${block.kind}”; a newer flashscope made it`,
            );
    }
}

function shown(figure: Figure): HTMLElement {
    placed(figure.spec.id, () => openerOf(figure));
    return figure.element;
}

function broken({ kind, id }: MergedBlock, error: unknown): HTMLElement {
    const why = error instanceof Error ? error.message : String(error);
    return h(
        'p',
        { class: 'problem', role: 'alert' },
        `A part (${kind}${id ? ` “${id}”` : ''}) cannot be shown: ${why}.`,
    );
}

/** Small pictures that follow one another stand side by side. */
function gridded(elements: HTMLElement[]): HTMLElement[] {
    const all: HTMLElement[] = [];
    for (const element of elements) {
        const grid = { small: 'grid', multiple: 'grid multiples' }[element.classList[1]];
        const last = all[all.length - 1];
        if (!grid) all.push(element);
        else if (last?.className === grid) last.append(element);
        else all.push(h('div', { class: grid }, element));
    }
    return all;
}

/** Pictures at the left, what to make of them at the right, all else over the whole width. */
function beside(elements: HTMLElement[]): HTMLElement[] {
    const left = elements.filter((element) => element.matches('figure'));
    const right = elements.filter((element) => element.matches('.listed'));
    const sides = [left, right].filter((side) => side.length > 0).map((side) => h('div', {}, ...side));
    const whole = elements.filter((element) => !left.includes(element) && !right.includes(element));
    return sides.length > 0 ? [...whole, h('div', { class: 'beside' }, ...sides)] : whole;
}
