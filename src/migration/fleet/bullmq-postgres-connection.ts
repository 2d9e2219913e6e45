/**
 * Errors of BullMQ's connections to PostgreSQL that nobody hears would end the process: while one is looking at the tables
 * for the first time, and while one is being closed. Whoever asks next is told.
 */
import type { PostgresConnection } from 'bullmq';

const heardElsewhere = (): void => {};

export function hearErrors(connection: Pick<PostgresConnection, 'pool' | 'getListenClient'>): void {
  connection.pool.on('connect', (client) => client.on('error', heardElsewhere));
  const listen = connection.getListenClient.bind(connection);
  const heard = new WeakSet<object>();
  connection.getListenClient = async () => {
    const client = await listen();
    if (heard.has(client)) return client;
    heard.add(client);
    // It is taken off before the connection has ended.
    const removeAllListeners = client.removeAllListeners.bind(client);
    client.removeAllListeners = (event) => {
      removeAllListeners(event);
      if (event === undefined) client.on('error', heardElsewhere);
      return client;
    };
    return client;
  };
}
