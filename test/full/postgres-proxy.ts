/** A way to a PostgreSQL that is cut at moments of the test's choice: around a commit, or altogether. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * `commit`: on its way to the server. `answer`: the server's word that it has committed, on its way back. `copied`: that it
 * has rows which were sent. `selected`: that it has given one row, which may be one that was changed. `write`: records on
 * their way for the first time. `written`: that it has two of them.
 */
export type Moment = 'commit' | 'answer' | 'copied' | 'selected' | 'write' | 'written';

export interface PostgresProxy {
  /** The same address, by this way. */
  url: string;
  /** Cuts the connection when that passes for the first time, and lets it not pass. */
  cutAt(moment: Moment): void;
  /** Cuts every connection, and takes no other before it is up again. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Rejects where a moment that was chosen never came. */
  close(): Promise<void>;
}

/** As they lie on the wire: what is asked, and the tag of a command that is complete. */
const ON_THE_WIRE: Readonly<Record<Moment, string>> = {
  commit: 'commit\0',
  answer: 'COMMIT\0',
  copied: 'COPY 1\0',
  selected: 'SELECT 1\0',
  write: 'insert into',
  written: 'SELECT 2\0',
};

const TO_THE_SERVER: ReadonlySet<Moment> = new Set(['commit', 'write']);

export async function openProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let cut: Moment | undefined;

  const server = createServer((client) => {
    const behind = connect(Number(target.port), target.hostname);
    const break_ = () => {
      client.destroy();
      behind.destroy();
    };
    const pass = (from: Socket, to: Socket, isMoment: (moment: Moment) => boolean) => {
      sockets.add(from);
      from.on('error', break_).on('close', () => {
        sockets.delete(from);
        break_();
      });
      from.on('data', (data) => {
        if (cut !== undefined && isMoment(cut) && data.includes(ON_THE_WIRE[cut])) {
          cut = undefined;
          break_();
        } else to.write(data);
      });
    };
    pass(client, behind, (moment) => TO_THE_SERVER.has(moment));
    pass(behind, client, (moment) => !TO_THE_SERVER.has(moment));
  });
  let port = 0;
  const up = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as { port: number }).port;
  };
  const down = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await up();
  target.port = String(port);
  const proxied = target.href;
  target.port = new URL(url).port;
  return {
    url: proxied,
    cutAt(moment) {
      cut = moment;
    },
    down,
    up,
    async close() {
      if (server.listening) await down();
      if (cut !== undefined) throw new Error(`nothing was cut: "${cut}" never came by`);
    },
  };
}
