// What an app carries of the client, minified and gzipped.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

import {build} from 'esbuild';

const limit = 6000;

/** @type {Record<string, import('esbuild').BuildOptions>} */
const apps = {
  'the example': {entryPoints: ['example/page.js']},
  'every operation': {stdin: {resolveDir: '.', contents: 'export * from "./directory/index.js"; export * from "./hardware/index.js"'}},
};

for (const [name, entry] of Object.entries(apps)) {
  test(`${name} is small`, async (t) => {
    const absWorkingDir = fileURLToPath(new URL('..', import.meta.url));
    const {outputFiles: [file]} = await build({...entry, absWorkingDir, bundle: true, minify: true, format: 'esm', write: false, outdir: '.'});
    const {length} = gzipSync(file.contents, {level: 9});
    t.diagnostic(`${length} bytes`);
    assert.ok(file.contents.length > limit, 'the client is not in it');
    assert.ok(length <= limit, `${length} bytes, more than ${limit}`);
  });
}
