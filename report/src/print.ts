// On paper: in light, everything open, pictures redrawn at the width of the page.

import { figuresOnPage } from './figure';
import { setPaper } from './theme';

let opened: HTMLDetailsElement[] = [];

export function startPrint(): void {
    addEventListener('beforeprint', () => {
        opened = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
        opened.forEach((one) => { one.open = true; });
        setPaper(true);
        figuresOnPage().forEach((figure) => figure.onPaper(true));
    });
    addEventListener('afterprint', () => {
        opened.forEach((one) => { one.open = false; });
        setPaper(false);
        figuresOnPage().forEach((figure) => figure.onPaper(false));
    });
}
