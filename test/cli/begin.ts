/** Exports `begin`, which starts a command as typed and gives it to the test while it is running. */

import { expect, vi } from 'vitest';
import { PATIENCE } from '../helpers/patience.js';
import { runIn } from './typed.js';

type Signal = 'SIGINT' | 'SIGTERM';

export function begin(...args: string[]) {
  let listeners: ((signal: Signal) => void)[] = [];
  let err = '';
  const ended = runIn(
    {
      err(text) {
        err += text;
      },
      onSignal(listener) {
        listeners.push(listener);
        return () => {
          listeners = listeners.filter((other) => other !== listener);
        };
      },
    },
    ...args,
  ).then((result) => ({ ...result, err }));
  return {
    ended,
    err: () => err,
    signal(signal: Signal) {
      for (const listener of listeners) listener(signal);
    },
    /** Until it has said so. */
    says: (text: string) => vi.waitFor(() => expect(err).toContain(text), { ...PATIENCE, interval: 20 }),
  };
}
