/** Exports `openService`: a sandbox that is called without a Request and a Response, which take longer than the call itself. */
import type { Reply } from '../sandbox/server/reply.js';
import { createRouter } from '../sandbox/server/router.js';
import { completeOptions } from '../sandbox/settings/complete-options.js';
import type { SandboxOptions } from '../sandbox/settings/sandbox-options.js';
import { createSpaces } from '../sandbox/spaces.js';

export interface PlainRequest {
  method: 'GET' | 'POST';
  url: string;
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body; empty for none. */
  text: string;
  /** Identifies the call where `wait` is asked for it. */
  signal?: AbortSignal;
}

/** Returns a function that answers requests. `wait` is called for the duration of a call that takes time. */
export function openService(
  options: SandboxOptions,
  wait: (signal: AbortSignal) => Promise<void>,
): (request: PlainRequest) => Promise<Reply> {
  const waitFor = (_: number, signal: AbortSignal) => wait(signal);
  const config = { ...completeOptions(options), wait: waitFor, waitToTheEnd: waitFor };
  const route = createRouter(createSpaces(config), config.settings);
  const { signal: unused } = new AbortController();
  return async ({ method, url, headers, text, signal = unused }) => {
    const given: Readonly<Record<string, string>> = { ...headers, 'content-length': String(Buffer.byteLength(text)) };
    const reply = await route({
      ...{ method, url, signal, body: null },
      headers: { get: (name) => given[name] ?? null },
      arrayBuffer: async () => Buffer.from(text),
    });
    if (reply === undefined) throw new Error('a sandbox without faults answers each call');
    return reply;
  };
}
