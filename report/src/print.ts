// On paper: in light, everything open, pictures redrawn at the width of the page, and tables made to fit it.

import { fillTables } from './blocks/table';
import { figuresOnPage, PAPER_WIDTH } from './figure';
import { setPaper } from './theme';

let opened: HTMLDetailsElement[] = [];

export function startPrint(): void {
    addEventListener('beforeprint', () => {
        opened = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
        opened.forEach((one) => { one.open = true; });
        setPaper(true);
        figuresOnPage().forEach((figure) => figure.onPaper(true));
        fillTables();
        tables().forEach(fit);
    });
    addEventListener('afterprint', () => {
        opened.forEach((one) => { one.open = false; });
        tables().forEach((table) => table.style.removeProperty('zoom'));
        setPaper(false);
        figuresOnPage().forEach((figure) => figure.onPaper(false));
    });
}

const tables = () => [...document.querySelectorAll<HTMLElement>('.scroll > table')];

/** Nothing can be scrolled there: what is too wide with all its lines broken is made smaller. */
function fit(table: HTMLElement): void {
    const { offsetWidth: width } = table;
    if (width > PAPER_WIDTH) table.style.setProperty('zoom', String(PAPER_WIDTH / width));
}
