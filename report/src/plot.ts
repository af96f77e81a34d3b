// One picture on the page: uPlot draws its axes and knows the cursor, our layers draw what is between them.
// Gestures and keys change the range; who holds the picture is told and keeps it.

import uPlot from 'uplot';
import { CanvasPen, FONT } from './canvas/pen';
import {
    frameOf,
    labelsFor,
    paintLayers,
    roomAbove,
    ticksAcross,
    ticksUp,
    type Frame,
    type Hit,
    type Scene,
} from './canvas/scene';
import { shifted, sound, ticks, toValue, within, zoomed, type Range } from './scale';
import { theme } from './theme';
import { followFingers } from './touch';

export interface PlotEvents {
    /** The reader moved; none of a range means all. */
    ranged(x: Range | null, y: Range | null): void;
    hovered(hit: Hit | null, isByKey: boolean): void;
    chosen(hit: Hit): void;
}

export class Plot {
    private u: uPlot | null = null;
    private scene!: Scene;
    private x: Range = [0, 1];
    private y: Range = [0, 1];
    private stop = -1;
    private hit: Hit | null = null;

    constructor(private readonly host: HTMLElement, private readonly events: PlotEvents) {}

    /** Shows a scene; ranges of none show all of it. */
    show(scene: Scene, x: Range | null, y: Range | null, size: [number, number]): void {
        this.scene = scene;
        this.x = sound(x ?? scene.x.full, scene.x.isLog);
        this.y = sound(y ?? scene.y.full, scene.y.isLog);
        this.u?.destroy();
        this.u = new uPlot(this.options(size), [this.x, [null, null]], this.host);
        this.stop = -1;
    }

    /** Moves within the scene. */
    range(x: Range | null, y: Range | null): void {
        if (!this.u) return;
        this.x = sound(x ?? this.scene.x.full, this.scene.x.isLog);
        this.y = sound(y ?? this.scene.y.full, this.scene.y.isLog);
        const u = this.u;
        performance.mark('flashscope:range');
        u.batch(() => {
            u.setScale('y', { min: this.y[0], max: this.y[1] });
            u.setScale('x', { min: this.x[0], max: this.x[1] });
        });
    }

    redraw(): void {
        this.u?.redraw(false, true);
    }

    destroy(): void {
        this.u?.destroy();
        this.u = null;
    }

    /** What is drawn now, in CSS pixels of the canvas. */
    frame(): Frame | null {
        if (!this.u) return null;
        const { left, top, width, height } = this.u.bbox;
        const ratio = uPlot.pxRatio;
        const box = { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
        return frameOf(this.scene, this.x, this.y, box, theme());
    }

    ranges(): [Range, Range] {
        return [this.x, this.y];
    }

    /** Pans by parts of what is seen. */
    pan(byX: number, byY: number): void {
        const x = byX === 0 ? null : shifted(this.x, this.scene.x.isLog, byX);
        const y = byY === 0 ? null : shifted(this.y, this.scene.y.isLog, byY);
        this.tell(x ?? this.x, y ?? this.y, byX !== 0, byY !== 0);
    }

    /** Zooms along x about a place from 0 (left) to 1. */
    zoom(factor: number, centre = 0.5): void {
        this.tell(zoomed(this.x, this.scene.x.isLog, centre, factor), this.y, true, false);
    }

    /** Steps to the next thing and reads it out. */
    step(by: number): void {
        const frame = this.frame();
        if (!frame) return;
        for (const layer of [...this.scene.layers].reverse()) {
            const stops = layer.stops?.(frame) ?? [];
            if (stops.length === 0) continue;
            const begin = by > 0 ? 0 : stops.length - 1;
            this.stop = this.stop < 0 ? begin : Math.min(stops.length - 1, Math.max(0, this.stop + by));
            const at = frame.x.from + ((frame.x.to - frame.x.from) * 0.5);
            const px = Number.isFinite(stops[this.stop]) ? stops[this.stop] : at;
            this.hover(layer.hit?.(frame, px, Number.NaN) ?? null, true);
            return;
        }
    }

    choose(): void {
        if (this.hit) this.events.chosen(this.hit);
    }

    private hover(hit: Hit | null, isByKey: boolean): void {
        this.hit = hit;
        this.events.hovered(hit, isByKey);
    }

    private tell(x: Range, y: Range, isX: boolean, isY: boolean): void {
        const { x: along, y: up } = this.scene;
        this.events.ranged(
            within(isX ? x : this.x, along.full, along.isLog),
            within(isY ? y : this.y, up.full, up.isLog),
        );
    }

    private options([width, height]: [number, number]): uPlot.Options {
        const { scene } = this;
        const scale = (isLog: boolean, range: () => Range): uPlot.Scale => ({
            time: false,
            auto: false,
            distr: isLog ? 3 : 1,
            log: 10,
            min: range()[0],
            max: range()[1],
            range: () => range(),
        });
        return {
            width,
            height,
            legend: { show: false },
            padding: [roomAbove(scene), () => this.rightRoom(width), 0, 0],
            scales: { x: scale(scene.x.isLog, () => this.x), y: scale(scene.y.isLog, () => this.y) },
            series: [{}, { show: true, paths: () => null, points: { show: false } }],
            axes: [this.axis(true), this.axis(false)],
            cursor: {
                drag: { x: true, y: true, uni: 24, setScale: false },
                points: { show: false },
                bind: {
                    mousedown: (u, _, handler) => (event) => this.pressed(u, event, handler),
                    dblclick: () => null,
                },
            },
            hooks: {
                draw: [(u) => this.drawn(u)],
                setSelect: [(u) => this.selected(u)],
                setCursor: [(u) => this.moved(u)],
                ready: [(u) => this.listen(u)],
            },
        };
    }

    /** So that the last number along x is not cut off, should it stand at the end. */
    private rightRoom(width: number): number {
        const { x } = this.scene;
        const mapping = { min: this.x[0], max: this.x[1], isLog: x.isLog, from: 0, to: width - 80 };
        const labels = ticks(mapping, x, ticksAcross(width - 80, x), labelsFor(x, width - 80));
        const last = labels.filter(({ label }) => label !== '').pop();
        return x.labels.length > 0 ? 10 : Math.max(10, (last?.label.length ?? 0) * 3.6);
    }

    private axis(isX: boolean): uPlot.Axis {
        const { scene } = this;
        const spec = isX ? scene.x : scene.y;
        const colours = theme();
        const at = () => {
            const frame = this.frame();
            const [mapping, room] = frame
                ? [isX ? frame.x : frame.y, isX ? ticksAcross(frame.width, spec) : ticksUp(frame.height)]
                : [{ min: this.x[0], max: this.x[1], isLog: spec.isLog, from: 0, to: 1 }, 4];
            return ticks(mapping, spec, room, isX ? labelsFor(spec, frame?.width ?? 400) : spec.labels);
        };
        return {
            stroke: colours.faint,
            font: `12px ${FONT}`,
            grid: { stroke: colours.grid, width: 1 },
            ticks: { show: false },
            gap: 6,
            splits: () => at().map((tick) => tick.value),
            filter: (_, splits) => splits,
            values: () => at().map((tick) => tick.label),
            size: isX
                ? (_, values) => 14 + 14 * mostLines(values ?? [])
                : (_, values) => Math.ceil(12 + widest(values ?? []) * 6.6),
            ...(isX ? { label: spec.label, labelSize: 18, labelGap: 0, labelFont: `12px ${FONT}` } : {}),
        };
    }

    private drawn(u: uPlot): void {
        const frame = this.frame();
        if (!frame) return;
        const context = u.ctx;
        context.save();
        context.scale(uPlot.pxRatio, uPlot.pxRatio);
        paintLayers(new CanvasPen(context), this.scene, frame);
        context.restore();
        measured();
    }

    private selected(u: uPlot): void {
        const frame = this.frame();
        const { left, top, width, height } = u.select;
        if (!frame || (width < 4 && height < 4)) return;
        const isX = width >= 4 && width < frame.width - 1;
        const isY = height >= 4 && height < frame.height - 1;
        const x: Range = [toValue(frame.x, frame.left + left), toValue(frame.x, frame.left + left + width)];
        const y: Range = [toValue(frame.y, frame.top + top + height), toValue(frame.y, frame.top + top)];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.tell(isX ? x : this.x, isY ? y : this.y, isX, isY);
    }

    private moved(u: uPlot): void {
        const frame = this.frame();
        const { left = -1, top = -1 } = u.cursor;
        if (!frame || left < 0) {
            if (this.hit) this.hover(null, false);
            return;
        }
        const [px, py] = [frame.left + left, frame.top + top];
        let best: Hit | null = null;
        for (const layer of [...this.scene.layers].reverse()) {
            const hit = layer.hit?.(frame, px, py) ?? null;
            if (hit && (best === null || (hit.far ?? 0) < (best.far ?? 0))) best = hit;
        }
        this.hover(best, false);
    }

    private pressed(u: uPlot, event: MouseEvent, handler: (event: MouseEvent) => null): null {
        if (!event.shiftKey) return handler(event);
        event.preventDefault();
        const [x0, y0] = [this.x, this.y];
        const [from, up] = [event.clientX, event.clientY];
        const move = (e: MouseEvent) => {
            const x = shifted(x0, this.scene.x.isLog, (from - e.clientX) / u.over.clientWidth);
            const y = shifted(y0, this.scene.y.isLog, (e.clientY - up) / u.over.clientHeight);
            this.tell(x, Math.abs(e.clientY - up) > 12 ? y : y0, true, Math.abs(e.clientY - up) > 12);
        };
        const end = () => {
            removeEventListener('mousemove', move);
            removeEventListener('mouseup', end);
        };
        addEventListener('mousemove', move);
        addEventListener('mouseup', end);
        return null;
    }

    private listen(u: uPlot): void {
        u.over.addEventListener('dblclick', () => this.events.ranged(null, null));
        u.over.addEventListener('click', (event) => {
            if (!event.shiftKey) this.choose();
        });
        u.over.addEventListener('wheel', (event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            const box = u.over.getBoundingClientRect();
            this.zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
        }, { passive: false });
        const { isLog } = this.scene.x;
        followFingers(u.over, isLog, () => this.x, (x) => this.tell(x, this.y, true, false));
    }
}

const mostLines = (labels: string[]): number =>
    Math.max(1, ...labels.map((label) => label.split('\n').length));

const widest = (labels: string[]): number => labels.reduce((most, label) => Math.max(most, label.length), 0);

/** How long a redraw took, for whoever measures the page. */
function measured(): void {
    if (performance.getEntriesByName('flashscope:first-chart').length === 0)
        performance.mark('flashscope:first-chart');
    if (performance.getEntriesByName('flashscope:range').length === 0) return;
    performance.measure('flashscope:redraw', 'flashscope:range');
    performance.clearMarks('flashscope:range');
}
