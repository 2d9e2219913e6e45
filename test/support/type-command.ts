/** `typeCommand`: runs a command that a document prints, as a user at a terminal does who answers yes to each question. */
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runProgram } from '../../src/cli/program.js';

export interface Typed {
  code: number;
  out: string;
  err: string;
  /** The questions that the command asked. */
  asked: string[];
}

/** The line begins with `npx data-import-sdk`; ` > file` writes its standard output into a file. */
export async function typeCommand(line: string): Promise<Typed> {
  const [command = '', target] = line.split(' > ');
  const [npx, program, ...args] = command.split(' ');
  expect([npx, program]).toEqual(['npx', 'data-import-sdk']);
  const asked: string[] = [];
  const out: string[] = [];
  const err: string[] = [];
  const code = await runProgram(args, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    ask: async (question) => {
      asked.push(question);
      return 'y';
    },
  });
  if (target !== undefined) writeFileSync(target, out.join(''));
  return { code, out: out.join(''), err: err.join(''), asked };
}
