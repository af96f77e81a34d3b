// Headline numbers: a tile for each thing, of several results a row of tiles for each.

import type { Tile, TilesBlock } from '../document';
import { h } from '../dom';
import type { Part } from '../merge';
import { needNames } from '../results';
import { colourOf, onTheme, theme } from '../theme';
import { chip, ofResult } from './words';

export function tiles(parts: Part<TilesBlock>[]): HTMLElement {
    const rows = parts.map(({ result, block }) => {
        const row = h('div', { class: 'tiles' }, ...block.tiles.map(tile));
        return needNames(parts) ? ofResult(result, row) : row;
    });
    return rows.length === 1 ? rows[0] : h('div', {}, ...rows);
}

function tile({ name, term, colour, state, value, unit, detail, rows, note }: Tile): HTMLElement {
    const facts = rows.map(([key, words]) => h('div', {}, h('dt', {}, key), h('dd', {}, words)));
    const box = h('article', { class: 'tile', 'aria-label': name },
        h('h3', { title: term }, name, state && chip(state)),
        h('p', { class: 'big' }, value || '–', h('small', {}, unit)),
        h('p', { class: 'faint' }, detail),
        h('dl', {}, ...facts),
        h('p', { class: 'faint' }, note));
    const paint = () => box.style.setProperty('--own', colourOf(theme(), colour));
    paint();
    onTheme(paint);
    return box;
}
