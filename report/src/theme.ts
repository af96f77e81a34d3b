// Colours and shapes. Series and operations differ in both, after Okabe and Ito's palette, which readers with
// any kind of colour vision tell apart; the yellow is left out, since it is lost on white.

export interface Theme {
    isDark: boolean;
    paper: string;
    ink: string;
    faint: string;
    grid: string;
    /** Of series, operations and results, in order. */
    palette: string[];
    accent: string;
    shade: string;
}

export const LIGHT: Theme = {
    isDark: false,
    paper: '#ffffff',
    ink: '#1f2328',
    faint: '#636c76',
    grid: '#e6e8eb',
    palette: ['#0072b2', '#d55e00', '#009e73', '#aa4499', '#56a0d3', '#b58900', '#444c56'],
    accent: '#a3306f',
    shade: '#8a6d3b',
};

export const DARK: Theme = {
    isDark: true,
    paper: '#14171b',
    ink: '#e3e6ea',
    faint: '#949da8',
    grid: '#2a2f36',
    palette: ['#5cb3f0', '#ff8c42', '#2fc79a', '#d98cc9', '#a5d3f5', '#e3bf45', '#c3cad2'],
    accent: '#ec86bd',
    shade: '#c9a86a',
};

export type Shape = 'circle' | 'triangle' | 'square' | 'diamond' | 'cross' | 'down' | 'plus';

const SHAPES: Shape[] = ['circle', 'triangle', 'square', 'diamond', 'cross', 'down', 'plus'];

/** Dashes of lines that share a colour. */
const DASHES: number[][] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2]];

export const colourOf = (theme: Theme, index: number): string => theme.palette[index % theme.palette.length];
export const shapeOf = (index: number): Shape => SHAPES[index % SHAPES.length];
export const dashOf = (index: number): number[] => DASHES[index % DASHES.length];

export type Choice = 'auto' | 'light' | 'dark';

const listeners = new Set<() => void>();
const darkMedia = matchMedia('(prefers-color-scheme: dark)');
let choice: Choice = 'auto';
let isOnPaper = false;

/** What pictures are drawn in now. */
export function theme(): Theme {
    if (isOnPaper) return LIGHT;
    const isDark = choice === 'auto' ? darkMedia.matches : choice === 'dark';
    return isDark ? DARK : LIGHT;
}

export const themeChoice = (): Choice => choice;

/** Calls on every change; what it returns ends that. */
export function onTheme(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function setTheme(next: Choice): void {
    choice = next;
    keep(next);
    tell();
}

export function setPaper(isPaper: boolean): void {
    isOnPaper = isPaper;
    document.documentElement.classList.toggle('paper', isPaper);
    tell();
}

/** Takes up the choice of the last visit. A page from a file may have no storage; then it is forgotten. */
export function startTheme(): void {
    darkMedia.addEventListener?.('change', tell);
    try {
        const kept = localStorage.getItem('flashscope-theme');
        if (kept === 'light' || kept === 'dark') choice = kept;
    } catch {
        // Without storage the system's theme is as good a start.
    }
    tell();
}

function keep(next: Choice): void {
    try {
        localStorage.setItem('flashscope-theme', next);
    } catch {
        // As above.
    }
}

function tell(): void {
    const { isDark } = theme();
    document.documentElement.classList.toggle('dark', isDark);
    document.documentElement.classList.toggle('light', !isDark);
    listeners.forEach((listener) => listener());
}
