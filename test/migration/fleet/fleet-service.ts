/**
 * A service that processes so many accounts at once and answers 429 beyond that, and a fleet of clients that let all
 * their calls wait after a 429 and send again, as the real one does. By the fake clock and from a seed.
 */
import { mulberry32 } from '../pace/service.js';
import { fleetOfPaces, type PaceOfMember } from './fleet-of-paces.js';

const WORKERS = 64;
/** From one member to the others, by way of the database. */
const ON_THE_WAY_MS = 10;

interface FleetServiceOptions {
  seed: number;
  members: number;
  /** So many of them have no work. */
  idle?: number;
  /** Mean of the time that processing an account takes. */
  serviceMs: number;
  spread: 'even' | 'long tail';
}

export function openFleetService({ seed, members: count, idle = 0, serviceMs, spread }: FleetServiceOptions) {
  const fleet = fleetOfPaces({}, ON_THE_WAY_MS);
  const { clock, board } = fleet;
  const random = mulberry32(seed);
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const service = { cap: 0, inService: 0 };
  const counts = { answers: 0, throttled: 0, usedMs: 0, cappedMs: 0 };
  const byMember = Array.from({ length: count }, () => 0);
  let since = clock.now();

  /** Before anything changes: how much of the cap was used until now. */
  const account = (): void => {
    const ms = clock.now() - since;
    counts.usedMs += Math.min(service.inService, service.cap) * ms;
    counts.cappedMs += service.cap * ms;
    since = clock.now();
  };
  const timeOf = (): number => serviceMs * (spread === 'even' ? 0.5 + random() : -Math.log(1 - random()));

  function employ(member: PaceOfMember, index: number): void {
    let cooldownUntil = 0;
    member.onCoolDown = (ms) => {
      cooldownUntil = Math.max(cooldownUntil, clock.now() + ms);
    };
    const callOnce = async (): Promise<void> => {
      for (let refusals = 0; ; refusals++) {
        while (clock.now() < cooldownUntil) await wait(cooldownUntil - clock.now());
        const startedAt = clock.now();
        const isTaken = service.inService < service.cap;
        account();
        if (isTaken) service.inService++;
        await wait(isTaken ? timeOf() : 5);
        account();
        if (isTaken) service.inService--;
        counts.answers++;
        if (isTaken) {
          byMember[index] = (byMember[index] ?? 0) + 1;
          member.pace.answered({ operation: 'accounts.process', status: 201, latencyMs: clock.now() - startedAt });
          return;
        }
        counts.throttled++;
        const cooldown = Math.max(1, random() * Math.min(30_000, 500 * 2 ** refusals));
        cooldownUntil = Math.max(cooldownUntil, clock.now() + cooldown);
        member.refused(cooldown);
      }
    };
    const work = async (): Promise<void> => {
      for (;;) await member.pace.inTurn('process', callOnce);
    };
    for (let workers = 0; workers < WORKERS; workers++) void work();
  }

  return {
    ...{ fleet, clock, board },
    /** Everybody begins to work. */
    begin() {
      for (let index = 0; index < count; index++) {
        const member = fleet.join(`m${index + 1}`);
        if (index < count - idle) employ(member, index);
      }
    },
    /** So long at this cap: the share of the cap that was used, of answers that were 429, and what each member did. */
    async phase(cap: number, seconds: number) {
      account();
      service.cap = cap;
      Object.assign(counts, { answers: 0, throttled: 0, usedMs: 0, cappedMs: 0 });
      byMember.fill(0);
      await clock.advance(seconds * 1000);
      account();
      return {
        use: counts.usedMs / counts.cappedMs,
        throttled: counts.throttled / counts.answers,
        done: [...byMember],
      };
    },
  };
}
