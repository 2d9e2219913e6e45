/** `typePage`: types the commands of a page from top to bottom, each exactly as printed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { commandLinesOf } from '../documents/documents.js';
import { type Begun, beginCommand, typeCommand } from './type-command.js';

export interface Reader {
  /** Values of the variables that the page exports, in place of those that it prints. */
  exports?: Record<string, string>;
  /** Commands that work until they are interrupted, by line. The reader interrupts them after the last command. */
  serving?: Record<string, Serving>;
}

interface Serving {
  /** What it prints as soon as the next command may be typed. */
  prints: string;
  /** Flags that a test adds, such as one for a free port. */
  more?: string;
}

/** Returns each command of this package with its exit code. Other programs are left out. */
export async function typePage(document: string, { exports = {}, serving = {} }: Reader): Promise<[string, number][]> {
  const ends: [string, Promise<{ code: number }>][] = [];
  const begun: Begun[] = [];
  for (const line of commandLinesOf(document)) {
    if (line.startsWith('export ')) {
      for (const [, name = ''] of line.matchAll(/([A-Z_]+)=/g)) {
        expect(exports, `${document} exports it`).toHaveProperty(name);
        vi.stubEnv(name, exports[name]);
      }
    } else if (line.startsWith('jq -rc .original ')) {
      writeOriginals(line.slice('jq -rc .original '.length));
    } else if (line.startsWith('npx data-import-sdk ')) {
      const { prints, more = '' } = serving[line] ?? {};
      if (prints === undefined) {
        let typed = await typeCommand(line);
        while (typed.err.includes('Check after that time')) typed = await typeCommand(line);
        ends.push([line, Promise.resolve(typed)]);
        continue;
      }
      const command = beginCommand(`${line}${more}`);
      begun.push(command);
      ends.push([line, command.ended]);
      await command.prints(prints);
    }
  }
  for (const command of begun) command.interrupt();
  return Promise.all(ends.map(async ([line, ended]): Promise<[string, number]> => [line, (await ended).code]));
}

/** What `jq -rc .original rejected.jsonl > corrected.jsonl` writes. */
function writeOriginals(words: string): void {
  const [source = '', target = ''] = words.split(' > ');
  const originals = readFileSync(source, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).original);
  writeFileSync(target, originals.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''));
}
