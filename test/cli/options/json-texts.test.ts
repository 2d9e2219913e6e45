/** The JSON files that a command reads: a byte order mark is skipped, and a file that JSON.parse would change is refused. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { openFolder, refused, run } from '../typed.js';

const { at, inputFile } = openFolder();
const input = inputFile('in.jsonl', { account: { import_supplier: 'ACME', external_account_number: 'A-1' } });

/** Commands that read a JSON file, and a content that each accepts. */
const READERS: [string, string, (path: string) => string[]][] = [
  ['the config file', '{"warnings":true}', (path) => ['check', input, '--config', path]],
  ['the profile', '{"required":["account.import_supplier"]}', (path) => ['check', input, '--profile', path]],
  [
    'the settings of the sandbox',
    '{"settings":{}}',
    (path) => ['run', input, '--sandbox', '--sandbox-settings', path, '--run', at('r')],
  ],
  ['the payload of a call', '{"number":1}', (path) => ['call', 'notes.create', '--body', path]],
];

describe.each(READERS)('%s', (_, content, command) => {
  test('may begin with a byte order mark', async () => {
    vi.stubEnv('DATA_IMPORT_TOKEN', '');
    writeFileSync(at('a.json'), `\ufeff${content}`);
    expect((await run(...command(at('a.json')))).err).not.toContain('JSON');
  });

  test('with a name twice is refused with its path', async () => {
    writeFileSync(at('a.json'), `{"a":{"b":1,"\\u0062":2}}`);
    expect(await run(...command(at('a.json')))).toMatchObject(
      refused('a name stands twice in an object, and only one of its values would be read: a.b'),
    );
  });

  test('with a number that JavaScript would round is refused with its path', async () => {
    writeFileSync(at('a.json'), `{"a":[12345678901234567890]}`);
    expect(await run(...command(at('a.json')))).toMatchObject(refused('write it as a text: a.0'));
  });
});
