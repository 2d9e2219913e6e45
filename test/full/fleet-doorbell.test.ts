/** The doorbell on real engines: bells are answered, engines are killed, and what was rung for again is answered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Bell, Doorbell } from '../../src/migration/fleet/bell.js';
import { openDoorbell } from '../../src/migration/fleet/doorbell.js';
import { hasRedis, startRedis } from '../migration/fleet/redis-server.js';
import { hasPostgres, startPostgres } from '../migration/ledger/postgres-server.js';

interface Server {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const ENGINES: { engine: string; isThere: boolean; start: () => Promise<Server> }[] = [
  { engine: 'Redis', isThere: hasRedis(), start: () => startRedis({ aof: true }) },
  {
    engine: 'PostgreSQL',
    isThere: hasPostgres(),
    start: async () => {
      const server = await startPostgres();
      return { ...server, kill: () => server.stop('immediate') };
    },
  },
];

const SOON = { timeout: 30_000, interval: 20 };
let runs = 0;

const bell = (index: number, version = 1): Bell => ({
  supplier: 'SANDBOX_SUPPLIER',
  kind: 'account',
  number: `A:${index}`,
  version,
});
const bells = (count: number, version = 1) => Array.from({ length: count }, (_, index) => bell(index, version));
const named = ({ number, version }: Bell) => `${number} ${version}`;

describe.each(ENGINES)('on $engine', ({ engine, isThere, start }) => {
  let server: Server;
  let ledgerId: string;
  beforeAll(async () => {
    if (isThere) server = await start();
  });
  afterAll(() => server?.remove());
  beforeEach(() => {
    ledgerId = `run-${++runs}`;
  });
  const it = test.skipIf(!isThere);

  async function open({ queue = server.url, name = 'one', run = ledgerId } = {}) {
    const notes: string[] = [];
    const doorbell = await openDoorbell({ queue, ledgerId: run, name, onNote: (note) => notes.push(note) });
    onTestFinished(() => doorbell.close());
    return { doorbell, notes };
  }
  /** Answers at once; gives the bells that came. */
  function answered(doorbell: Doorbell, atOnce = 4): string[] {
    const came: string[] = [];
    doorbell.answer(async (one) => void came.push(named(one)), atOnce);
    return came;
  }
  /** Rings until the engine has taken them, as the ringer does. */
  const ringAll = (doorbell: Doorbell, all: Bell[]) => vi.waitFor(() => doorbell.ring(all), SOON);

  function startMember(how: 'hold' | 'close', queue = server.url) {
    const program = fileURLToPath(new URL('./fleet-doorbell-member.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, queue, ledgerId, how], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const gone = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await gone;
    });
    return {
      lines: () => said.split('\n').slice(0, -1),
      close: () => child.stdin.write('close\n'),
      gone,
      async kill() {
        child.kill('SIGKILL');
        await gone;
      },
    };
  }

  it('a bell that is rung twice while it waits is answered once', async () => {
    const { doorbell } = await open();
    await doorbell.ring([bell(1), bell(2)]);
    await doorbell.ring([bell(2), bell(2), bell(3)]);
    expect(await doorbell.waiting()).toBe(3);
    const came = answered(doorbell);
    await vi.waitFor(() => expect(came.toSorted()).toEqual(['A:1 1', 'A:2 1', 'A:3 1']), SOON);
    await vi.waitFor(async () => expect(await doorbell.waiting()).toBe(0), SOON);
  });

  it('a bell that was answered is answered again: with another version, and with the same', async () => {
    const { doorbell } = await open();
    const came = answered(doorbell);
    await doorbell.ring([bell(1)]);
    await vi.waitFor(() => expect(came).toEqual(['A:1 1']), SOON);
    await doorbell.ring([bell(1, 2)]);
    await vi.waitFor(() => expect(came).toEqual(['A:1 1', 'A:1 2']), SOON);
    // Until the engine has heard that it was answered, it is the same bell.
    await vi.waitFor(async () => {
      await doorbell.ring([bell(1, 2)]);
      expect(came.slice(0, 3)).toEqual(['A:1 1', 'A:1 2', 'A:1 2']);
    }, SOON);
  });

  it('1,000 bells are answered once each, by two members', async () => {
    const [one, two] = [await open({ name: 'one' }), await open({ name: 'two' })];
    const came = [answered(one.doorbell), answered(two.doorbell)];
    const all = bells(1000);
    await one.doorbell.ring(all.slice(0, 500));
    await two.doorbell.ring(all.slice(500));
    await vi.waitFor(() => expect(came.flat()).toHaveLength(1000), SOON);
    expect(new Set(came.flat())).toEqual(new Set(all.map(named)));
    expect(came.map(({ length }) => length > 0)).toEqual([true, true]);
    await vi.waitFor(async () => expect(await one.doorbell.waiting()).toBe(0), SOON);
  });

  it('as many are answered at once as was asked for, and no more', async () => {
    const { doorbell } = await open();
    const took: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await doorbell.ring(bells(10));
    doorbell.answer(async (one) => {
      took.push(named(one));
      await released;
    }, 3);
    await vi.waitFor(() => expect(took).toHaveLength(3), SOON);
    expect(await doorbell.waiting()).toBe(7);
    release();
    await vi.waitFor(() => expect(took.toSorted()).toEqual(bells(10).map(named)), SOON);
  });

  it('bells of another run are not heard', async () => {
    const [one, other] = [await open(), await open({ run: `${ledgerId}-other` })];
    const [came, cameToOther] = [answered(one.doorbell), answered(other.doorbell)];
    await other.doorbell.ring([bell(1)]);
    await one.doorbell.ring([bell(2)]);
    await vi.waitFor(() => expect([came, cameToOther]).toEqual([['A:2 1'], ['A:1 1']]), SOON);
  });

  it('a handler that fails, against its promise, is told of, and the others are answered', async () => {
    const { doorbell, notes } = await open();
    const came: string[] = [];
    doorbell.answer(async (one) => {
      if (one.number === 'A:1') throw new Error('a flaw');
      came.push(named(one));
    }, 1);
    await doorbell.ring(bells(3));
    await vi.waitFor(() => expect(came).toEqual(['A:0 1', 'A:2 1']), SOON);
    expect(notes).toEqual(['queue: a bell was answered with an error (Error: a flaw).']);
    await vi.waitFor(async () => expect(await doorbell.waiting()).toBe(0), SOON);
  });

  it('whoever closes takes no more, and is done when what was taken is answered', async () => {
    const [one, two] = [await open({ name: 'one' }), await open({ name: 'two' })];
    const [took, ended]: [string[], string[]] = [[], []];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answering = one.doorbell.answer(async (own) => {
      took.push(named(own));
      await released;
      ended.push(named(own));
    }, 2);
    await one.doorbell.ring(bells(10));
    await vi.waitFor(() => expect(took).toHaveLength(2), SOON);
    let isClosed = false;
    const closed = answering.close().then(() => {
      isClosed = true;
    });
    const came = answered(two.doorbell);
    await vi.waitFor(() => expect(came).toHaveLength(8), SOON);
    expect({ isClosed, took: took.length, ended: ended.length }).toEqual({ isClosed: false, took: 2, ended: 0 });
    release();
    await closed;
    expect(ended.toSorted()).toEqual(took.toSorted());
  });

  it('a member that was killed: what it had is rung for again, and comes back by itself', async () => {
    const member = startMember('hold');
    const { doorbell } = await open();
    await doorbell.ring(bells(10));
    await vi.waitFor(() => expect(member.lines().filter((line) => line.startsWith('took'))).toHaveLength(4), SOON);
    await member.kill();
    const came = answered(doorbell);
    // It had claimed one of them, so that one is rung for at another version; the others come when it is not heard of.
    const [claimed = ''] = member.lines().filter((line) => line.startsWith('took'));
    const number = Number(/A:(\d+)/.exec(claimed)?.[1]);
    await doorbell.ring([bell(number, 2)]);
    await vi.waitFor(() => expect(came).toContain(`A:${number} 2`), SOON);
    await vi.waitFor(() => expect(new Set(came)).toEqual(new Set([...bells(10).map(named), `A:${number} 2`])), {
      timeout: 60_000,
    });
  });

  it('killed and started again in the midst: after all were rung again each was answered', async () => {
    const [one, two] = [await open({ name: 'one' }), await open({ name: 'two' })];
    const came = [answered(one.doorbell, 2), answered(two.doorbell, 2)];
    const all = bells(600);
    await one.doorbell.ring(all);
    await vi.waitFor(() => expect(came.flat().length).toBeGreaterThan(50), SOON);
    await server.kill();
    await expect(one.doorbell.ring(all)).rejects.toThrow(/^queue: cannot ring at .* on 127\.0\.0\.1:\d+ \(/);
    await expect(one.doorbell.waiting()).rejects.toThrow('queue: cannot count the bells at ');
    await vi.waitFor(
      () => expect([one, two].map(({ doorbell }) => doorbell.isReachable())).toEqual([false, false]),
      SOON,
    );
    await server.start();
    await ringAll(one.doorbell, all);
    await vi.waitFor(() => expect(new Set(came.flat())).toEqual(new Set(all.map(named))), { timeout: 60_000 });
    await vi.waitFor(
      () => expect([one, two].map(({ doorbell }) => doorbell.isReachable())).toEqual([true, true]),
      SOON,
    );
    const told = expect.stringMatching(/^queue: cannot count .* Tried again until it is back\.$/);
    const back = expect.stringMatching(/^queue: .* is back\.$/);
    expect([one.notes, two.notes]).toEqual([
      [told, back],
      [told, back],
    ]);
  });

  it('away when somebody begins to answer: bells are answered once it is back', async () => {
    const { doorbell } = await open();
    await server.kill();
    const came = answered(doorbell);
    await expect(doorbell.ring([bell(1)])).rejects.toThrow('queue: cannot ring at ');
    await server.start();
    await ringAll(doorbell, bells(20));
    await vi.waitFor(() => expect(new Set(came)).toEqual(new Set(bells(20).map(named))), SOON);
  });

  it('away for good: whoever closes is done, also with a bell in hand', async () => {
    const { doorbell } = await open();
    let release = () => {};
    let took = 0;
    doorbell.answer(async () => {
      took++;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }, 1);
    await doorbell.ring(bells(3));
    await vi.waitFor(() => expect(took).toBe(1), SOON);
    onTestFinished(() => server.start());
    await server.kill();
    const closed = doorbell.close();
    release();
    await closed;
  });

  it.each(['there', 'away'])('a process that has closed ends by itself, with the engine %s', async (where) => {
    const member = startMember('close');
    await vi.waitFor(() => expect(member.lines()).toContain('answers'), SOON);
    if (where === 'away') {
      onTestFinished(() => server.start());
      await server.kill();
      await vi.waitFor(() => expect(member.lines().join()).toContain('Tried again until it is back.'), SOON);
    }
    member.close();
    expect(await member.gone).toEqual([0, null]);
    expect(member.lines()).toContain('closed');
  });

  it('a network that swallows everything: ringing fails within seconds, and goes on when it is back', async () => {
    const network = await openNetwork(server.url);
    const { doorbell } = await open({ queue: network.url });
    const came = answered(doorbell);
    await doorbell.ring([bell(1)]);
    await vi.waitFor(() => expect(came).toEqual(['A:1 1']), SOON);
    network.forget();
    await expect(doorbell.ring([bell(2)])).rejects.toThrow(`queue: cannot ring at ${engine} on 127.0.0.1`);
    network.mend();
    await ringAll(doorbell, bells(20, 2));
    await vi.waitFor(() => expect(new Set(came.filter((one) => one.endsWith(' 2'))).size).toBe(20), {
      timeout: 60_000,
    });
  });

  it('a network that swallows everything before the first bell: ringing fails, and does not wait for ever', async () => {
    const network = await openNetwork(server.url);
    const { doorbell } = await open({ queue: network.url });
    network.forget();
    await expect(doorbell.ring([bell(1)])).rejects.toThrow(`queue: cannot ring at ${engine} on 127.0.0.1`);
    network.mend();
    const came = answered(doorbell);
    await ringAll(doorbell, [bell(2)]);
    await vi.waitFor(() => expect(came).toContain('A:2 1'), SOON);
  });

  it('many that open it at once, where nothing is there yet', async () => {
    const doorbells = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        openDoorbell({ queue: server.url, ledgerId, schema: `many_${runs}`, name: `member-${index}` }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(doorbells.map((doorbell) => doorbell.close()))));
    const came = doorbells.map((doorbell) => answered(doorbell, 1));
    await doorbells[0]?.ring(bells(50));
    await vi.waitFor(() => expect(came.flat().toSorted()).toEqual(bells(50).map(named).toSorted()), SOON);
  });
});

test.skipIf(!hasRedis())('all of Redis lost: what is rung for again is answered', async () => {
  const server = await startRedis({ aof: false });
  onTestFinished(() => server.remove());
  const doorbell = await openDoorbell({ queue: server.url, ledgerId: 'lost', name: 'one' });
  onTestFinished(() => doorbell.close());
  const came: string[] = [];
  doorbell.answer(async (one) => void came.push(named(one)), 2);
  await doorbell.ring(bells(600));
  await vi.waitFor(() => expect(came.length).toBeGreaterThan(50), SOON);
  await server.lose();
  await server.start();
  await vi.waitFor(() => doorbell.ring(bells(600)), SOON);
  await vi.waitFor(() => expect(new Set(came).size).toBe(600), SOON);
});

test.skipIf(!hasPostgres())('a member that may make nothing in the database joins where the tables are', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const leader = await openDoorbell({ queue: server.url, ledgerId: 'a', name: 'leader' });
  onTestFinished(() => leader.close());
  await server.ask(
    'create role joiner login; grant usage on schema data_import_queue to joiner; ' +
      'grant all on all tables in schema data_import_queue to joiner; ' +
      'grant all on all sequences in schema data_import_queue to joiner',
  );
  await expect(
    openDoorbell({ queue: server.urlOf('joiner'), ledgerId: 'a', schema: 'other', name: 'stranger' }),
  ).rejects.toThrow(/permission denied for database postgres\)\. Grant this user the right to make a schema/);
  const member = await openDoorbell({ queue: server.urlOf('joiner'), ledgerId: 'a', name: 'member' });
  onTestFinished(() => member.close());
  const came: string[] = [];
  member.answer(async (one) => void came.push(named(one)), 2);
  await leader.ring(bells(3));
  await vi.waitFor(() => expect(came.toSorted()).toEqual(['A:0 1', 'A:1 1', 'A:2 1']), SOON);
});

test.skipIf(!hasPostgres())(
  'a PostgreSQL that goes while somebody looks at its tables for the first time',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const network = await openNetwork(server.url);
    const doorbell = await openDoorbell({ queue: network.url, ledgerId: 'a', name: 'one' });
    onTestFinished(() => doorbell.close());
    const came: string[] = [];
    // In a process of its own this would end it: an error that nobody hears.
    network.cutAt('.migration');
    doorbell.answer(async (one) => void came.push(named(one)), 2);
    await vi.waitFor(() => expect(network.cuts()).toBe(1), SOON);
    await vi.waitFor(() => doorbell.ring(bells(3)), SOON);
    await vi.waitFor(() => expect(came.toSorted()).toEqual(['A:0 1', 'A:1 1', 'A:2 1']), SOON);
  },
);

/** Between a member and the engine. Connections that it forgets stay open, and nothing passes on them any more. */
async function openNetwork(url: string) {
  const target = new URL(url);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let isBroken = false;
  let [cutAt, cuts] = ['', 0];
  const forgotten = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => {
        if (cutAt !== '' && from === near && data.includes(cutAt)) {
          cutAt = '';
          cuts++;
          near.destroy();
          return;
        }
        if (isBroken) forgotten.add(from).add(to);
        if (!forgotten.has(from)) to.write(data);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  target.port = address === null || typeof address === 'string' ? '' : String(address.port);
  return {
    url: target.href,
    /** Ends the connection, once, on which this is said. */
    cutAt(text: string) {
      cutAt = text;
    },
    cuts: () => cuts,
    forget() {
      isBroken = true;
      for (const socket of sockets) forgotten.add(socket);
    },
    /** For whoever connects from now on. */
    mend() {
      isBroken = false;
    },
  };
}
