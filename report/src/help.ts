// What the keys and the mouse do, on request.

import { button, h } from './dom';

const KEYS: [string, string][] = [
    ['drag', 'zoom into what is marked; flat: along x only'],
    ['Shift + drag, ← → ↑ ↓', 'pan'],
    ['Ctrl + wheel, + −', 'zoom along x'],
    ['one finger, two fingers', 'pan along x, zoom along x'],
    ['double click, 0', 'all of it again'],
    ['n, p', 'step to the next or previous point and read it out'],
    ['Enter, click', 'go to the IOs behind a point'],
    ['w', 'as wide as the page, or as it was'],
    ['l', 'linear or logarithmic upwards'],
    ['x', 'linear or logarithmic along'],
    ['t', 'along IO numbers or time'],
    ['a, s', 'running average without start-up, with it'],
    ['/', 'search in a list of traces; ↑ ↓ step through it'],
    ['?', 'this help'],
];

let dialog: HTMLDialogElement | null = null;

export function toggleHelp(): void {
    dialog ??= build();
    if (dialog.open) dialog.close();
    else dialog.showModal();
}

function build(): HTMLDialogElement {
    const rows = KEYS.flatMap(([keys, words]) => [h('dt', {}, keys), h('dd', {}, words)]);
    const close = button('Close', 'close the help', () => made.close());
    const made = h(
        'dialog',
        { class: 'help', 'aria-label': 'keys and mouse' },
        h('h2', {}, 'Keys and mouse'),
        h('p', {}, 'A picture takes keys once it has the focus: click it, or tab to it.'),
        h('dl', {}, ...rows),
        close,
    );
    document.body.append(made);
    return made;
}
