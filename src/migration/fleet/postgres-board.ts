/**
 * A board on the ledger's PostgreSQL. Messages go by NOTIFY, to whoever listens; the orders lie in a row. A notification
 * may be lost, so the row is read again from time to time, and whenever a connection comes back.
 */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { createWriterClient } from '../ledger/postgres-connection.js';
import { loadPg } from '../ledger/postgres-driver.js';
import { LedgerDatabaseError, ledgerDatabaseError } from '../ledger/postgres-error.js';
import { patiently } from '../ledger/postgres-patience.js';
import { checkPlace, placeInWords } from '../ledger/postgres-place.js';
import type { Board, FleetMessage, FleetOrders } from './board.js';
import { messageIn, textsOf } from './board-text.js';
import { type KeptConnection, keepConnected } from './postgres-board-connection.js';
import { createOrdersRow } from './postgres-board-orders.js';

export interface PostgresBoardOptions {
  connectionString: string;
  /** Of the ledger. */
  schema: string;
  /** Told, in one line for people, when the board is lost and when it is back. */
  onNote: (note: string) => void;
  /**
   * Milliseconds for which a change of the orders waits for a server that has gone away.
   * @default 60000
   */
  patienceMs?: number | undefined;
}

/** What is said when the orders have changed. */
const ORDERS = 'orders';
const PATIENCE_MS = 60_000;
const READ_EVERY_MS = { beforeTheRun: 1000, later: 5000 };

/** Rejects with a `LedgerDatabaseError` that says what to do where the database cannot be reached. */
export async function postgresBoard(options: PostgresBoardOptions): Promise<Board> {
  const { connectionString, schema, onNote, patienceMs = PATIENCE_MS } = options;
  checkPlace({ connectionString, schema });
  const pg = await loadPg();
  const newClient = () => createWriterClient(pg, connectionString);
  const where = placeInWords(newClient(), schema);
  const channel = channelOf(schema);
  const row = createOrdersRow(schema, channel, ORDERS);
  const listeners = { messages: new Set<(message: FleetMessage) => void>(), orders: new Set<OrdersListener>() };
  let orders: { text: string; now: FleetOrders } | undefined;
  let noted: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let changing: Promise<KeptConnection> | undefined;
  let lastChange: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** Once for each trouble, whichever connection meets it first. */
  const note = (trouble: string | undefined) => {
    if (isClosed || trouble === noted) return;
    noted = trouble;
    onNote(trouble ?? `board: ${where} is reached again.`);
  };
  const tellOfLoss = (error: unknown) => note(ledgerDatabaseError('reach', where, error).message);
  const tellOfReturn = () => {
    if (listening.isUp() && saying.isUp()) note(undefined);
  };

  const adopt = (text: string | undefined) => {
    if (text === undefined || text === orders?.text) return;
    const now: FleetOrders = JSON.parse(text);
    orders = { text, now };
    for (const listener of listeners.orders) guarded(() => listener(now));
  };
  const onNotification = ({ payload = '' }: { payload?: string | undefined }) => {
    if (payload === ORDERS) return void read();
    const message = messageIn(payload);
    if (message === undefined) return;
    for (const listener of listeners.messages) guarded(() => listener(message));
  };
  const guarded = (call: () => void) => {
    try {
      call();
    } catch (error) {
      onNote(`board: whoever listens to it failed (${error instanceof Error ? error.name : typeof error}).`);
    }
  };

  /** One after the other on one connection, so that no answer is older than the one before it. */
  const read = async () => {
    try {
      adopt(await row.read(listening));
    } catch (error) {
      tellOfLoss(error);
    }
  };
  const readAgain = () => {
    const everyMs = orders === undefined ? READ_EVERY_MS.beforeTheRun : READ_EVERY_MS.later;
    timer = setTimeout(async () => {
      if (listening.isUp()) await read();
      if (!isClosed) readAgain();
    }, everyMs);
  };

  const first = async (connection: Promise<KeptConnection>) => {
    return connection.catch((error: unknown) => {
      throw ledgerDatabaseError('open', where, error);
    });
  };
  const watched = { newClient, onLost: tellOfLoss };
  const listening = await first(
    keepConnected({
      ...watched,
      async prepare(client: Client) {
        client.on('notification', onNotification);
        await client.query(`listen ${channel}`);
      },
      onBack: () => void read().then(tellOfReturn),
    }),
  );
  const saying = await first(keepConnected({ ...watched, onBack: () => tellOfReturn() })).catch(async (error) => {
    await listening.close();
    throw error;
  });
  await read();
  readAgain();

  return {
    async say(message) {
      for (const text of textsOf(message)) {
        await saying.query({ name: 'say', text: 'select pg_notify($1, $2)', values: [channel, text] }).catch(() => {});
      }
    },
    hear: (listener) => added(listeners.messages, listener),
    orders: () => orders?.now,
    onOrders: (listener) => added(listeners.orders, listener),
    async change(change) {
      const changed = await patiently(patienceMs, async () => {
        if (isClosed) throw new LedgerDatabaseError('board: it was closed before the orders were changed.');
        // Of its own: whoever waits for the row keeps no message waiting.
        changing ??= keepConnected({ newClient });
        const connection = await changing.catch((error: unknown) => {
          changing = undefined;
          throw error;
        });
        // One's own do not stand in each other's way.
        const mine = lastChange.then(() => row.change(connection, change));
        lastChange = mine.catch(() => {});
        return mine;
      }).catch((error: unknown) => {
        throw ledgerDatabaseError('write to', where, error);
      });
      if (listening.isUp()) await read();
      else adopt(changed);
      const now: FleetOrders = JSON.parse(changed);
      return now;
    },
    isConnected: () => listening.isUp() && saying.isUp(),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const others = await changing?.catch(() => undefined);
      await Promise.all([listening.close(), saying.close(), others?.close()]);
    },
  };
}

type OrdersListener = (orders: FleetOrders) => void;

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The database has one space of names for all its schemas, and names of 63 characters. */
function channelOf(schema: string): string {
  return `data_import_${createHash('sha256').update(schema).digest('hex').slice(0, 24)}`;
}
