/** The executable limits how far the heap grows (decision 11). A version of V8 that may not know the flag gets none: it would print an error. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints each flag that the process sets. `v8`: version that the process sees. */
const recorder = (v8: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import v8 from 'node:v8';
    import { syncBuiltinESMExports } from 'node:module';
    v8.setFlagsFromString = (flag) => console.log('flag ' + flag);
    syncBuiltinESMExports();
    Object.defineProperty(process, 'versions', { value: { ...process.versions, v8: '${v8}' } });
  `)}`;

test.each([
  ['11.3.244.8-node.38', ['flag --heap-growing-percent=50']],
  ['13.6.233.17-node.41', ['flag --heap-growing-percent=50']],
  ['14.0.1-node.1', []],
])('V8 %s', (v8, flags) => {
  const parts = ['--import', 'tsx', '--import', recorder(v8), 'src/cli/index.ts', '--version'];
  const { stdout, stderr } = spawnSync(process.execPath, parts, { encoding: 'utf8' });
  expect([stdout.split('\n').filter((line) => line.startsWith('flag ')), stderr]).toEqual([flags, '']);
});

test.each([
  [
    'open files',
    "Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', path: 'dist/program.js' })",
    'dist/program.js cannot be opened (EMFILE). Raise the limit of open files (ulimit -n), and repeat the command.',
  ],
  [
    'address space',
    "new RangeError('WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance')",
    'memory: the process may use too little address space: WebAssembly, which reads HTTP, reserves up to 24 GB of it. Raise or remove the limit (ulimit -v), and repeat the command.',
  ],
])(
  'a process that has reached its limit of %s while it loads its code ends with one error and its remedy',
  (_, thrown, message) => {
    const hooks = `
    export async function load(url, context, next) {
      if (!url.includes('/program.')) return next(url, context);
      throw ${thrown};
    }`;
    const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
    const hooked = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`);
    const parts = ['--import', 'tsx', '--import', hooked, 'src/cli/index.ts', '--version'];
    const { status, stderr } = spawnSync(process.execPath, parts, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `data-import-sdk: ${message}\n`]);
  },
);
