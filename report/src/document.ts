// What a report says, as data. Written by `cargo xtask typescript` after:
//   crates/show/src/html/document.rs
//   crates/show/src/html/dense.rs
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
}

export interface TextBlock {
    block: 'text';
    text: string;
}

export interface FactsBlock {
    block: 'facts';
    rows: [string, string][];
}

export interface ItemsBlock {
    block: 'items';
    items: Item[];
}

export type TableBlock = { block: 'table' } & Table;

export type ChartBlock = { block: 'chart' } & Chart;

export type TraceBlock = { block: 'trace' } & Trace;

export type HeatBlock = { block: 'heat' } & Heat;

export type Block =
    | TextBlock
    | FactsBlock
    | ItemsBlock
    | TableBlock
    | ChartBlock
    | TraceBlock
    | HeatBlock;

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

export type Tone = 'good' | 'alert' | 'plain';

export interface Item {
    tone: Tone;
    text: string;
    detail: string;
    links: Link[];
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
}

export interface Cell {
    text: string;
    value: number | null;
    interval: [number, number] | null;
    link: string | null;
    is_marked: boolean;
}

export type Scale = 'linear' | 'log' | 'category';

export interface Axis {
    label: string;
    unit: string;
    scale: Scale;
    labels: string[];
}

export interface Chart {
    id: string;
    title: string;
    caption: string;
    x: Axis;
    y: Axis;
    series: Series[];
    group: string | null;
}

export type Look = 'line' | 'steps' | 'stacked' | 'bars';

export interface Series {
    name: string;
    look: Look;
    points: Point[];
}

export interface Point {
    x: number;
    y: number | null;
    interval?: [number, number];
    label?: string;
    link?: string;
}
