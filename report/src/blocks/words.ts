// Paragraphs, facts and items.

import type { FactsBlock, Item, ItemsBlock, ListedBlock, Support, TextBlock } from '../document';
import { h } from '../dom';
import type { Part } from '../merge';
import { isShown, needNames, onResults, resultName } from '../results';
import { glyph } from '../legend';
import { colourOf, shapeOf, theme } from '../theme';
import { linkTo } from './table';

/** Of a reason, what is seen before it is unfolded. */
const DETAIL_LETTERS = 240;

const TONES = { good: ['✓', 'use'], alert: ['!', 'beware'], plain: ['·', ''] };

export function texts(parts: Part<TextBlock>[]): HTMLElement {
    const words = parts.map(({ block }) => block.text);
    const isAll = parts.length > 1 || !needNames(parts);
    if (isAll && words.every((text) => text === words[0])) return h('p', { class: 'text' }, words[0]);
    return h(
        'div',
        {},
        ...parts.map((part) => ofResult(part.result, h('p', { class: 'text' }, part.block.text))),
    );
}

/** Names and values; of several results a column for each. */
export function facts(parts: Part<FactsBlock>[]): HTMLElement {
    if (!needNames(parts)) {
        const rows = parts[0].block.rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);
        return h('dl', { class: 'facts' }, ...rows);
    }
    const names = [...new Set(parts.flatMap(({ block }) => block.rows.map(([name]) => name)))];
    const box = h('div', { class: 'scroll' });
    const fill = () => {
        const shown = parts.filter(({ result }) => isShown(result));
        const head = h(
            'tr',
            {},
            h('td'),
            ...shown.map(({ result }) => h('th', { scope: 'col' }, resultName(result))),
        );
        const rows = names.map((name) => {
            const values = shown.map(({ block }) => block.rows.find(([own]) => own === name)?.[1] ?? '–');
            const isSame = values.every((value) => value === values[0]);
            return h('tr', { class: isSame ? 'same' : null }, h('th', { scope: 'row' }, name),
                ...values.map((value) => h('td', {}, value)));
        });
        box.replaceChildren(
            h('table', { class: 'factstable' }, h('thead', {}, head), h('tbody', {}, ...rows)),
        );
    };
    fill();
    onResults(fill);
    return box;
}

export function items(parts: Part<ItemsBlock | ListedBlock>[]): HTMLElement {
    const { block: first } = parts[0];
    const isListed = first.block === 'listed';
    const lists = parts.map(({ result, block }) => {
        const list = h('ul', { class: 'items' }, ...block.items.map((one) => item(one, isListed)));
        return needNames(parts) ? ofResult(result, list) : list;
    });
    if (!isListed) return lists.length === 1 ? lists[0] : h('div', {}, ...lists);
    return h('section', { class: 'listed', 'aria-label': first.title }, h('h3', {}, first.title), ...lists);
}

const STATES: Record<Support, [mark: string, words: string]> = {
    supported: ['●', 'supported'],
    weak: ['◐', 'weak'],
    unknown: ['○', 'unknown'],
    not_applicable: ['–', 'not applicable'],
};

/** How well something is carried by what was measured. */
export function chip(state: Support): HTMLElement {
    const [mark, words] = STATES[state] ?? STATES.unknown;
    return h('span', { class: `chip ${state}` }, h('span', { 'aria-hidden': 'true' }, mark), ` ${words}`);
}

function item({ tone, text, detail, links, state }: Item, isListed: boolean): HTMLElement {
    const [mark, words] = TONES[tone] ?? TONES.plain;
    const isMarked = !state && !(isListed && tone === 'alert');
    const isFolded = isListed && tone === 'alert' && detail !== '';
    const ways = (links ?? []).map(({ to, label }) => linkTo(to, label));
    return h('li', { class: state ? `${tone} weighed` : tone },
        isMarked && h('span', { class: 'tone', 'aria-hidden': 'true' }, mark),
        isFolded
            ? h('details', {}, h('summary', {}, text), h('p', { class: 'detail' }, detail))
            : h('div', {},
                h('p', {}, isMarked && words !== '' && h('span', { class: 'hidden-words' }, `${words}: `),
                    text),
                detail && (state && !isListed ? evidence(detail) : details(detail)),
                ways.length > 0 && h('p', { class: 'links' }, ...ways)),
        state && chip(state),
    );
}

/** What a finding rests on, for whoever asks. */
const evidence = (words: string): HTMLElement =>
    h('details', { class: 'detail' }, h('summary', {}, 'Evidence'), h('p', {}, words));

/** Long reasons are folded, so that the next item stays in sight. */
function details(words: string): HTMLElement {
    if (words.length <= DETAIL_LETTERS * 2) return h('p', { class: 'detail' }, words);
    const cut = words.lastIndexOf(' ', DETAIL_LETTERS);
    return h('details', { class: 'detail' }, h('summary', {}, `${words.slice(0, cut)} …`), h('p', {}, words));
}

/** What one result says, under its name; gone while the result is switched off. */
export function ofResult(result: number, content: HTMLElement): HTMLElement {
    const box = h('div', { class: 'ofresult' }, resultTag(result), content);
    onResults(() => { box.hidden = !isShown(result); });
    return box;
}

export function resultTag(result: number): HTMLElement {
    const mark = glyph({ name: '', kind: 'dot', colour: colourOf(theme(), result), shape: shapeOf(result) });
    const tag = h('span', { class: 'resulttag' }, resultName(result));
    tag.prepend(mark);
    return tag;
}
