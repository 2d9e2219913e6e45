/** The program's name in printed commands: what the user can give again. */
import { expect, test } from 'vitest';
import { programName } from '../../../src/cli/shared/program-name.js';

test.each([
  ['started by npx', '/work/node_modules/.bin/data-import', '/work', 'exec', 'npx data-import'],
  ['from .bin', '/work/node_modules/.bin/data-import', '/work', undefined, 'npx data-import'],
  [
    'from .bin, in a folder of the project',
    '/work/node_modules/.bin/data-import',
    '/work/in',
    undefined,
    'npx data-import',
  ],
  ['by a script of package.json', '/work/node_modules/.bin/data-import', '/work', 'run-script', 'npx data-import'],
  [
    'by pnpm',
    '/work/node_modules/.pnpm/a/node_modules/data-import-sdk/dist/cli.js',
    '/work',
    undefined,
    'npx data-import',
  ],
  [
    'from .bin of another project',
    '/work/node_modules/.bin/data-import',
    '/else',
    undefined,
    '/work/node_modules/.bin/data-import',
  ],
  [
    'of a project with a similar name',
    '/work/node_modules/.bin/data-import',
    '/work2',
    undefined,
    '/work/node_modules/.bin/data-import',
  ],
  [
    'from .bin with a space in its path',
    '/my work/node_modules/.bin/data-import',
    '/else',
    undefined,
    "'/my work/node_modules/.bin/data-import'",
  ],
  ['installed globally', '/usr/local/bin/data-import', '/work', undefined, 'data-import'],
  [
    'installed globally, by its file',
    '/usr/lib/node_modules/data-import-sdk/dist/cli.js',
    '/work',
    undefined,
    'data-import',
  ],
  [
    'installed on Windows',
    String.raw`C:\work\node_modules\data-import-sdk\dist\cli.js`,
    String.raw`C:\work`,
    undefined,
    'npx data-import',
  ],
  ['in another program', '/work/node_modules/vitest/vitest.mjs', '/work', undefined, 'data-import'],
])('%s', (_, started, folder, npmCommand, name) => {
  expect(programName(started, folder, npmCommand)).toBe(name);
});
