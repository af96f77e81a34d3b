// What a report says, as data. Written by `cargo xtask typescript` after:
//   crates/show/src/html/document.rs
//   crates/show/src/html/dense.rs
//   crates/analysis/src/conclusion.rs
//   crates/analysis/src/reading/item.rs
//   crates/analysis/src/reading/table.rs
//   crates/analysis/src/reading/chart.rs

export const DOCUMENT_VERSION = 1;

export interface Document {
    version: number;
    kind: string;
    title: string;
    subtitle: string;
    flashscope_version: string;
    sections: Section[];
}

export interface Section {
    id: string;
    title: string;
    blocks: Block[];
    is_summary?: boolean;
}

export interface TextBlock {
    block: 'text';
    text: string;
}

export interface FactsBlock {
    block: 'facts';
    rows: [string, string][];
}

export interface TilesBlock {
    block: 'tiles';
    tiles: Tile[];
}

export interface ItemsBlock {
    block: 'items';
    items: Item[];
}

export interface ListedBlock {
    block: 'listed';
    title: string;
    items: Item[];
}

export type TableBlock = { block: 'table' } & Table;

export type ChartBlock = { block: 'chart' } & Chart;

export type TraceBlock = { block: 'trace' } & Trace;

export type HeatBlock = { block: 'heat' } & Heat;

export type Block =
    | TextBlock
    | FactsBlock
    | TilesBlock
    | ItemsBlock
    | ListedBlock
    | TableBlock
    | ChartBlock
    | TraceBlock
    | HeatBlock;

export interface Tile {
    name: string;
    term: string;
    colour: number;
    state: Support | null;
    value: string;
    unit: string;
    detail: string;
    rows: [string, string][];
    note: string;
}

export interface Heat {
    id: string;
    title: string;
    caption: string;
    x: Axis;
    y: Axis;
    x_range: [number, number];
    y_range: [number, number];
    columns: number;
    value: string;
    values: (number | null)[];
    group: string | null;
}

export interface Trace {
    id: string;
    title: string;
    caption: string;
    ios: number;
    column_ios: number;
    ops: string[];
    unit_bytes: number;
    file: string;
    marks: Marks;
    group: string | null;
    arrays: ArraySpec[];
    blob: string;
}

export interface Marks {
    startup_ios: number;
    startup_range_ios: [number, number];
    regimes: [number, number][];
    period_ios: number | null;
    mean_ns: [number, number, number] | null;
}

export interface ArraySpec {
    name: string;
    length: number;
    planes: number;
    is_delta: boolean;
}

export interface Indicator {
    value: number;
    ci_low: number;
    ci_high: number;
}

export type Support = 'not_applicable' | 'unknown' | 'weak' | 'supported';

export interface Conclusion {
    name: string;
    claim: string;
    state: Support;
    value: number | null;
    low: number | null;
    high: number | null;
    unit: string;
    runs: string[];
}

export type Tone = 'good' | 'alert' | 'plain';

export interface Item {
    tone: Tone;
    text: string;
    detail: string;
    links: Link[];
    state?: Support;
}

export interface Link {
    label: string;
    to: string;
}

export interface Table {
    id: string;
    title: string;
    caption: string;
    columns: Column[];
    rows: Cell[][];
}

export interface Column {
    label: string;
    unit: string;
    is_number: boolean;
    unit_in_heading: boolean;
    term?: string;
}

export interface Cell {
    text: string;
    value: number | null;
    interval: [number, number] | null;
    link: string | null;
    is_marked: boolean;
}

export type Scale = 'linear' | 'log' | 'log2' | 'category';

export interface Axis {
    label: string;
    unit: string;
    scale: Scale;
    labels: string[];
    range?: [number, number];
}

export interface Chart {
    id: string;
    title: string;
    caption: string;
    x: Axis;
    y: Axis;
    series: Series[];
    group: string | null;
    term?: string;
}

export type Look = 'line' | 'points' | 'steps' | 'stacked' | 'bars';

export interface Series {
    name: string;
    look: Look;
    points: Point[];
    colour?: number;
    term?: string;
}

export interface Point {
    x: number;
    y: number | null;
    interval?: [number, number];
    label?: string;
    link?: string;
}
