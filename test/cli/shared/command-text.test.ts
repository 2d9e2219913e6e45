/** A printed command can be pasted into a shell, and holds no password. */
import { win32 } from 'node:path';
import { expect, test } from 'vitest';
import { programName, shellWord, withoutPasswords, withoutSecrets } from '../../../src/cli/shared/command-text.js';

test.each([
  ['started by npx', '/project/node_modules/.bin/data-import-sdk', '/project', 'exec', 'npx data-import-sdk'],
  ['from .bin', '/project/node_modules/.bin/data-import-sdk', '/project', undefined, 'npx data-import-sdk'],
  [
    'from .bin, in a folder of the project',
    '/project/node_modules/.bin/data-import-sdk',
    '/project/in',
    undefined,
    'npx data-import-sdk',
  ],
  [
    'by a script of package.json',
    '/project/node_modules/.bin/data-import-sdk',
    '/project',
    'run-script',
    'npx data-import-sdk',
  ],
  [
    'by pnpm',
    '/project/node_modules/.pnpm/a/node_modules/data-import-sdk/dist/cli.js',
    '/project',
    undefined,
    'npx data-import-sdk',
  ],
  [
    'from .bin of another project',
    '/project/node_modules/.bin/data-import-sdk',
    '/else',
    undefined,
    '/project/node_modules/.bin/data-import-sdk',
  ],
  [
    'of a project with a similar name',
    '/project/node_modules/.bin/data-import-sdk',
    '/work2',
    undefined,
    '/project/node_modules/.bin/data-import-sdk',
  ],
  [
    'from .bin with a space in its path',
    '/my work/node_modules/.bin/data-import-sdk',
    '/else',
    undefined,
    "'/my work/node_modules/.bin/data-import-sdk'",
  ],
  ['installed globally', '/usr/local/bin/data-import-sdk', '/project', undefined, 'data-import-sdk'],
  [
    'installed globally, by its file',
    '/usr/lib/node_modules/data-import-sdk/dist/cli.js',
    '/project',
    undefined,
    'data-import-sdk',
  ],
  [
    'installed on Windows',
    String.raw`C:\work\node_modules\data-import-sdk\dist\cli.js`,
    String.raw`C:\work`,
    undefined,
    'npx data-import-sdk',
  ],
  ['in another program', '/project/node_modules/vitest/vitest.mjs', '/project', undefined, 'data-import-sdk'],
])('the program is named so that it can be started again: %s', (_, started, folder, npmCommand, name) => {
  expect(programName(started, folder, npmCommand)).toBe(name);
});

test.each<[NodeJS.Platform, string, string]>([
  ['linux', 'input/2026.jsonl', 'input/2026.jsonl'],
  ['linux', 'my input.jsonl', "'my input.jsonl'"],
  ['linux', "O'Brien $HOME", "'O'\\''Brien $HOME'"],
  ['linux', 'C:\\input.jsonl', "'C:\\input.jsonl'"],
  ['win32', win32.join('C:', 'inputs', '2026.jsonl'), 'C:\\inputs\\2026.jsonl'],
  ['win32', 'C:\\my inputs\\2026.jsonl', '"C:\\my inputs\\2026.jsonl"'],
  ['win32', 'Mon-Fri 20:00-06:00', '"Mon-Fri 20:00-06:00"'],
  ['win32', 'say "so"', '"say \\"so\\""'],
])('on %s the shell word for %s is %s', (platform, word, expected) => {
  expect(shellWord(word, platform)).toBe(expected);
});

test.each([
  ['postgres://ada:secret@db.example.com:5432/run', 'postgres://ada:***@db.example.com:5432/run'],
  ['--database=postgres://ada:secret@db.example.com/run', '--database=postgres://ada:***@db.example.com/run'],
  ['postgres://ada:s:e@c/ret@db.example.com/run', 'postgres://ada:***@db.example.com/run'],
  ['postgres://:secret@db.example.com/run', 'postgres://:***@db.example.com/run'],
  ['postgres:///run?user=ada&password=secret&host=db', 'postgres:///run?user=ada&password=***&host=db'],
  ['postgres:///run?sslpassword=secret', 'postgres:///run?sslpassword=***'],
  ['redis://:secret@a:1/2?password=secret', 'redis://:***@a:1/2?password=***'],
])('%s is printed without its password: %s', (word, shown) => {
  expect(withoutPasswords(word)).toBe(shown);
});

test.each([
  'run',
  'input/2026:01@home.jsonl',
  'https://api.example.com:8443/gateway/',
  'postgres://ada@db.example.com:5432/run',
  '--window',
  'Mon-Fri 20:00-06:00',
])('%s, which holds no password, is printed unchanged', (word) => {
  expect(withoutPasswords(word)).toBe(word);
});

test.each([
  [
    ['--notify', 'https://hooks.example.com/T0/B0/secret'],
    ['--notify', 'https://hooks.example.com/***'],
  ],
  [['--notify=https://hooks.example.com:8443/T0?q=secret'], ['--notify=https://hooks.example.com:8443/***']],
  [
    ['--notify', 'https://hooks.example.com?q=secret'],
    ['--notify', 'https://hooks.example.com/***'],
  ],
  [
    ['--notify', 'http://127.0.0.1:9464'],
    ['--notify', 'http://127.0.0.1:9464'],
  ],
  [
    ['--notify', 'https://hooks.example.com/'],
    ['--notify', 'https://hooks.example.com/'],
  ],
  [
    ['--base-url', 'https://api.example.com/import'],
    ['--base-url', 'https://api.example.com/import'],
  ],
  [
    ['--database', 'postgres://ada:secret@db/run'],
    ['--database', 'postgres://ada:***@db/run'],
  ],
])('of %j is shown %j', (words, shown) => {
  expect(withoutSecrets(words)).toEqual(shown);
});
