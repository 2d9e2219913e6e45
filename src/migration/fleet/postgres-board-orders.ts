/**
 * The row of the orders. A change is kept only where the row still is what the change was made of; else it is made again
 * of what is there now. So no lock is held while anybody thinks, and whoever dies in between holds up nobody.
 */
import type { FleetOrders } from './board.js';
import type { KeptConnection } from './postgres-board-connection.js';

/** There is no such table, or no such schema: no run was begun. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

export interface OrdersRow {
  /** As the server writes it, so that equal texts are equal orders; undefined for none. */
  read(connection: KeptConnection): Promise<string | undefined>;
  change(connection: KeptConnection, change: (orders: FleetOrders | undefined) => FleetOrders): Promise<string>;
}

/** `word` is said on the channel in the transaction that changes them. */
export function createOrdersRow(schema: string, channel: string, word: string): OrdersRow {
  const read = `select body::text as body from ${schema}.orders`;
  const told = `select body::text as body, pg_notify('${channel}', '${word}') from kept`;
  const insert = `with kept as (insert into ${schema}.orders (body) values ($1::jsonb) on conflict do nothing returning body) ${told}`;
  const update = `with kept as (update ${schema}.orders set body = $1::jsonb where body = $2::jsonb returning body) ${told}`;

  return {
    async read(connection) {
      try {
        return bodyOf(await connection.query({ text: read }));
      } catch (error) {
        if (ABSENT.has(error instanceof Error && 'code' in error ? error.code : undefined)) return undefined;
        throw error;
      }
    },
    async change(connection, change) {
      for (;;) {
        const before = bodyOf(await connection.query({ text: read }));
        const orders: FleetOrders | undefined = before === undefined ? undefined : JSON.parse(before);
        const asItIs = textOf(orders);
        const next = textOf(change(orders));
        // Nobody is told of what stays as it is.
        if (before !== undefined && next === asItIs) return before;
        const kept =
          before === undefined
            ? bodyOf(await connection.query({ text: insert, values: [next] }))
            : bodyOf(await connection.query({ text: update, values: [next, before] }));
        if (kept !== undefined) return kept;
      }
    },
  };
}

function bodyOf({ rows }: { rows: Record<string, unknown>[] }): string | undefined {
  const body = rows[0]?.['body'];
  return typeof body === 'string' ? body : undefined;
}

/** jsonb takes neither the character 0 nor halves of characters, and a reason may quote what the service said. */
function textOf(orders: FleetOrders | undefined): string | undefined {
  return JSON.stringify(orders, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}
