/** The sandbox and the model side by side: after each command the same answer, the same knowledge, and I1 to I3. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeepReadonly, ImportedRecord, SandboxState } from '../../../src/sandbox/index.js';
import { seed } from '../../helpers/seed.js';
import { openSandbox, type Talk } from '../support/requests.js';
import { type Command, OPTIONS, operate, requestOf, sendTo, sequence } from './model-commands.js';
import { numbersIn, stateOf, step, transition } from './model-service.js';
import { type Model, newModel } from './model-state.js';

/** What a long run must have met at least once, or it has proved little. */
const MUST_BE_SEEN = [
  ...['validate 200', 'validate 400', 'stage 201', 'stage 200', 'stage 400', 'process 201', 'process 400', 'notes 201'],
  ...['notes 404', 'transactions 201', 'transactions 400', 'statements 201', 'instruction 201', 'instruction 500'],
  ...['instruction 400', 'business 201', 'business 400', 'business-instruction 201', 'status 200', 'list 200'],
];

export function behavesAsTheModel(numRuns: number): void {
  test(`E1 to E14, I1 to I3: ${numRuns} sequences of commands, each with the answers and the state of the model`, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sequence, (commands) => follow(commands, seen)),
      { seed, numRuns },
    );
    if (numRuns >= 1000) expect(MUST_BE_SEEN.filter((outcome) => !seen.has(outcome))).toEqual([]);
  }, 600_000);
}

async function follow(commands: readonly Command[], seen: Set<string>): Promise<void> {
  const talk = openSandbox(OPTIONS);
  const kept: { snapshot?: string; model?: Model } = {};
  let model = newModel();
  for (const given of commands) {
    const sent = requestOf(given);
    const before = structuredClone(talk.sandbox.state) as SandboxState;
    if (sent !== undefined) {
      const answer = await sendTo(talk, sent);
      seen.add(`${given.does} ${answer.status}`);
      const expected = step(model, given, answer.body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(expected?.status);
      if (expected?.body !== undefined) expect(answer.body).toEqual(expected.body);
      expectLittleChange(talk, given, answer.status, before);
    } else if (given.does === 'transition') {
      const run = () => operate(talk.sandbox, given, kept);
      if (transition(model, given)) run();
      else expect(run).toThrow();
    } else {
      operate(talk.sandbox, given, kept);
      step(model, given, undefined);
      if (given.does === 'reset') model = newModel();
      if (given.does === 'snapshot') kept.model = structuredClone(model);
      if (given.does === 'restore') model = structuredClone(kept.model ?? model);
    }
    expect(talk.sandbox.clock.now()).toEqual(new Date(model.now));
    expect(withoutTimesAndPlaces(talk)).toEqual(stateOf(model));
    await expectInvariants(talk, model);
  }
}

/** The state without times and locations, which are not documented. */
function withoutTimesAndPlaces({ sandbox }: Talk) {
  return sandbox.state.suppliers.map(({ root: _, ...supplier }) => ({
    ...supplier,
    accounts: supplier.accounts.map(({ external_account_number, data, imported }) => ({
      external_account_number,
      data,
      imported: imported && withoutTeam(imported),
    })),
    businesses: supplier.businesses.map(({ created_at: _at, ...business }) => business),
  }));
}

function withoutTeam({ operations_team_name: _, transactions, ...rest }: DeepReadonly<ImportedRecord>) {
  return { ...rest, transactions: transactions.map(({ data }) => data) };
}

/** I3, and: a refusal changes nothing but how often the vendor was asked. */
function expectLittleChange(talk: Talk, given: Command, status: number, before: SandboxState): void {
  const { vendor_tries, ...after } = talk.sandbox.state;
  const isTrial = given.does === 'validate' || (given.does === 'process' && given.dryRun === true);
  const { vendor_tries: tries, ...rest } = before;
  if (isTrial || status >= 400) expect(after).toEqual(rest);
  if (status !== 500) expect(vendor_tries).toEqual(tries);
  const statuses = ({ suppliers }: Pick<SandboxState, 'suppliers'>) => suppliers.map((supplier) => supplier.status);
  expect(statuses(talk.sandbox.state as SandboxState)).toEqual(statuses(before));
}

/** I1 by the lists, and I2: the numbers are those of the answers to process, and unique. */
async function expectInvariants(talk: Talk, model: Model): Promise<void> {
  const issued: unknown[] = [];
  for (const supplier of model.suppliers.keys()) {
    const listed = async (which: string) => {
      const { body } = await talk.get(`${which}-account-import-processes/${supplier}/`);
      return body as { external_account_number: string; service_account_number: string | null }[];
    };
    const [all, pending, imported] = [await listed('all'), await listed('pending'), await listed('imported')];
    const numbers = (entries: typeof all) => entries.map((entry) => entry.external_account_number).sort();
    expect(numbers([...pending, ...imported])).toEqual(numbers(all));
    expect(new Set(numbers(all)).size).toBe(all.length);
    issued.push(...imported.map((entry) => entry.service_account_number));
  }
  expect(issued.sort()).toEqual(numbersIn(model).sort());
  expect(new Set(issued).size).toBe(issued.length);
}
