// What the keys and the mouse do, on request.

import { button, h } from './dom';

const KEYS: [string, string][] = [
    ['drag', 'zoom into the selection; horizontal: along x only'],
    ['Shift + drag, ← → ↑ ↓', 'pan'],
    ['Ctrl + wheel, + −', 'zoom along x'],
    ['one finger, two fingers', 'pan along x, zoom along x'],
    ['double click, 0', 'reset the view'],
    ['n, p', 'step to the next or previous point'],
    ['Enter, click', 'go to the IOs behind a point'],
    ['w', 'full width on and off'],
    ['l', 'linear or logarithmic y axis'],
    ['x', 'linear or logarithmic x axis'],
    ['t', 'x axis: IO number or time'],
    ['a, s', 'running average without warm-up, with it'],
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
        h('p', {}, 'Keys apply to the chart that has the focus: click it, or tab to it.'),
        h('dl', {}, ...rows),
        close,
    );
    document.body.append(made);
    return made;
}
