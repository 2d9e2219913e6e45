/** Commands that a document prints, typed as by a user at a terminal who answers yes to each question. */

import { writeFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import type { EndingSignal } from '../../src/cli/shared/command-context.js';
import { PATIENCE } from '../helpers/patience.js';

export interface Typed {
  code: number;
  out: string;
  err: string;
  /** The questions that the command asked. */
  asked: string[];
}

export interface Begun {
  ended: Promise<Typed>;
  /** Until it has printed this text. */
  prints(text: string): Promise<void>;
  /** Ctrl-C. */
  interrupt(): void;
}

/** The line begins with `npx data-import-sdk`; ` > file` writes its standard output into a file. */
export function typeCommand(line: string): Promise<Typed> {
  return beginCommand(line).ended;
}

export function beginCommand(line: string): Begun {
  const [command = '', target] = line.split(' > ');
  const [npx, program, ...args] = command.split(' ');
  expect([npx, program]).toEqual(['npx', 'data-import-sdk']);
  const asked: string[] = [];
  const out: string[] = [];
  const err: string[] = [];
  const listeners = new Set<(signal: EndingSignal) => void>();
  const code = runProgram(args, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask: async (question) => {
      asked.push(question);
      return 'y';
    },
  });
  return {
    ended: code.then((code) => {
      if (target !== undefined) writeFileSync(target, out.join(''));
      return { code, out: out.join(''), err: err.join(''), asked };
    }),
    prints: (text) =>
      vi.waitFor(() => expect([...out, ...err].join('')).toContain(text), { ...PATIENCE, interval: 20 }),
    interrupt() {
      for (const listener of listeners) listener('SIGINT');
    },
  };
}
