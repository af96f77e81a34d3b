// Comma-separated values as RFC 4180 has them: a heading, quotes only where needed.

export type Value = string | number | null | undefined;

export function csv(heading: string[], rows: Iterable<Value[]>): string {
    const lines = [heading.map(field).join(',')];
    for (const row of rows) lines.push(row.map(field).join(','));
    return `${lines.join('\r\n')}\r\n`;
}

function field(value: Value): string {
    if (value === null || value === undefined) return '';
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
