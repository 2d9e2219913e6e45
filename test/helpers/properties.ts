/** What holds for every value: run by `npm test` a little, and by `npm run test:full` at length. */
import { inspect } from 'node:util';
import {
  ApiError,
  checkRecords,
  DataImportClient,
  defineProfile,
  type Finding,
  InvalidPayloadError,
  isDataImportError,
  type Profile,
  type RecordFinding,
  type ValidateOptions,
  type Validation,
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validatePopulate,
  validateProcess,
  validateTransactions,
} from 'data-import-sdk';
import { STRICT_PROFILE } from 'data-import-sdk/sandbox';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valuesThatAreNotJson } from '../../schemas/fields.js';
import { accepts } from '../../src/validation/accepts.js';
import { type PayloadName, payloads } from '../../src/validation/payload-schemas.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import * as answers from '../examples/answers.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { process as processRequest } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { anyText } from './any-text.js';
import { type CallName, everyCall, sendAs } from './calls.js';
import { errorOf } from './client-of.js';
import { seed } from './seed.js';

type Validate = (payload: unknown, options?: ValidateOptions) => Validation;

const PAYLOADS: readonly (readonly [name: string, payload: object, Validate, CallName])[] = [
  ['Account', domesticAccount, validateAccount, 'accounts.stage'],
  ['Account', businessAccount, validateAccount, 'accounts.validate'],
  ['BusinessPayload', business, validateBusiness, 'businesses.create'],
  [
    'BusinessPaymentInstruction',
    businessPaymentInstruction,
    validateBusinessPaymentInstruction,
    'businesses.createPaymentInstruction',
  ],
  ['HistoricalStatementsPayload', historicalStatements, validateHistoricalStatements, 'historicalStatements.create'],
  ['NotesPayload', notes, validateNotes, 'notes.create'],
  ['PaymentInstruction', paymentInstruction, validatePaymentInstruction, 'paymentInstructions.create'],
  ['PopulatePayload', populate, validatePopulate, 'supplyPoints.populate'],
  ['ProcessPayload', processRequest, validateProcess, 'accounts.process'],
  ['TransactionsPayload', transactions, validateTransactions, 'transactions.create'],
];

const PROFILES: readonly (Profile | undefined)[] = [
  undefined,
  defineProfile(STRICT_PROFILE),
  { fields: { Account: { agreed: 'object', 'customers.*.agreed': 'array' } }, required: { Account: ['*.0', 'a.b'] } },
];

/** Words of error bodies, and words that are traps in JavaScript. */
const FIELDS = [
  ...['detail', 'code', 'errors', 'attr', 'error', 'error_detail', 'message', 'status', 'non_field_errors', 'results'],
  ...['transaction_data', 'transaction_id', 'external_account_number', 'service_account_number', 'import_supplier'],
  ...['reference', 'batch_id', 'customers', 'landline', 'dropped', 'outcome', '0', '1', '', 'a.b'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'then', 'hasOwnProperty', 'length'],
];

const WORDS = [
  ...['', ' ', 'invalid', 'not_found', 'Account would successfully import. Rolled back due to Dry Run.', '400'],
  ...['TRANSACTION_IMPORT_ERROR', 'customers.0.landline', 'non_field_errors', '__proto__', 'constructor.prototype'],
  ...['historical_statement_already_exists', '\uD800', '\u2028', '2024-02-30', '2024-01-15T08:00:00Z', '+33612345678'],
];

const text = fc.oneof(fc.constantFrom(...WORDS), anyText({ maxLength: 20 }));
const leaf: fc.Arbitrary<unknown> = fc.oneof(
  ...[text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)],
  // No list and no text, though it has a length; and JavaScript cannot compare that with a number.
  fc.constant(null).map(() => ({ length: { toString: 0 } })),
);
/** JSON that looks like the bodies of the service, and JSON that does not. */
const json = fc.oneof(
  fc.jsonValue(),
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5, depthSize: 'small' }, leaf, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), text), tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  })).value,
);

/** One change of a value: `place` selects where, `kind` and `field` how, `value` with what. */
interface Change {
  place: number;
  kind: 'replace' | 'remove' | 'add' | 'cycle';
  field: string;
  value: unknown;
}

class Stranger {
  readonly import_supplier = 7;
  get external_account_number(): string {
    return 'A-1';
  }
}

const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 2,
  }),
  fc
    .constantFrom<() => unknown>(
      () => Symbol('x'),
      () => new Stranger(),
      () => Stranger,
      () => undefined,
      () => Number.NaN,
      () => -0,
      () => new Proxy({ body: 'x' }, {}),
      () => new Proxy([1, 2], {}),
      () => nested(600),
      () => nested(20_000),
      () => Object.create(null, { type: { value: Object.create(null), enumerable: true } }),
      () => Object.create({ body: 'inherited' }),
      () => Object.assign(() => {}, { body: 'x' }),
      () => /x/g,
      () => new Error('x'),
      () => Promise.resolve(1),
      () => new Array(3),
      () => Object.assign(new Array(2), { 1: 'x' }),
    )
    .map((make) => make()),
);

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

const mild: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(undefined, '', [], {}, true),
);
const changeWith = (value: fc.Arbitrary<unknown>, ...kinds: Change['kind'][]): fc.Arbitrary<Change> =>
  fc.record({
    place: fc.nat(),
    kind: fc.constantFrom(...kinds),
    field: fc.oneof(fc.constantFrom(...FIELDS, 'agreed'), fc.string({ maxLength: 5 })),
    value,
  });
/** Mostly what a careless export does. */
const mildChanges = fc.array(changeWith(mild, 'replace', 'remove'), { maxLength: 3 });
const wildChanges = fc.array(changeWith(fc.oneof(mild, strange, json), 'replace', 'remove', 'add', 'cycle'), {
  minLength: 1,
  maxLength: 4,
});

/** The payload with the changes; the original stays as it is. */
function changed(payload: object, changes: readonly Change[]): unknown {
  const holder: Holder = { payload: structuredClone(payload) };
  for (const { place, kind, field, value } of changes) {
    const places = placesIn(holder);
    const [parent, key] = places[place % places.length] ?? [holder, 'payload'];
    const there = parent[key];
    if (kind === 'remove') Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key];
    else if (kind === 'replace') parent[key] = value;
    else if (kind === 'cycle') parent[key] = parent;
    else if (isHolder(there) && !Array.isArray(there)) Object.defineProperty(there, field, { value, ...writable });
  }
  return holder['payload'];
}

const writable = { configurable: true, enumerable: true, writable: true };

type Holder = Record<string, unknown>;

/** What changes may change: plain objects and lists, to a depth that payloads have. */
function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function placesIn(holder: Holder, depth = 0, seen = new Set<object>()): [Holder, string][] {
  if (depth > 12 || seen.has(holder)) return [];
  seen.add(holder);
  return Object.keys(holder).flatMap((key): [Holder, string][] => {
    const value = holder[key];
    return [[holder, key], ...(isHolder(value) ? placesIn(value, depth + 1, seen) : [])];
  });
}

/** Findings that are about something which is not there. */
const ABSENT = new Set([
  ...[
    ...['required', 'supply_point_without_identifier', 'transaction_without_id', 'schedule_collects_nothing'],
    ...['contract_without_identifier'],
  ],
  ...['transaction_without_amount_or_date', 'payment_without_reference', 'supply_charge_incomplete'],
  ...['business_account_without_contract', 'mandate_without_date'],
]);

/** Names may hold dots, so each way of cutting the path counts. */
function resolves(value: unknown, attr: string | undefined, mayBeAbsent: boolean): boolean {
  if (attr === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  const parts = attr.split('.');
  return parts.some((_, index) => {
    const key = parts.slice(0, index + 1).join('.');
    const rest = index + 1 < parts.length ? parts.slice(index + 1).join('.') : undefined;
    const isThere = Array.isArray(value) && /^\d+$/.test(key) ? Number(key) < value.length : key in value;
    if (!isThere) return rest === undefined && mayBeAbsent;
    return resolves((value as Holder)[key], rest, mayBeAbsent);
  });
}

function expectFindingsOf(payload: unknown, { ok, findings }: Validation): void {
  expect(ok).toBe(!findings.some(({ severity }) => severity === 'error'));
  for (const finding of findings) expectFinding(payload, finding);
}

function expectFinding(payload: unknown, { attr, code, detail, severity }: Finding): void {
  expect([typeof attr, typeof code, typeof detail]).toEqual(['string', 'string', 'string']);
  expect(['error', 'warning']).toContain(severity);
  expect(attr === '' || resolves(payload, attr, ABSENT.has(code)), `${attr} ${code} resolves`).toBe(true);
}

/** Answers of a service that may say anything. */
const answer = fc.record({
  status: fc.oneof(
    fc.integer({ min: 200, max: 599 }),
    fc.constantFrom(200, 201, 400, 401, 403, 404, 429, 500, 502, 503, 504),
  ),
  body: fc.oneof(
    { weight: 6, arbitrary: json.map((value) => JSON.stringify(value)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.values(answers)), wildChanges)
        .map(([value, changes]) => safeJson(changed({ value }, changes))),
    },
    { weight: 1, arbitrary: anyText() },
    { weight: 1, arbitrary: fc.uint8Array() },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '{', '\uFEFF{}', '<html></html>', '['.repeat(5000), 'null') },
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      ...['retry-after', 'x-request-id', 'request-id', 'x-correlation-id', 'content-type', 'content-length'],
      ...['content-encoding', 'location', 'www-authenticate', 'date', 'x-constructor'],
    ),
    fc.oneof(
      fc.constantFrom(
        '0',
        '1',
        '-1',
        '1e9',
        'Wed, 21 Oct 2015 07:28:00 GMT',
        'application/json',
        'gzip',
        '9'.repeat(40),
      ),
      fc
        .array(fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f))
        .map((codes) => String.fromCharCode(...codes)),
    ),
    { maxKeys: 4 },
  ),
});

function safeJson(value: unknown): string {
  try {
    return JSON.stringify((value as Holder | undefined)?.['value']) ?? '';
  } catch {
    return '';
  }
}

const EMPTY = new Set([204, 205, 304]);

function respond({
  status,
  body,
  headers,
}: {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}): Response {
  return new Response(EMPTY.has(status) ? null : (body as string), { status, headers });
}

function clientThat(fetch: () => Promise<Response>): DataImportClient {
  const limits = { maxRetries: 0, advanced: { retryBaseMs: 0, maxThrottleWaitMs: 0 } };
  return new DataImportClient({ baseUrl: 'https://api.example.com', token: 'T', fetch, ...limits });
}

/** A result or one of our errors, which can be shown, logged and asked. */
async function expectOurs(call: () => PromiseLike<unknown>): Promise<unknown> {
  let thrown: unknown;
  try {
    return await call();
  } catch (error) {
    thrown = error;
  }
  if (!isDataImportError(thrown)) throw new Error(`not ours: ${inspect(thrown)}`, { cause: thrown });
  expect(thrown.message).toMatch(/ \[[a-z-]+\]$/);
  expect(typeof JSON.stringify(thrown)).toBe('string');
  expect(inspect(thrown)).toContain(thrown.name);
  if (thrown instanceof ApiError || thrown instanceof InvalidPayloadError) {
    for (const item of thrown.errors) {
      expect([typeof item.detail, typeof item.code, typeof item.attr]).toEqual(['string', 'string', 'string']);
      expect(thrown.at(item.attr)).toContain(item);
      expect(thrown.hasCode(item.code)).toBe(true);
    }
    expect(thrown.tree().errors.length).toBeLessThanOrEqual(thrown.errors.length);
  }
  return undefined;
}

/** Equal as JSON sees it: without properties that are undefined, -0 being 0. */
function sameJson(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = (value: object) => Object.keys(value).filter((key) => (value as Holder)[key] !== undefined);
  const [ofLeft, ofRight] = [keys(left), keys(right)];
  return (
    ofLeft.length === ofRight.length &&
    ofLeft.every((key) => Object.hasOwn(right, key) && sameJson((left as Holder)[key], (right as Holder)[key]))
  );
}

/** The shapes in which deployments name the field of an error. */
const NOTATIONS: Record<string, (path: readonly (string | number)[]) => unknown> = {
  dots: (path) => path.join('.'),
  brackets: (path) =>
    path
      .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
      .join('')
      .slice(1),
  list: (path) => path,
  texts: (path) => path.map(String),
};

const refusal = fc.record({
  status: fc.constantFrom(400, 409, 422),
  code: fc.constantFrom(
    'account_failed_validation',
    'import_supplier_not_ongoing',
    'business_already_exists',
    'e_1042',
  ),
  notation: fc.constantFrom(...Object.keys(NOTATIONS)),
  items: fc.array(
    fc.record({
      detail: anyText({ minLength: 1, maxLength: 20 }),
      code: fc.constantFrom('invalid_phone_number', 'required', 'operations_team_not_found', 'e_7'),
      path: fc
        .array(fc.oneof(fc.constantFrom('landline', 'email', 'supply_points'), fc.nat(99)), { maxLength: 4 })
        .map((rest): (string | number)[] => ['customers', ...rest]),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const profileJson = fc.oneof(
  json,
  fc.dictionary(
    fc.constantFrom('required', 'values', 'fields', 'lengths', 'other', '__proto__'),
    fc.oneof(
      json,
      fc.dictionary(
        fc.constantFrom('Account', 'BusinessPayload', 'ProcessPayload', 'Acount', 'constructor'),
        fc.oneof(
          json,
          fc.array(
            fc.oneof(text, fc.constantFrom('customers.*.email', '*[type=A|B].c', '*', 'a..b', '*[', 'a.*[x=]')),
            {
              maxLength: 3,
            },
          ),
          fc.dictionary(
            fc.constantFrom('customers.*', 'a', '', '*[a=b].c', '__proto__'),
            fc.oneof(json, fc.nat(), fc.constant('date')),
          ),
        ),
      ),
    ),
  ),
);

const RECORDS = [
  { business },
  { account: businessAccount },
  {
    account: domesticAccount,
    notes: notes.notes,
    transactions: transactions.transactions,
    statements: historicalStatements.statements,
    payment_instruction: { vendor: 'V', reference: 'R', type: 'CARD' },
  },
];

const TIMEOUT_MS = 300_000;

/** Declares one test for each property, with `numRuns` values each. */
export function properties(numRuns: number): void {
  // A payload is large: to shrink a long run's counterexample takes an hour. It is printed, and its path repeats it.
  const settings = { seed, numRuns, endOnFailure: numRuns > 1_000 };

  it(
    'whatever the service answers, every method ends in a result or in one of our errors',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...everyCall), answer, async ([name, { send }], given) => {
          const client = clientThat(async () => respond(given));
          const result = await expectOurs(() => send(client, { validate: false }));
          const isSuccess = given.status < 300 || (name === 'accounts.dryRun' && given.status === 400);
          if (result !== undefined) expect(isSuccess).toBe(true);
        }),
        // There are fifteen methods.
        { ...settings, numRuns: 3 * numRuns },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'whatever way a refusal names its fields, and whatever its code, each error has the documented path (issue 20, C3)',
    async () => {
      await fc.assert(
        fc.asyncProperty(refusal, async ({ status, code, notation, items }) => {
          const errors = items.map(({ path, ...item }) => ({ ...item, attr: NOTATIONS[notation]?.(path) }));
          const client = clientThat(async () => Response.json({ detail: 'Refused.', code, errors }, { status }));
          const error = await errorOf<ApiError>(client.accounts.stage(domesticAccount, { validate: false }));
          expect(error).toMatchObject({ name: 'ValidationError', status, code, retryable: false });
          expect(error.errors).toEqual(items.map(({ path, ...item }) => ({ ...item, attr: path.join('.') })));
          expect(error.message.includes('fix the payload')).toBe(error.nextAction === 'fixPayload');
        }),
        settings,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'whatever the payload, the methods that send it end in a result or in one of our errors',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PAYLOADS),
          wildChanges,
          fc.boolean(),
          async ([, payload, , name], changes, validate) => {
            const client = clientThat(async () => new Response('{}', { status: 400 }));
            await expectOurs(() => sendAs(name, client, changed(payload, changes), { validate }));
          },
        ),
        settings,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'whatever the payload, validation gives findings whose attr resolves in it',
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...PAYLOADS),
          fc.oneof(mildChanges, wildChanges),
          fc.constantFrom(...PROFILES),
          ([, payload, validate], changes, profile) => {
            const value = changed(payload, changes);
            expectFindingsOf(value, validate(value, { profile }));
          },
        ),
        settings,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'what is accepted at a glance, zod accepts and JSON carries; and JSON that zod accepts is accepted at a glance',
    () => {
      let glances = 0;
      fc.assert(
        fc.property(
          fc.constantFrom(...PAYLOADS),
          fc.oneof({ weight: 3, arbitrary: mildChanges }, { weight: 1, arbitrary: wildChanges }),
          ([name, payload], changes) => {
            const schema = payloads[name as PayloadName];
            const value = changed(payload, changes);
            const isAcceptedByZod = schema.safeParse(value).success;
            if (accepts(schema, value)) {
              glances++;
              // Zod takes an unknown field that is undefined for one that is sent, which JSON leaves out.
              const sent = JSON.parse(JSON.stringify(value));
              expect([schema.safeParse(sent).success, valuesThatAreNotJson(value)]).toEqual([true, []]);
            } else if (isAcceptedByZod) {
              // Zod takes what JSON does not carry as it is: an instance of a class, a list with holes. And a member
              // called __proto__, of which records make nothing, is left to it.
              if (valuesThatAreNotJson(value).length === 0) expect(JSON.stringify(value)).toContain('"__proto__":');
            }
          },
        ),
        { ...settings, numRuns: 3 * numRuns },
      );
      expect(glances).toBeGreaterThan(numRuns / 4);
    },
    TIMEOUT_MS,
  );

  it(
    'any value at all can be validated, as any payload',
    () => {
      fc.assert(
        fc.property(fc.constantFrom(...PAYLOADS), fc.oneof(strange, json), ([, , validate], value) => {
          expectFindingsOf(value, validate(value, { profile: PROFILES[1] }));
        }),
        settings,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'what passes goes over the wire as JSON.stringify writes it, and says the same',
    async () => {
      let passed = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PAYLOADS),
          fc.oneof({ weight: 4, arbitrary: mildChanges }, { weight: 1, arbitrary: wildChanges }),
          async ([, payload, validate, name], changes) => {
            const value = changed(payload, changes);
            if (!validate(value).ok || (value as { dry_run?: unknown }).dry_run === true) return;
            passed++;
            const bodies: unknown[] = [];
            const fetch = async (_url: string, init: RequestInit) => {
              bodies.push(init.body);
              return new Response('{}', { status: 400 });
            };
            const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'T', fetch });
            await expectOurs(() => sendAs(name, client, value));
            expect(bodies).toEqual([JSON.stringify(value)]);
            expect(sameJson(JSON.parse(bodies[0] as string), value)).toBe(true);
          },
        ),
        settings,
      );
      expect(passed).toBeGreaterThan(numRuns / 4);
    },
    TIMEOUT_MS,
  );

  it(
    'any JSON is a profile, or is refused by a TypeError that names the path',
    () => {
      fc.assert(
        fc.property(profileJson, (value) => {
          let profile: Profile;
          try {
            profile = defineProfile(value as Profile);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
            const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
            expect((error as Error).message).toMatch(isObject ? /^profile: (.+: |no rule .)/s : /^profile: /);
            return;
          }
          expectFindingsOf(domesticAccount, validateAccount(domesticAccount, { profile }));
        }),
        settings,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'any stream of values is an input',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.oneof(
              fc
                .tuple(fc.constantFrom(...RECORDS), fc.oneof(mildChanges, wildChanges))
                .map(([record, changes]) => changed(record, changes)),
              strange,
              json,
            ),
            { maxLength: 4 },
          ),
          fc.boolean(),
          async (records, documentExists) => {
            const findings: RecordFinding[] = [];
            for await (const finding of checkRecords(records, { documentExists: () => documentExists }))
              findings.push(finding);
            for (const finding of findings) {
              expect(finding.record).toBeLessThan(records.length);
              expect(finding.collidesWith ?? -1).toBeLessThan(finding.record);
              expectFinding(records[finding.record], finding);
            }
          },
        ),
        settings,
      );
    },
    TIMEOUT_MS,
  );
}
