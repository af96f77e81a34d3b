// Keys that work wherever the reader is, except while typing: `/` searches, `?` helps.

import { toggleHelp } from './help';

export function startKeys(): void {
    addEventListener('keydown', (event) => {
        const isTyping = event.target instanceof HTMLInputElement;
        if (event.defaultPrevented || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === '?') toggleHelp();
        else if (event.key === '/') focusSearch(event);
    });
}

/** The search that is nearest to what is read. */
function focusSearch(event: KeyboardEvent): void {
    const searches = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')];
    const far = (element: Element) => Math.abs(element.getBoundingClientRect().top - innerHeight / 3);
    const nearest = searches.sort((a, b) => far(a) - far(b))[0];
    if (!nearest) return;
    event.preventDefault();
    nearest.focus();
}
