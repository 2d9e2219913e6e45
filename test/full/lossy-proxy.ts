/** A real HTTP proxy before the sandbox that loses answers, by a seed, and remembers what the sandbox itself answered. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What may happen to a request. With the last four, the sandbox has processed it or still does. */
const FATES = [
  'lost before it arrived',
  '502 before it arrived',
  'refused with 500',
  'done, then reset',
  'done, then half an answer',
  'done, then 502',
  'done, then no answer',
  '504 at once, done later',
] as const;
/** `too late`: answered, but the sender had no patience left; it tells so itself, of the answers that it heard. */
type Fate = (typeof FATES)[number] | 'answered' | 'too late';

export interface Passage {
  /** Account number that the request is about. */
  account: string;
  /** Method and path below /v1/data-import/. */
  line: string;
  fate: Fate;
  /** Status of the sandbox's answer, even if it did not reach the sender. */
  status: number | undefined;
}

export interface Weather {
  seed: string;
  /** Misfortunes that may happen to requests about one account. */
  worst: number;
  /** Share of requests that meet one while there are any left. */
  share: number;
  /** Accounts for which, after the first request, no answer reaches the sender any more. */
  cutOff?: (account: string) => boolean;
}

/** In place of the sandbox's own answer: for deployments that refuse what the sandbox takes. */
export type Deployment = (line: string, account: string, body: string) => { status: number; body: string } | undefined;

export interface LossyProxy {
  url: string;
  /** Every request, in the order in which its fate was decided. */
  passages: Passage[];
  /** The sender reports the `x-request-id` of each answer that it received. */
  heard(id: string | undefined): void;
  /**
   * Resolves when every request that arrived has been processed, also those without a waiting sender. Answers that no sender
   * heard are `too late` from then on.
   */
  calm(): Promise<void>;
}

/**
 * What happens to the n-th request about an account depends only on the seed, the account and n, so that the order in
 * which calls come cannot change it.
 */
export async function lossyProxy(
  target: string,
  weather: Weather,
  deployment: Deployment = () => undefined,
): Promise<LossyProxy> {
  const passages: Passage[] = [];
  const heard = new Set<string | undefined>();
  const counts = new Map<string, { requests: number; misfortunes: number }>();
  const queues = new Map<string, Promise<unknown>>();
  const underWay = new Set<Promise<void>>();
  /** Requests that were answered 504 and are not yet processed; at most one per account. */
  const putOff = new Map<string, () => void>();
  const release = (account: string) => {
    putOff.get(account)?.();
    putOff.delete(account);
  };

  /** Processes the requests about one account one after the other, as a service with a transaction does. */
  function carryOut(request: IncomingMessage, line: string, account: string, body: string): Promise<Answer> {
    const before = queues.get(account) ?? Promise.resolve();
    const answer = before.then(() => deployment(line, account, body) ?? forward(target, request, body));
    queues.set(
      account,
      answer.catch(() => {}),
    );
    return answer;
  }

  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const line = `${request.method} ${request.url?.replace('/v1/data-import/', '')}`;
    const account = accountOf(line, body);
    const count = counts.get(account) ?? { requests: 0, misfortunes: 0 };
    counts.set(account, count);
    const fate = fateOf(weather, account, count.requests++, count.misfortunes);
    if (fate !== 'answered') count.misfortunes++;
    const passage: Passage = { account, line, fate, status: undefined };
    response.setHeader('x-request-id', passages.push(passage) - 1);

    const done = async () => {
      const answer = await carryOut(request, line, account, body);
      passage.status = answer.status;
      return answer;
    };
    // The worst moment for what was put off: after all questions, right before the request is sent again.
    const asks = request.method === 'GET';
    if (!asks) release(account);
    const later = () =>
      new Promise<void>((resolve) => {
        const carryOutNow = () => resolve(done().then(() => {}));
        if (asks) carryOutNow();
        else putOff.set(account, carryOutNow);
      });
    const over = meet(fate, done, later, response).finally(() => underWay.delete(over));
    underWay.add(over);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passages,
    heard: (id) => void heard.add(id),
    calm: async () => {
      for (const account of [...putOff.keys()]) release(account);
      await Promise.all(underWay);
      for (const [index, passage] of passages.entries()) {
        if (passage.fate === 'answered' && !heard.has(String(index))) passage.fate = 'too late';
      }
    },
  };
}

interface Answer {
  status: number;
  body: string;
}

async function meet(
  fate: Fate,
  done: () => Promise<Answer>,
  later: () => Promise<void>,
  response: ServerResponse,
): Promise<void> {
  const json = { 'content-type': 'application/json' };
  switch (fate) {
    case 'lost before it arrived':
      return reset(response);
    case '502 before it arrived':
      return page(response, 502);
    case 'refused with 500':
      return void response.writeHead(500, json).end('{"detail":"Failed.","code":"error"}');
    case 'done, then reset':
      await done();
      return reset(response);
    case 'done, then half an answer': {
      const { status, body } = await done();
      response.writeHead(status, { ...json, 'content-length': Buffer.byteLength(body) + 1 });
      response.write(body, () => response.socket?.destroy());
      return;
    }
    case 'done, then 502':
      await done();
      return page(response, 502);
    case 'done, then no answer':
      // The client's own limit of time ends it.
      await done();
      return;
    case '504 at once, done later':
      page(response, 504);
      return later();
    case 'answered': {
      const { status, body } = await done();
      return void response.writeHead(status, json).end(body);
    }
  }
}

function fateOf({ seed, worst, share, cutOff }: Weather, account: string, nth: number, misfortunes: number): Fate {
  const bytes = createHash('sha256').update(`${seed} ${account} ${nth}`).digest();
  if (cutOff?.(account)) return nth === 0 && bytes.readUInt8(4) < 128 ? 'done, then reset' : 'lost before it arrived';
  if (misfortunes >= worst || bytes.readUInt32BE(0) / 2 ** 32 >= share) return 'answered';
  return FATES[bytes.readUInt8(5) % FATES.length] ?? 'answered';
}

function accountOf(line: string, body: string): string {
  const [, inPath] = /^GET account-transfer-status\/[^/]+\/([^/]+)\/$/.exec(line) ?? [];
  return inPath ?? (JSON.parse(body) as { external_account_number: string }).external_account_number;
}

async function forward(target: string, request: IncomingMessage, body: string): Promise<Answer> {
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
    ...(body !== '' && { body }),
  });
  return { status: answer.status, body: await answer.text() };
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function page(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>Gateway</h1></html>');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
