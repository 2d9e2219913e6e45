/** Imports an input by a distributed run whose processes are killed, and reads the result from the log of its service. */
import { join } from 'node:path';
import { createSandbox, type FaultRule, type LogEntry } from '../../src/sandbox/index.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { runInCalm } from './calm-run.js';
import { openDoor } from './distributed-door.js';
import { type Fire, surviveFire } from './distributed-under-fire.js';

export interface Ordeal extends Pick<Fire, 'kills' | 'disturb'> {
  /** Of run folder and schema. */
  name: string;
  accounts: number;
  database: string;
  /** Another program in the place of the command. */
  command?: string;
  /**
   * Of the service.
   * @default every call takes 1 ms
   */
  faults?: readonly FaultRule[];
  /** Receives functions to call if the test fails early: they end the processes and clean up. */
  onBroken: (end: () => unknown) => void;
}

const A_MOMENT: readonly FaultRule[] = [{ effect: { latencyMs: 1 } }];

export async function carryUnderFire(ordeal: Ordeal) {
  const { name, accounts, database, command, faults = A_MOMENT, kills, disturb, onBroken } = ordeal;
  const calm = await runInCalm(accounts);
  onBroken(calm.remove);
  const sandbox = createSandbox({
    logLimit: 1_000_000,
    showPersonalData: true,
    faults: [...faults],
  });
  const door = await openDoor({ fetch: (request) => sandbox.fetch(request), token: sandbox.token });
  onBroken(door.close);
  const places = {
    folder: calm.folder,
    name,
    service: door.url,
    tokenOf: door.tokenOf,
    database,
    command,
    concurrency: 8,
    flags: ['--process-concurrency', '2-16'],
  };
  const fire = { kills, requests: calm.requests, random: randomNumbers(seed), disturb };
  const survived = await surviveFire(door, places, fire, onBroken);
  return { calm, sandbox, door, runFolder: join(calm.folder, name), ...survived };
}

/**
 * Returns the accounts that a process staged or processed after they were created, from the log of the service. A process that reads the
 * ledger first, and asks the service if the ledger does not know, never does so.
 */
export function doneAgain(requests: readonly LogEntry[]): string[] {
  const created = new Set<string>();
  const again: string[] = [];
  for (const { operation, change, account } of requests) {
    if (account === null || (operation !== 'accounts.stage' && operation !== 'accounts.process')) continue;
    if (created.has(account)) again.push(`${account}: ${operation}`);
    if (change === 'staged → imported') created.add(account);
  }
  return again;
}
