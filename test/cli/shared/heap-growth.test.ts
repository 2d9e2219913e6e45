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
