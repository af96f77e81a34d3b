// Several documents on one page: blocks with the same `id` become one, with a part for each result. Blocks
// without an `id` are matched by kind and place within their section.

import type { Block, Document } from './document';

export interface Part<B extends Block = Block> {
    /** Number of the result. */
    result: number;
    block: B;
}

export interface MergedBlock {
    kind: string;
    id: string | null;
    /** Of items, which are matched by it. */
    title: string | null;
    parts: Part[];
}

export interface MergedSection {
    id: string;
    title: string;
    isSummary: boolean;
    blocks: MergedBlock[];
}

/** Merges documents; the order is that of the first that has a thing. */
export function merge(documents: { result: number; document: Document }[]): MergedSection[] {
    const sections = new Map<string, MergedSection>();
    for (const { result, document } of documents) {
        for (const section of document.sections ?? []) {
            const { id, title, is_summary: isSummary = false } = section;
            const merged = sections.get(id) ?? { id, title, isSummary, blocks: [] };
            sections.set(section.id, merged);
            addBlocks(merged, result, section.blocks ?? []);
        }
    }
    return [...sections.values()];
}

function addBlocks(section: MergedSection, result: number, blocks: Block[]): void {
    const seen = new Map<string, number>();
    let after = -1;
    for (const block of blocks) {
        const id = 'id' in block ? block.id : null;
        const title = block.block === 'listed' ? block.title : null;
        const key = `${block.block} ${title}`;
        const nth = seen.get(key) ?? 0;
        if (id === null) seen.set(key, nth + 1);
        const like = section.blocks.filter((b) => b.kind === block.block && b.id === id && b.title === title);
        const free = (b: MergedBlock | undefined) => b && !b.parts.some((part) => part.result === result);
        const found = id === null ? like[nth] : like.find(free);
        if (found && free(found)) {
            found.parts.push({ result, block });
            after = section.blocks.indexOf(found);
        } else {
            section.blocks.splice(++after, 0, { kind: block.block, id, title, parts: [{ result, block }] });
        }
    }
}
