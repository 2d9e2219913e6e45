/** `openWebhook`: posts notifications to a URL, signed as the Standard Webhooks specification says (`--notify`). */
import { createHmac, randomUUID } from 'node:crypto';
import pRetry from 'p-retry';
import { createBodyBudget } from '../../../http/limits/body-budget.js';
import { withSignal } from '../../../http/time/cancellation.js';
import { dispatcherTransport } from '../../../http/transport/dispatcher-transport.js';
import { networkDispatcher } from '../../../http/transport/network-dispatcher.js';
import { TransportFailure } from '../../../http/transport/wire.js';
import { printable } from '../../../migration/shared/printable.js';
import { VERSION } from '../../../version.js';
import { LEFT_OUT } from '../../shared/command-text.js';
import { UsageError } from '../../shared/errors.js';
import type { Notification } from './when-to-notify.js';

export interface WebhookOptions {
  url: string;
  /** `whsec_` and base64; undefined: requests are not signed. */
  secret: string | undefined;
  now: () => Date;
  /** The first wait before a retry; each further wait is twice as long. */
  retryMs?: number | undefined;
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
}

const RETRIES = 3;
const MOST_ANSWER_BYTES = 65_536;

/** Opens connections through the proxy of the environment. Throws a `UsageError` for an invalid URL or secret. */
export function openWebhook({ url, secret, now, retryMs = 1000, timeoutMs = 5000 }: WebhookOptions) {
  const { host, origin, pathname, search } = expectUrl(url);
  const key = secret === undefined || secret === '' ? undefined : keyOf(secret);
  const dispatcher = networkDispatcher({ proxy: 'environment' });
  // Each request that waits for it rejects.
  dispatcher.catch(() => {});
  const limits = { maxAnswerBytes: MOST_ANSWER_BYTES, shareOf: createBodyBudget() };
  const transport = dispatcherTransport(() => dispatcher, limits, false);

  const post = async (id: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'user-agent': `data-import-sdk/${VERSION}` };
    const request = {
      ...{ method: 'POST' as const, origin, path: pathname + search, body },
      headers: { ...headers, ...signatureHeaders({ id, body, key, at: now() }) },
    };
    const { status } = await withSignal(AbortSignal.timeout(timeoutMs), (wait) => transport(request, wait));
    if (status < 200 || status > 299) throw new AnswerError(host, status);
  };

  return {
    /** Rejects with an `Error` whose message names neither the path of the URL nor the secret. */
    async send(notification: Notification): Promise<void> {
      const id = `msg_${randomUUID()}`;
      const body = printable(JSON.stringify(notification));
      const retry = { retries: RETRIES, minTimeout: retryMs, factor: 2 };
      try {
        await pRetry(() => post(id, body), { ...retry, shouldRetry: ({ error }) => isTemporary(error) });
      } catch (error) {
        throw error instanceof AnswerError ? error : new Error(failureInWords(host, error), { cause: error });
      }
    },
    async close(): Promise<void> {
      await (await dispatcher.catch(() => undefined))?.close();
    },
  };
}

/** An answer whose status is not 2xx. Redirects are not followed. */
class AnswerError extends Error {
  readonly status: number;

  constructor(host: string, status: number) {
    super(`${host} answered ${status}`);
    this.status = status;
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof AnswerError)) return true;
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

function failureInWords(host: string, error: unknown): string {
  const reason = error instanceof TransportFailure ? error.reason : (error as Error).name;
  return reason === 'TimeoutError' ? `${host} did not answer in time` : `no answer from ${host} (${reason})`;
}

/** Without a key only id and timestamp. Throws nothing. */
export function signatureHeaders({
  id,
  body,
  key,
  at,
}: {
  id: string;
  body: string;
  key?: Buffer | undefined;
  at: Date;
}) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return headers;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

function expectUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url?.pathname === LEFT_OUT) {
    throw new UsageError('--notify: replace *** by the path of the URL, which printed commands leave out.');
  }
  if (url !== undefined && isHttp && url.username === '' && url.password === '') return url;
  throw new UsageError('--notify: expected an http or https URL without user and password.');
}

const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/** Reads a secret in the form of the specification. Throws a `UsageError` that does not quote it. */
export function keyOf(secret: string): Buffer {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret.trim()) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length >= LEAST_BYTES && key.length <= MOST_BYTES) return key;
  throw new UsageError(
    'DATA_IMPORT_NOTIFY_SECRET: expected whsec_ and 24 to 64 bytes in base64. Create one with: echo "whsec_$(openssl rand -base64 32)"',
  );
}
