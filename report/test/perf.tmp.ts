import { launch, open, close, drawn, settled } from './browser/chrome';
import { run } from './fixture/documents';
import { html } from './fixture/html';
const b = await launch();
const made = run('rig:mtron', 1, [{id:'t', ios: 10_000_000, seed: 7, columnIos: 611, ops: 2, headIos: 8192}]);
const traces = made.document.sections.filter(({ id }) => id === 'traces');
const others = made.document.sections.filter(({ id }) => id !== 'traces');
const text = html([{ ...made, document: { ...made.document, sections: [...traces, ...others] } }]);
console.log((text.length/1e6).toFixed(2)+' MB');
for (let i=0;i<5;i++){ const o = await open(b, text); await drawn(o.page,'t');
const first = await o.page.evaluate(()=>Math.round(performance.getEntriesByName('flashscope:first-chart')[0].startTime));
await o.page.focus('#t .plot'); const keys=['+','+','+','ArrowRight','ArrowRight','-','0','+','0','l','+','0'] as const;
for (const k of keys) { await o.page.keyboard.press(k); await settled(o.page); }
const m = await o.page.evaluate(()=>performance.getEntriesByName('flashscope:redraw').map(e=>e.duration));
console.log(first, (m.reduce((a,b)=>a+b,0)/m.length).toFixed(1), Math.max(...m).toFixed(1)); await close(o);}
await b.close();
