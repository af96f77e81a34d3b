// The page: header, navigation, results, sections.

import { blocks } from './blocks/block';
import { resultTag } from './blocks/words';
import { checked } from './check';
import type { Document } from './document';
import { button, h } from './dom';
import { retireAll } from './figure';
import { toggleHelp } from './help';
import { merge, type MergedSection } from './merge';
import { setKnown } from './places';
import { isShown, onResults, resultCount, resultName, toggleResult, type Named } from './results';
import { setTheme, themeChoice, type Choice } from './theme';

/** Builds the page into `root`. */
export function page(root: HTMLElement, results: Named[]): void {
    retireAll();
    const documents = results.map(({ document }, result) => ({ result, document: checked(document) }));
    const overlaid = documents.filter(({ document }) => document.kind !== 'comparison');
    const comparisons = documents.filter(({ document }) => document.kind === 'comparison');
    const sections = inOrder(comparisons.flatMap((one) => merge([one])), merge(overlaid));
    setKnown(sections.flatMap(({ id, blocks: own }) => [id, ...own.flatMap((block) => block.id ?? [])]));
    const shown = overlaid.map(({ document }) => document);
    root.replaceChildren(
        h('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
        header(shown, comparisons.map(({ document }) => document)),
        navigation(sections),
        legendOfResults(overlaid.map(({ result }) => result)),
        content(sections, documents),
    );
    if (resultCount() > 0) root.append(footer(shown));
}

/** The first screen of the results, with the sentence of what differs above it; then the differences. */
function inOrder(differences: MergedSection[], results: MergedSection[]): MergedSection[] {
    const summary = results.find(({ isSummary }) => isSummary);
    if (!summary) return [...differences, ...results];
    const words = differences[0]?.blocks ?? [];
    const at = words.findIndex(({ kind }) => kind === 'items');
    if (at >= 0) summary.blocks.unshift(...words.splice(at, 1));
    return [summary, ...differences, ...results.filter((section) => section !== summary)];
}

function header(documents: Document[], comparisons: Document[]): HTMLElement {
    const title =
        comparisons[0]?.title ||
        documents
            .map(({ title: own }) => own)
            .filter(Boolean)
            .join(' · ') ||
        'No result';
    const subtitle = comparisons[0]?.subtitle ?? (documents.length === 1 ? documents[0].subtitle : '');
    return h('header', {},
        h('div', {}, h('h1', {}, title), subtitle && h('p', { class: 'subtitle' }, subtitle)),
        h('div', { class: 'controls' }, themeSwitch(), button('?', 'keys and mouse', toggleHelp)));
}

function themeSwitch(): HTMLElement {
    const box = h('div', { class: 'segmented', role: 'group', 'aria-label': 'theme' });
    const fill = () =>
        box.replaceChildren(
            ...(['auto', 'light', 'dark'] as Choice[]).map((choice) => {
                const isOn = themeChoice() === choice;
                return h(
                    'button',
                    {
                        type: 'button',
                        'aria-pressed': isOn ? 'true' : 'false',
                        'data-theme-choice': choice,
                        tabindex: isOn ? 0 : -1,
                        onkeydown: (event: KeyboardEvent) => beside(event),
                        onclick: () => choose(choice),
                    },
                    choice,
                );
            }),
        );
    // One stop of Tab, with arrows between the three.
    const beside = ({ key, target }: KeyboardEvent) => {
        const own = target as HTMLElement;
        const to = { ArrowLeft: own.previousElementSibling, ArrowRight: own.nextElementSibling }[key];
        if (to) (to as HTMLElement).focus();
    };
    const choose = (choice: Choice) => {
        setTheme(choice);
        fill();
        box.querySelector<HTMLElement>(`[data-theme-choice="${choice}"]`)?.focus();
    };
    fill();
    return box;
}

function navigation(sections: MergedSection[]): HTMLElement {
    const links = sections.filter(({ isSummary }) => !isSummary).map(({ id, title }) =>
        h('li', {}, h('a', { href: `#${encodeURIComponent(id)}` }, title || id)),
    );
    return h('nav', { 'aria-label': 'sections' }, h('ul', {}, ...links));
}

/** Marks in the navigation which section is read. */
export function followReading(): void {
    const links = new Map([...document.querySelectorAll<HTMLAnchorElement>('nav a')].map((link) =>
        [decodeURIComponent(link.hash.slice(1)), link]));
    const seen = new Set<string>();
    const observer = new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) {
            if (isIntersecting) seen.add(target.id);
            else seen.delete(target.id);
        }
        const first = [...links.keys()].find((id) => seen.has(id));
        for (const [id, link] of links) {
            if (id === first) link.setAttribute('aria-current', 'true');
            else link.removeAttribute('aria-current');
        }
    }, { rootMargin: '-10% 0px -60% 0px' });
    document.querySelectorAll('main section.section').forEach((section) => observer.observe(section));
}

function content(
    sections: MergedSection[],
    documents: { result: number; document: Document }[],
): HTMLElement {
    const made = sections.map((section) =>
        h(
            'section',
            { class: section.isSummary ? 'summary' : 'section', id: section.id, 'aria-label': section.title },
            h('h2', { class: section.isSummary ? 'hidden-words' : null }, section.title || section.id),
            ...blocks(section.blocks, section.id, section.isSummary),
        ),
    );
    const isEmpty = made.length === 0 || sections.every((section) => section.blocks.length === 0);
    return h('div', { id: 'content', tabindex: -1 }, ...problems(documents),
        isEmpty && h('p', { class: 'problem' }, emptyWords(documents.length)), ...made);
}

function emptyWords(documents: number): string {
    if (documents === 0)
        return 'No result loaded. To make a report: flashscope report DIR -o report.html';
    return 'Empty result: the run ended before the first measurement.';
}

function problems(documents: { result: number; document: Document }[]): HTMLElement[] {
    return documents.flatMap(
        ({ result, document }) =>
            (document as { problems?: string[] }).problems?.map((problem) =>
                h('p', { class: 'problem', role: 'alert' }, `${resultName(result)}: ${problem}`),
            ) ?? [],
    );
}

/** With several results: which is which, and a switch for each. */
function legendOfResults(results: number[]): HTMLElement {
    const box = h('div', { class: 'results', role: 'group', 'aria-label': 'results' });
    if (results.length < 2) return h('span', { hidden: true });
    const fill = () => box.replaceChildren(...results.map((result) => h('button', { type: 'button',
        'aria-pressed': isShown(result) ? 'true' : 'false', 'data-result': result,
        title: `${isShown(result) ? 'hide' : 'show'} ${resultName(result)}`,
        onclick: () => {
            toggleResult(result);
            box.querySelector<HTMLElement>(`[data-result="${result}"]`)?.focus();
        } }, resultTag(result))));
    fill();
    onResults(fill);
    return box;
}

function footer(documents: Document[]): HTMLElement {
    const versions = [
        ...new Set(documents.map(({ flashscope_version: version }) => version).filter(Boolean)),
    ];
    return h(
        'footer',
        {},
        versions.length > 0 && `made by flashscope ${versions.join(', ')} · `,
        'nothing on this page is loaded from elsewhere',
    );
}
