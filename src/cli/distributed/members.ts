/** Who works, or has worked, at a run whose ledger is on a server, where a fleet does. */
import type { Worker } from '../../migration/distributed/worker-rows.js';
import { counted, moment, number, untilWhen } from '../../migration/shared/format.js';
import { printable } from '../../migration/shared/printable.js';
import type { RunFlags } from '../options/run-options.js';

/** undefined where there is no fleet, and never was. */
export async function membersOf({
  database,
  databaseSchema,
}: Pick<RunFlags, 'database' | 'databaseSchema'>): Promise<Worker[] | undefined> {
  if (database === undefined) return undefined;
  const { workersOf } = await import('../../migration/distributed/worker-rows.js');
  const { DEFAULT_SCHEMA } = await import('../../migration/ledger/postgres/schema.js');
  const members = await workersOf(database, databaseSchema ?? DEFAULT_SCHEMA);
  return members.length > 0 ? members : undefined;
}

/** How many are there, and a line for each member. */
export function inWords(members: readonly Worker[]): string {
  const there = members.filter(({ isThere }) => isThere).length;
  const lines = members.map((member) => {
    const { name, host, joinedAt, work } = member;
    const { ended, requests, throttled, takenOver } = work;
    const did = `${counted(ended, 'record')} ended, ${counted(requests, 'request')}, ${number(throttled)} answered 429, ${number(takenOver)} taken over`;
    return `  ${onOneLine(name)} on ${onOneLine(host)}, from ${moment(joinedAt)}, ${whereabouts(member)}: ${did}\n`;
  });
  return `${counted(members.length, 'member')}, ${number(there)} there:\n${lines.join('')}`;
}

/** Whoever starts a member says its name. */
function onOneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

function whereabouts(member: Worker): string {
  return member.leftAt === null ? untilWhen(member) : `to ${untilWhen(member)}`;
}
