// The results on the page: their names, and which of them are shown.

import type { Document } from './document';

/** A document with its blobs: base64 of gzip, by key. */
export interface Result {
    document: Document;
    blobs: BlobSource;
}

/** Where the text of a blob is found; none if it is missing. */
export type BlobSource = (key: string) => string | null;

export interface Named extends Result {
    /** Short and different from all others. */
    name: string;
}

const off = new Set<number>();
const listeners = new Set<() => void>();
let all: Named[] = [];

/** Takes the results, and tells those of one title apart by number. */
export function setResults(results: Result[]): void {
    const titles = results.map(({ document }, i) => document?.title || `Result ${i + 1}`);
    all = results.map((result, i) => {
        const isAlone = titles.filter((title) => title === titles[i]).length === 1;
        return { ...result, name: isAlone ? titles[i] : `${titles[i]} (${i + 1})` };
    });
    off.clear();
}

export const list = (): Named[] => all;
/**
 * Whether the parts of a block must say whose they are: also a single one, where the page shows several
 * results and only one of them has it. A comparison is about all of them.
 */
export function needNames(parts: { result: number }[]): boolean {
    const isComparison = (i: number) => all[i]?.document?.kind === 'comparison';
    const several = all.filter((_, i) => !isComparison(i)).length > 1;
    return parts.length > 1 || (several && !parts.some(({ result }) => isComparison(result)));
}

export const resultName = (i: number): string => all[i]?.name ?? '';
export const resultCount = (): number => all.length;
export const blobOf = (i: number, key: string): string | null => all[i]?.blobs(key) ?? null;
export const isShown = (i: number): boolean => !off.has(i);
export const hidden = (): number[] => [...off].sort();

/** Calls on every change; what it returns ends that. */
export function onResults(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function setHidden(numbers: number[]): void {
    off.clear();
    numbers.forEach((i) => off.add(i));
    listeners.forEach((listener) => listener());
}

export function toggleResult(i: number): void {
    setHidden(off.has(i) ? hidden().filter((k) => k !== i) : [...hidden(), i]);
}
