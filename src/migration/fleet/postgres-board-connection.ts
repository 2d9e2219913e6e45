/** A connection that is made again whenever it is lost, with growing waits, until it is closed. */
import { setTimeout as after } from 'node:timers/promises';
import type { Client, QueryResult } from 'pg';
import { isLost } from '../ledger/postgres-error.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
/** What is asked here is answered at once. Past this the connection counts as cut. */
const ANSWER_TIMEOUT_MS = 5000;

export interface KeptConnection {
  isUp(): boolean;
  /** Rejects at once where there is no connection. Texts that come again are kept prepared under their name. */
  query(query: { name?: string; text: string; values?: readonly unknown[] }): Promise<QueryResult<Row>>;
  close(): Promise<void>;
}

type Row = Record<string, unknown>;

export interface KeptConnectionOptions {
  /** Not yet connected. */
  newClient: () => Client;
  /** What each connection needs before it is of use, and after it was lost. */
  prepare?: (client: Client) => Promise<void>;
  onLost?: (error: unknown) => void;
  onBack?: () => void;
}

/** Rejects where the first connection cannot be made. */
export async function keepConnected(options: KeptConnectionOptions): Promise<KeptConnection> {
  const { newClient, prepare = async () => {}, onLost = () => {}, onBack = () => {} } = options;
  const closing = new AbortController();
  let current: Client | undefined;

  async function connect(): Promise<void> {
    const client = newClient();
    const leave = (error: unknown) => lose(client, error);
    client.on('error', leave);
    client.on('end', () => leave(new Error('Connection terminated')));
    try {
      await client.connect();
      await prepare(client);
      if (closing.signal.aborted) throw closing.signal.reason;
      current = client;
    } catch (error) {
      forget(client);
      throw error;
    }
  }

  function lose(client: Client, error: unknown): void {
    if (client !== current) return;
    current = undefined;
    forget(client);
    if (closing.signal.aborted) return;
    onLost(error);
    void connectAgain();
  }

  async function connectAgain(): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; !closing.signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        await connect();
        return onBack();
      } catch {
        await after(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  await connect();
  return {
    isUp: () => current !== undefined,
    async query({ name, text, values = [] }) {
      const client = current;
      if (client === undefined) throw new Error('Connection terminated');
      const query = {
        text,
        values: [...values],
        query_timeout: ANSWER_TIMEOUT_MS,
        ...(name !== undefined && { name }),
      };
      try {
        return await client.query<Row>(query);
      } catch (error) {
        if (isLost(error)) lose(client, error);
        throw error;
      }
    },
    async close() {
      closing.abort();
      const client = current;
      current = undefined;
      await client?.end().catch(() => {});
    },
  };
}

/** What is cut may never say that it has ended. */
function forget(client: Client): void {
  client.end().catch(() => {});
}
