// Paragraphs, facts and items.

import type { FactsBlock, Item, ItemsBlock, TextBlock } from '../document';
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

export function items(parts: Part<ItemsBlock>[]): HTMLElement {
    const lists = parts.map(({ result, block }) => {
        const list = h('ul', { class: 'items' }, ...(block.items ?? []).map(item));
        return needNames(parts) ? ofResult(result, list) : list;
    });
    return lists.length === 1 ? lists[0] : h('div', {}, ...lists);
}

function item({ tone, text, detail, links }: Item): HTMLElement {
    const [mark, words] = TONES[tone] ?? TONES.plain;
    return h('li', { class: tone },
        h('span', { class: 'tone', 'aria-hidden': 'true' }, mark),
        h('div', {},
            h('p', {}, words !== '' && h('span', { class: 'hidden-words' }, `${words}: `), text),
            detail && details(detail),
            (links ?? []).length > 0 &&
                h('p', { class: 'links' }, ...links.map(({ to, label }) => linkTo(to, label))),
        ),
    );
}

/** Long reasons are folded, so that the next item stays in sight. */
function details(words: string): HTMLElement {
    if (words.length <= DETAIL_LETTERS * 2) return h('p', { class: 'detail' }, words);
    const cut = words.lastIndexOf(' ', DETAIL_LETTERS);
    return h('details', { class: 'detail' }, h('summary', {}, `${words.slice(0, cut)} …`), h('p', {}, words));
}

/** What one result says, under its name; gone while the result is switched off. */
function ofResult(result: number, content: HTMLElement): HTMLElement {
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
