// Hands a file to the reader.

import { h } from '../dom';

export function save(name: string, content: string | Blob, type = 'text/plain'): void {
    const blob =
        typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
    const url = URL.createObjectURL(blob);
    const link = h('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
