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
import { traceFigure, type TracePart } from './trace';
import { facts, items, texts } from './words';

/** Traces of a section beyond this many are put into a list, of which one is shown. */
const TRACES_MAX = 3;

type Of<K extends Block['block']> = Part<Extract<Block, { block: K }>>[];

/** Shows the blocks of a section. One that fails says so in its place, and the others are shown. */
export function blocks(merged: MergedBlock[], sectionId: string): HTMLElement[] {
    const traces = merged.filter(({ kind }) => kind === 'trace');
    const isPicked = traces.length > TRACES_MAX;
    const elements: HTMLElement[] = [];
    let hasPicker = false;
    for (const block of merged) {
        try {
            if (block.kind !== 'trace' || !isPicked) elements.push(...one(block));
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
    return gridded(elements);
}

function one(block: MergedBlock): HTMLElement[] {
    switch (block.kind) {
        case 'text':
            return [texts(block.parts as Of<'text'>)];
        case 'facts':
            return [facts(block.parts as Of<'facts'>)];
        case 'items':
            return [items(block.parts as Of<'items'>)];
        case 'table':
            return table(block.parts as Of<'table'>);
        case 'chart':
            return charts(block.parts as Of<'chart'>).map(shown);
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
        if (!element.classList.contains('small')) {
            all.push(element);
            continue;
        }
        const last = all[all.length - 1];
        if (last?.classList.contains('grid')) last.append(element);
        else all.push(h('div', { class: 'grid' }, element));
    }
    return all;
}
