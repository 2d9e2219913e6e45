/** The commands that README, docs and `--help` show exist, with the flags that are shown, and take the values that are shown. */
import { Command, type CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { allCommands, INERT_CONTEXT } from '../../src/cli/commands.js';
import { blocksOf, documents, textOf } from './documents.js';

/** Lines of shell, and commands in the middle of a sentence. */
const shown = documents.flatMap((document) => [
  ...blocksOf('sh').flatMap((block) => (block.document === document ? commandsIn(block.code) : [])),
  ...[...textOf(document).matchAll(/`data-import-sdk ([^`\n]+)`/g)].map(([, words = '']) => words),
]);
const helps: string[] = [];
for (const command of await allCommands(INERT_CONTEXT)) {
  command.configureOutput({ writeOut: (text) => helps.push(text) }).outputHelp();
}
const inHelp = helps.flatMap((help) => commandsIn((help.split('\n\n')[1] ?? '').replaceAll('\\\n', '')));
const commands = [...new Set([...shown, ...inHelp])].filter((words) => !/[<…]/.test(words));

describe('a command of the documents', () => {
  test('there are as many as were counted by hand', () => {
    expect(commands.length).toBeGreaterThan(20);
    expect(inHelp.length).toBeGreaterThan(40);
  });

  test.each(commands)('data-import-sdk %s', async (words) => {
    expect(await complaintAbout(words)).toBe('');
  });

  test.each([
    ['rum input.jsonl', "unknown command 'rum'"],
    ['run input.jsonl --sandboxed', "unknown option '--sandboxed'"],
    ['run input.jsonl --dry-run some', "argument 'some' is invalid"],
  ])('data-import-sdk %s would be found', async (words, complaint) => {
    expect(await complaintAbout(words)).toContain(complaint);
  });
});

function commandsIn(shell: string): string[] {
  return [...shell.matchAll(/^(?: {2})?(?:\S.* \| )?(?:npx )?data-import-sdk ([^#|>\n]+)/gm)].map(([, words = '']) =>
    words.trim(),
  );
}

let complaint = '';
const program = new Command('data-import-sdk').exitOverride().configureOutput({
  writeOut() {},
  writeErr: (text) => {
    complaint += text;
  },
});
for (const command of await allCommands(INERT_CONTEXT)) {
  program.addCommand(command.copyInheritedSettings(program).action(() => {}));
}

/** Returns the error of commander; no command runs. */
async function complaintAbout(words: string): Promise<string> {
  complaint = '';
  const args = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  // A command that is only named is named without what it needs.
  if (args.length === 1) args.push('--help');
  await program.parseAsync(args, { from: 'user' }).catch((error: CommanderError) => {
    if (error.exitCode !== 0) complaint ||= error.message;
  });
  return complaint;
}
