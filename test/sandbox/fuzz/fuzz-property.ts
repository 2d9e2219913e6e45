/** Whatever is sent: an answer, no 5xx but 501 of what the sandbox does not implement, JSON, a valid state, and a log that holds what happened. */
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  createSandbox,
  type FaultRule,
  type LogEntry,
  type Sandbox,
  type SandboxSettings,
} from '../../../src/sandbox/index.js';
import { faults, settings } from './fuzz-choices.js';
import { type FuzzedRequest, fuzzedRequest } from './fuzz-requests.js';

/** Requests to one sandbox: enough to create accounts, and few enough to shrink. */
export const A_SEQUENCE = 25;

type Choices = [settings: Partial<SandboxSettings>, faults: FaultRule[]];

const NO_CHOICES: fc.Arbitrary<Choices> = fc.constant([{}, []]);
const ANY_CHOICES: fc.Arbitrary<Choices> = fc.oneof(
  fc.tuple(settings, fc.constant<FaultRule[]>([])),
  fc.tuple(fc.constant({}), faults),
  fc.tuple(settings, faults),
);

export const survivesAnything = survives(NO_CHOICES);
export const survivesAnythingByAnyChoice = survives(ANY_CHOICES);

function survives(choices: fc.Arbitrary<Choices>) {
  const requests = fc.array(fuzzedRequest, { minLength: A_SEQUENCE, maxLength: A_SEQUENCE });
  return fc.asyncProperty(requests, choices, async (sent, [chosen, rules]) => {
    const sandbox = createSandbox({ settings: chosen, faults: rules, wait: async () => {} });
    const issued = new Map<string, string>();
    for (const request of sent) {
      try {
        await expectAnswer(sandbox, request, chosen);
        expectNumbersToStay(sandbox, issued);
      } catch (cause) {
        throw new Error(`after ${inspect(request, { depth: 9 })}`, { cause });
      }
    }
    sandbox.faults.clear();
    await expectValidState(sandbox, chosen);
  });
}

async function expectAnswer(sandbox: Sandbox, sent: FuzzedRequest, chosen: Partial<SandboxSettings>): Promise<void> {
  const { method, path, headers, body } = sent;
  const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  const request = new Request(`http://sandbox.example.com${path}`, { ...init, ...(body !== undefined && { body }) });
  const logs = [sandbox, sandbox.isolated('other')];
  const before = logs.map((log) => log.requests().length);
  const answer = await sandbox.fetch(request).then(
    async (response) => ({
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    }),
    (error: unknown) => error,
  );
  const added = logs.flatMap((log, index) => log.requests().slice(before[index]));
  expect(added).toHaveLength(1);
  const [entry] = added as [LogEntry];
  expect([entry.method, entry.path]).toEqual([request.method, request.url.replace('http://sandbox.example.com', '')]);
  if (answer instanceof Error) {
    expect(answer).toBeInstanceOf(TypeError);
    expect(entry.status).toBe(null);
    expect(entry.faults).not.toEqual([]);
    return;
  }
  const { status, type, text } = answer as { status: number; type: string | null; text: string };
  expect(entry.status).toBe(status);
  if (status === 501 && entry.faults.length === 0) return expect(text).toContain('NOT_IMPLEMENTED');
  if (entry.faults.length > 0) return expectAsTheRulesSay(sandbox, entry, status);
  if (status >= 500) expect([status, String(body)]).toEqual([500, expect.stringContaining('sbx-vendor-flaky')]);
  if (text === '') return expect(mayBeEmpty(entry, chosen), `${method} ${path}: ${status} without a body`).toBe(true);
  expect(type).toBe('application/json');
  expect(() => JSON.parse(text), text).not.toThrow();
}

/** A status of 5xx comes from a rule that names it, from the vendor, or from the GraphQL interface, which has one operation. */
function expectAsTheRulesSay(sandbox: Sandbox, entry: LogEntry, status: number): void {
  if (status < 500) return;
  const rules = sandbox.faults.list().filter(({ id }) => entry.faults.includes(id));
  const statuses = rules.flatMap(({ effect }) =>
    typeof effect === 'object' && 'status' in effect ? effect.status : [],
  );
  if (status === 501) expect(entry.operation).toBe('token');
  else if (!statuses.includes(status)) expect(JSON.stringify(entry.request)).toContain('sbx-vendor-flaky');
}

function mayBeEmpty({ method, status, operation }: LogEntry, chosen: Partial<SandboxSettings>): boolean {
  return (
    method === 'HEAD' ||
    (status === 301 && chosen.missingSlash === 'redirect') ||
    (status === 401 && chosen.unauthorizedBody === 'empty') ||
    (status === 200 && operation === 'imports.imported' && chosen.importedList === 'no-body')
  );
}

/** I2 */
function expectNumbersToStay(sandbox: Sandbox, issued: Map<string, string>): void {
  for (const { code, accounts } of sandbox.state.suppliers) {
    for (const { external_account_number, imported } of accounts) {
      if (imported === null) continue;
      const key = JSON.stringify([code, external_account_number]);
      expect(imported.service_account_number).toBe(issued.get(key) ?? imported.service_account_number);
      issued.set(key, imported.service_account_number);
    }
  }
  expect(new Set(issued.values()).size).toBe(issued.size);
}

/** The state survives a file, and the lists agree (I1). */
export async function expectValidState(sandbox: Sandbox, chosen: Partial<SandboxSettings> = {}): Promise<void> {
  const file = JSON.stringify(sandbox.snapshot());
  const other = createSandbox({ settings: chosen, wait: async () => {} });
  other.restore(JSON.parse(file));
  // Not toStrictEqual: it takes a field that is called "constructor" for the class of an object.
  expect(isDeepStrictEqual(other.state, sandbox.state)).toBe(true);
  expect(JSON.stringify(other.snapshot()) === file).toBe(true);
  if (chosen.importedList === 'no-body') return;
  const [all, pending, imported] = await Promise.all(
    ['all', 'pending', 'imported'].map((which) => listed(other, which, chosen)),
  );
  expect([...(pending ?? []), ...(imported ?? [])].sort()).toEqual(all?.sort());
}

const AUTHORIZATION = {
  Token: 'Token sandbox-token',
  Bearer: 'Bearer sandbox-token',
  bare: 'sandbox-token',
  any: 'sandbox-token',
};

async function listed(
  sandbox: Sandbox,
  which: string,
  { authScheme = 'Token' }: Partial<SandboxSettings>,
): Promise<string[]> {
  const url = `http://sandbox.example.com/v1/data-import/${which}-account-import-processes/SANDBOX_SUPPLIER/`;
  const response = await sandbox.fetch(new Request(url, { headers: { Authorization: AUTHORIZATION[authScheme] } }));
  if (response.status === 404) return [];
  const entries = (await response.json()) as { external_account_number: string }[];
  return entries.map(({ external_account_number }) => external_account_number);
}
