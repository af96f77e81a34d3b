// A few words to build the page with. Text is set as text, never as markup.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Makes an element; `on...` properties are listeners, `true` an empty attribute, `null` and `false` none. */
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    props: Props = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (typeof value === 'function') {
            element.addEventListener(name.slice(2), value as EventListener);
        } else if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
    append(element, children);
    return element;
}

export function append(element: Element, children: Child[]): void {
    for (const child of children) {
        if (child) element.append(child);
    }
}

/** A button with a label for the eye and one for the ear. */
export function button(label: string, title: string, onclick: () => void): HTMLButtonElement {
    // What is read out begins with what is seen.
    const isIn = title.toLowerCase().includes(label.toLowerCase());
    return h('button', { type: 'button', title, 'aria-label': isIn ? title : `${label}: ${title}`, onclick },
        label);
}

/** A shape of the legend, drawn as a small picture. */
export function svg(tag: string, props: Record<string, string | number>, ...children: Element[]): SVGElement {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}
