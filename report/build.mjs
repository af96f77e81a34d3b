// Bundles the page's script and style into the crate's assets; with --tests, the tests into dist/.
// The same sources and the pinned esbuild give the same bytes, which is how it is checked that they are fresh.

import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const here = fileURLToPath(new URL('.', import.meta.url));
const assets = join(here, '../crates/show/assets');

const contained = { uplot: 'uPlot, https://github.com/leeoniya/uPlot', fflate: 'fflate, https://github.com/101arrowz/fflate' };
const licences = Object.entries(contained).map(([folder, name]) =>
    `${name}\n\n${readFileSync(join(here, 'node_modules', folder, 'LICENSE'), 'utf8').trim()}\n`).join('\n');
const note = `/*! flashscope report. Contains ${licences}*/`;

async function bundle() {
    const shared = { bundle: true, minify: true, charset: 'utf8', legalComments: 'none', write: false };
    const script = await build({
        ...shared,
        entryPoints: [join(here, 'src/main.ts')],
        format: 'iife',
        target: ['es2020'],
    });
    const style = await build({ ...shared, entryPoints: [join(here, 'src/report.css')], target: ['es2020'] });
    // The page holds the script between tags, so that neither may end it early.
    const text = script.outputFiles[0].text.replaceAll('</script', '<\\/script');
    mkdirSync(assets, { recursive: true });
    write('NOTICE', `report.js contains ${licences}`);
    write('report.js', `${note}\n${text}`);
    write('report.css', style.outputFiles[0].text);
}

function write(name, text) {
    writeFileSync(join(assets, name), text);
    process.stdout.write(`${name} ${(text.length / 1000).toFixed(1)} kB\n`);
}

async function tests() {
    for (const kind of ['unit', 'browser']) {
        const folder = join(here, 'test', kind);
        const entryPoints = readdirSync(folder).filter((f) => f.endsWith('.test.ts')).map((f) => join(folder, f));
        await build({
            entryPoints,
            bundle: true,
            platform: 'node',
            format: 'esm',
            outdir: join(here, 'dist', kind),
            outExtension: { '.js': '.mjs' },
            packages: 'external',
            sourcemap: 'inline',
            logLevel: 'warning',
        });
    }
}

await (process.argv.includes('--tests') ? tests() : bundle());
