/** The message of TypeScript for an empty note (issue 20, D4): it must name both fields. */
// @module-tag long
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const FILE = resolve('test/types/note-message.ts');

function messagesOf(source: string): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => resolve(name) === FILE || fileExists(name);
  host.getSourceFile = (name, target) =>
    resolve(name) === FILE ? ts.createSourceFile(name, source, target) : getSourceFile(name, target);
  const program = ts.createProgram([FILE], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(FILE))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it('C4 a note with neither does not compile, and each message names both fields', () => {
  const messages = messagesOf(`import type { NotesPayload } from '../../schemas/index.js';
    export const notes: NotesPayload['notes'][] = [
      [{}],
      [{ is_pinned: true }],
      [{ body: undefined, document_paths: undefined }],
    ];`);
  const both = expect.stringMatching(/body[\s\S]*document_?paths/i);
  expect(messages).toEqual([both, both, both]);
});
