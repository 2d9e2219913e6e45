/**
 * The door of the service as a distributed run comes to it: one address for all workers, and a token for each, so that it knows
 * who calls. It writes down who came when, and answers in the service's place where a test wants it to.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that arrived. */
export interface Passage {
  /** Whose token it bore. */
  worker: string;
  path: string;
  /** External account number, where the request names one. */
  account: string | undefined;
  /** By the machine's clock, in milliseconds since 1970. */
  at: number;
  /** undefined while it is in flight. */
  status: number | 'broken off by the caller' | undefined;
}

/** undefined lets it in to the service. */
type Doorkeeper = (passage: Passage) => Response | undefined | Promise<Response | undefined>;

export interface Door {
  /** Base URL for every worker. */
  url: string;
  /** Under which the door knows a worker. */
  tokenOf(worker: string): string;
  /** All who came, the first one first. */
  passages: readonly Passage[];
  /** Resolves when this number of requests have arrived since the start. */
  arrived(count: number): Promise<void>;
  /** Puts a keeper in the place of the one before; none lets everybody in. */
  keep(keeper?: Doorkeeper): void;
  close(): Promise<void>;
}

const TOKEN = 'token-of-';
const ACCOUNT = /"external_account_number":"([^"]*)"/;
/** Who asks for an account's status names it in the path. */
const ASKED_FOR = /\/account-transfer-status\/[^/]+\/([^/]+)\//;

/** What answers behind the door; `lost` aborts where the caller has gone. */
interface Service {
  fetch(request: Request, lost: AbortSignal): Promise<Response>;
  token: string;
}

export async function openDoor(service: Service): Promise<Door> {
  const passages: Passage[] = [];
  let waiting: { count: number; come: () => void }[] = [];
  let keeper: Doorkeeper | undefined;

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const [, worker = ''] = headers.authorization?.split(TOKEN) ?? [];
    const passage: Passage = { worker, path, account: undefined, at: Date.now(), status: undefined };
    passages.push(passage);
    const lost = new AbortController();
    outgoing.once('close', () => {
      lost.abort();
      passage.status ??= 'broken off by the caller';
    });
    const body = await bodyOf(incoming);
    passage.account = (ACCOUNT.exec(body) ?? ASKED_FOR.exec(path))?.[1];
    const isMet = ({ count }: { count: number }) => count <= passages.length;
    for (const { come } of waiting.filter(isMet)) come();
    waiting = waiting.filter((one) => !isMet(one));

    const kept = await keeper?.(passage);
    // Who has left is not let in.
    if (passage.status !== undefined) return;
    const answer =
      kept ??
      (await service.fetch(
        new Request(`http://sandbox${path}`, {
          method,
          headers: { 'content-type': 'application/json', authorization: `Token ${service.token}` },
          ...(method !== 'GET' && { body }),
        }),
        lost.signal,
      ));
    const text = await answer.text();
    passage.status ??= answer.status;
    outgoing.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'content-length': Buffer.byteLength(text),
    });
    outgoing.end(text);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    tokenOf: (worker) => `${TOKEN}${worker}`,
    passages,
    arrived: (count) =>
      new Promise((resolve) => {
        if (passages.length >= count) resolve();
        else waiting.push({ count, come: resolve });
      }),
    keep(next) {
      keeper = next;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
