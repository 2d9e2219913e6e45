/**
 * docs/from-csv-to-production.md, from its second step, exactly as printed: files, commands and output are taken from the page. The
 * rehearsal has its own service, and "the real one" is a second service on another port.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { textOf } from '../documents/documents.js';
import { typeCommand } from '../support/type-command.js';

/** What a block of the page is: a file, one line of a file, commands, or what they print. */
interface Part {
  language: string;
  file: string | undefined;
  line: number | undefined;
  code: string;
}

function partsOf(page: string): Part[] {
  const blocks = page.matchAll(/(?:^`([\w.-]+)`(?:, line (\d+))?:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm);
  return [...blocks].map(([, file, line, language = '', code = '']) => {
    return { language, file, line: line === undefined ? undefined : Number(line), code };
  });
}

/** Windows-1252 is Latin-1 for the characters of this page. */
function write({ file = '', line, code, language }: Part): void {
  const encoding = language === 'csv' ? 'latin1' : 'utf8';
  if (line === undefined) {
    writeFileSync(file, code, encoding);
    return;
  }
  const lines = readFileSync(file, encoding).split('\n');
  lines[line - 1] = code.trimEnd();
  writeFileSync(file, lines.join('\n'), encoding);
}

const ENDS = [
  ['npx data-import-sdk check customers.csv --map map.mjs', 3],
  ['npx data-import-sdk plan customers.csv --map map.mjs --rps 20', 3],
  ['npx data-import-sdk run customers.csv --map map.mjs --sandbox', 3],
  ['npx data-import-sdk verify --sandbox', 0],
  ['npx data-import-sdk run customers.csv --map map.mjs --sandbox', 3],
  ['npx data-import-sdk doctor customers.csv --map map.mjs', 0],
  ['npx data-import-sdk run customers.csv --map map.mjs --canary 2', 3],
  ['npx data-import-sdk retry corrected.jsonl', 0],
  ['npx data-import-sdk verify', 0],
];

describe('docs/from-csv-to-production.md, exactly as printed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'from-csv-'));
  const before = process.cwd();
  const real = createSandbox({ suppliers: [{ code: 'ACME' }], teams: ['EAST'] });
  let server: Awaited<ReturnType<typeof real.listen>>;
  beforeAll(async () => {
    server = await real.listen();
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(before);
    vi.unstubAllEnvs();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('each command prints what the page shows, and each account is created once at the real service', async () => {
    const ends: unknown[] = [];
    let printed: string[] = [];
    const [install, ...parts] = partsOf(textOf('docs/from-csv-to-production.md'));
    expect(install?.code).toContain('npm install data-import-sdk');
    for (const part of parts) {
      if (part.file !== undefined) write(part);
      else if (part.language === 'sh') {
        printed = [];
        for (const line of part.code.trimEnd().split('\n')) {
          if (line.startsWith('export ')) {
            expect(real.requests()).toEqual([]);
            vi.stubEnv('DATA_IMPORT_BASE_URL', server.url);
            vi.stubEnv('DATA_IMPORT_TOKEN', real.token);
            continue;
          }
          const { code, out, err, asked } = await typeCommand(line);
          ends.push([line, code]);
          if (line.includes('--canary')) expect(asked).toEqual(['Continue with the whole input? [y/N] ']);
          printed.push(...`${out}${err}`.split('\n').map((text) => text.replace(/\s+/g, ' ')));
        }
      } else if (part.language === 'text') {
        for (const line of part.code.trimEnd().split('\n')) {
          const shown = line.replace(/\s+/g, ' ');
          expect(
            printed.some((text) => text.startsWith(shown)),
            `${shown}, in\n${printed.join('\n')}`,
          ).toBe(true);
        }
      }
    }
    expect(ends).toEqual(ENDS);
    expect(real.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(5);
    expect(real.requests().filter(({ operation }) => operation === 'transactions.create')).toHaveLength(3);
  });
});
