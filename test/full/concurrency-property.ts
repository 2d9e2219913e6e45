/** Calls at the same time, in every order that fast-check's scheduler finds: what may be done once is done once. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { account, BASE, PROCESS, processing, STAGE } from '../sandbox/support/requests.js';

type OnceOnly = { does: 'stage' | 'process'; account: string };
type Call = OnceOnly | { does: 'note'; body: string } | { does: 'transaction'; id: string };

/** Calls of which exactly one gets 201. */
export const onceOnly: fc.Arbitrary<OnceOnly> = fc.oneof(
  fc.record({ does: fc.constant('stage'), account: fc.constantFrom('NEW-1', 'NEW-2') }),
  fc.record({ does: fc.constant('process'), account: fc.constantFrom('STAGED-1', 'STAGED-2') }),
);

/** Also calls that all get 201, of which exactly one adds something. */
export const anyCall: fc.Arbitrary<Call> = fc.oneof(
  onceOnly,
  fc.record({ does: fc.constant('note'), body: fc.constantFrom('Call back.', 'Moved.') }),
  fc.record({ does: fc.constant('transaction'), id: fc.constantFrom('T-1', 'T-2') }),
);

const FIRST = /^(?:stage|process) .* 201$|NOTE_CREATION_SUCCESS|TRANSACTION_ADDED_TO_ACCOUNT/;

let running: fc.Scheduler | undefined;

/**
 * To be put in place of `takeTime` (src/sandbox/calls/lock.ts), so that the scheduler decides also how long a call stands
 * between its look at the state and its commit.
 */
export function takeScheduledTime(): Promise<void> {
  return running?.schedule(Promise.resolve()) ?? Promise.resolve();
}

/** A property: of equal calls exactly one is the first, in any order. */
export function firstIsOne<Sent extends Call>(call: fc.Arbitrary<Sent>) {
  const calls = fc.array(call, { minLength: 1, maxLength: 8 });
  return fc.asyncProperty(fc.scheduler(), calls, async (scheduler, sent) => {
    const outcomes = await sendAtOnce(scheduler, sent);
    const things = new Set(sent.map((given) => JSON.stringify(given)));
    const firsts = outcomes.filter((outcome) => FIRST.test(outcome));
    const twice = firsts.filter((outcome, index) => firsts.indexOf(outcome) !== index);
    expect(twice, `outcomes: ${outcomes.join(', ')}`).toEqual([]);
    expect(firsts).toHaveLength(things.size);
  });
}

/** Starts all calls at once. After each body is read, the scheduler decides their order. */
async function sendAtOnce(scheduler: fc.Scheduler, sent: readonly Call[]): Promise<string[]> {
  const sandbox = createSandbox({ wait: () => scheduler.schedule(Promise.resolve()) });
  for (const number of ['IMPORTED', 'STAGED-1', 'STAGED-2']) await post(sandbox, STAGE, account(number));
  await post(sandbox, PROCESS, processing('IMPORTED'));
  sandbox.faults.add({ effect: { latencyMs: 1 } });
  running = scheduler;
  try {
    return await scheduler.waitFor(Promise.all(sent.map((given) => tell(sandbox, given))));
  } finally {
    running = undefined;
  }
}

/** Sends the call; tells what it was about and how it went. */
async function tell(sandbox: Sandbox, given: Call): Promise<string> {
  const imported = account('IMPORTED');
  switch (given.does) {
    case 'stage':
      return `stage ${given.account} ${(await post(sandbox, STAGE, account(given.account))).status}`;
    case 'process':
      return `process ${given.account} ${(await post(sandbox, PROCESS, processing(given.account))).status}`;
    case 'note': {
      const { text } = await post(sandbox, 'notes/create/', { ...imported, notes: [{ body: given.body }] });
      return `note ${given.body} ${/NOTE_\w+/.exec(text)}`;
    }
    case 'transaction': {
      const transactions = [{ type: 'CREDIT', transaction_id: given.id }];
      const { text } = await post(sandbox, 'transactions/create/', { ...imported, transactions });
      return `transaction ${given.id} ${/TRANSACTION_\w+/.exec(text)}`;
    }
  }
}

async function post(sandbox: Sandbox, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
  const request = new Request(BASE + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const response = await sandbox.fetch(request);
  return { status: response.status, text: await response.text() };
}
