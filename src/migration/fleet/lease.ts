/**
 * The right of a member to send. It believes in it for less long than the ledger's server does, by two clocks, since the
 * moment before it last asked for it: a machine that slept, or was cut off, knows so before others take over.
 */
import { randomUUID } from 'node:crypto';
import type { Lease, MemberWork } from './fleet-ledger.js';
import { difference, NO_WORK, sum } from './member-work.js';

/** A machine's clocks: one that never jumps, and one that goes on while the machine sleeps. */
export interface LeaseClocks {
  monotonic(): number;
  wall(): number;
}

/** What the ledger's server says. All of them reject where it cannot be asked. */
export interface LeaseServer {
  join(id: string, work: MemberWork): Promise<void>;
  /** Whether the lease held, and does so anew. */
  beat(id: string, work: MemberWork): Promise<boolean>;
  leave(id: string, work: MemberWork): Promise<void>;
}

export interface LeaseOptions {
  server: LeaseServer;
  /** As the server counts. */
  leaseMs: number;
  beatMs: number;
  clocks: LeaseClocks;
  /** Before it leaves. */
  giveBack: () => Promise<void>;
  onLost: () => void;
}

/** By how much of it a lease is over earlier for its member than for the server: what is on its way then arrives in time. */
const EARLIER = 0.2;
/** After a beat that failed. */
const AGAIN_MS = 250;

export const machineClocks: LeaseClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/** Joins. Rejects where the server cannot be asked. */
export async function createLease(options: LeaseOptions): Promise<Lease> {
  const { server, leaseMs, beatMs, clocks, giveBack, onLost } = options;
  const lastsMs = leaseMs * (1 - EARLIER);
  const work: MemberWork = { ...NO_WORK };
  /** What members of this process that are gone have told. */
  let before = NO_WORK;
  let told = NO_WORK;
  let [id, generation] = [randomUUID() as string, 0];
  let controller = new AbortController();
  /** By each clock; undefined while the lease is lost. */
  let until: { monotonic: number; wall: number } | undefined;
  let ending: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let leaving: Promise<void> | undefined;

  const moment = () => ({ monotonic: clocks.monotonic(), wall: clocks.wall() });
  const since = () => difference(work, before);
  const leftMs = () => {
    if (until === undefined) return 0;
    const now = moment();
    return Math.min(until.monotonic - now.monotonic, until.wall - now.wall);
  };

  function holdFrom(asked: { monotonic: number; wall: number }): void {
    until = { monotonic: asked.monotonic + lastsMs, wall: asked.wall + lastsMs };
    clearTimeout(ending);
    ending = setTimeout(checkEnd, Math.max(0, leftMs()));
  }

  function checkEnd(): void {
    if (until === undefined) return;
    if (leftMs() <= 0) lose();
    else ending = setTimeout(checkEnd, leftMs());
  }

  function lose(): void {
    if (until === undefined) return;
    until = undefined;
    clearTimeout(ending);
    before = sum(before, told);
    told = NO_WORK;
    id = randomUUID();
    generation++;
    const lost = controller;
    controller = new AbortController();
    lost.abort();
    onLost();
  }

  async function beat(): Promise<void> {
    const asked = moment();
    const of = generation;
    const said = since();
    try {
      if (until === undefined) {
        await server.join(id, said);
        // Whoever left meanwhile holds nothing.
        if (leaving === undefined) holdFrom(asked);
      } else {
        const holds = (await server.beat(id, said)) && leftMs() > 0;
        if (leaving !== undefined) return;
        if (of === generation && !holds) lose();
        if (of !== generation) return await beat();
        holdFrom(asked);
      }
      told = said;
      again(beatMs);
    } catch {
      again(AGAIN_MS);
    }
  }

  function again(ms: number): void {
    if (leaving === undefined) beating = setTimeout(() => void beat(), ms);
  }

  async function leave(): Promise<void> {
    clearTimeout(beating);
    clearTimeout(ending);
    const wasThere = until !== undefined;
    until = undefined;
    generation++;
    controller.abort();
    if (!wasThere) return;
    // A server that cannot be asked lets the lease run out.
    await giveBack().catch(() => {});
    await server.leave(id, since()).catch(() => {});
  }

  const asked = moment();
  await server.join(id, since());
  holdFrom(asked);
  again(beatMs);

  return {
    get id() {
      return id;
    },
    get generation() {
      return generation;
    },
    isValid(of) {
      if (until !== undefined && leftMs() <= 0) lose();
      return of === generation && until !== undefined;
    },
    signal: () => controller.signal,
    work,
    leave() {
      leaving ??= leave();
      return leaving;
    },
  };
}
