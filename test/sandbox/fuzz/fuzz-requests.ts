/** Requests that are nearly right, and some that are nothing like it. */
import fc from 'fast-check';
import { anyText } from '../../helpers/any-text.js';
import { BUSINESS, DOMESTIC } from '../support/payloads.js';

export interface FuzzedRequest {
  method: string;
  /** From the root, with its query string. */
  path: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

const ROOT = '/v1/data-import/';
const KEY = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001' };
const BUSINESS_KEY = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
const PROCESS = { ...BUSINESS_KEY, external_account_number: '0001', operations_team_name: 'SANDBOX_TEAM' };
const { external_business_identifier: _, ...PROCESSING } = PROCESS;
const TRANSACTION = { transaction_id: 'T-1', transaction_date: '2026-01-10', amount: 12.5, type: 'CHARGE' };
const STATEMENT = { statement_id: 'S-1', bill_period_to_date: '2025-12-31', statement_path: '/s.pdf', gross_amount: 1 };
const NOTE = {
  body: 'x',
  is_pinned: true,
  unpin_at: '2026-01-20T00:00:00Z',
  document_paths: [{ document_path: '/a' }],
};
const CONTRACT = {
  identifier: 'C-1',
  versions: [{ terms: [{ term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 1 }] }],
};
const MUTATION = 'mutation($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }';

/** Every POST with a payload that is right; what begins an account comes more often, so that there is one. */
const POSTS: readonly (readonly [path: string, payload: unknown])[] = [
  ...Array.from({ length: 3 }, () => [`${ROOT}account-import-process/create-or-update/`, DOMESTIC] as const),
  ...Array.from({ length: 3 }, () => [`${ROOT}account-import-process/process/`, PROCESSING] as const),
  [`${ROOT}account-import-process/create-or-update/`, BUSINESS],
  [`${ROOT}account-import-process/process/`, { ...PROCESSING, dry_run: true }],
  [`${ROOT}validate-account/`, DOMESTIC],
  [`${ROOT}supply-point/populate/`, { prm_ids: ['1', '2'], pce_ids: ['3'], customer_category: 'domestic' }],
  [`${ROOT}business/`, { ...BUSINESS_KEY, business: { company_name: 'Sample Ltd', business_contracts: [CONTRACT] } }],
  [`${ROOT}business-payment-instruction/create/`, { ...BUSINESS_KEY, vendor: 'V', reference: 'R-1', accounts: [] }],
  [`${ROOT}notes/create/`, { ...KEY, notes: [NOTE] }],
  [`${ROOT}transactions/create/`, { ...KEY, transactions: [TRANSACTION] }],
  [`${ROOT}historical-statements/create/`, { ...KEY, statements: [STATEMENT] }],
  [`${ROOT}payment-instruction/create/`, { ...KEY, vendor: 'V', reference: 'R-1', type: 'CARD' }],
  ['/v1/graphql/', { query: MUTATION, variables: { input: { apiKey: 'sandbox-api-key' } } }],
];

const GETS: readonly string[] = [
  `${ROOT}account-transfer-status/SANDBOX_SUPPLIER/0001/`,
  ...['all', 'pending', 'imported'].map((which) => `${ROOT}${which}-account-import-processes/SANDBOX_SUPPLIER/`),
];

const often = <Usual, Rare>(weight: number, usual: fc.Arbitrary<Usual>, rare: fc.Arbitrary<Rare>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

const nested = (depth: number) => JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`) as unknown;

/** Values that break what was not written with care. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    ...[null, true, '', ' ', 0, -0, -1, 1.5, 1e21, 1e308, 5e-324, 2 ** 53 + 2, [], {}, [[]], [null], 'x'.repeat(999)],
    ...[
      ...['\ud800', '\udfff\ud800', '\u0000', '\u2028', '__proto__', 'constructor', 'toString', 'é', '😀', '../../..'],
      ...['%2F'],
    ],
    ...['2026-02-30', '9999-12-31', '0000-01-01', '2026-01-15T25:00:00Z', '2026-01-15T09:00:00+14:00', 'GIFT'],
    ...['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00', 'SANDBOX_SUPPLIER', '0001', 'A-2', '+33612345678'],
    ...['sbx-vendor-persistent', 'sbx-vendor-flaky-1', `sbx-vendor-flaky-${'9'.repeat(400)}`, 'sbx-vendor-flaky--1'],
    ...[JSON.parse('{"__proto__":{"a":1},"constructor":[],"length":-1}'), nested(20), nested(60)],
  ),
  anyText({ maxLength: 8 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 2 }),
);

const name = fc.constantFrom('__proto__', 'constructor', '', 'a.b', '0', 'import_supplier', 'dry_run', 'notes', 'body');

interface Change {
  place: number;
  kind: 'replace' | 'remove' | 'add' | 'repeat';
  name: string;
  value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(1000),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  name,
  value: odd,
});

type Holder = Record<string, unknown>;

/** A copy of the payload with the changes. */
function changed(payload: unknown, changes: readonly Change[]): unknown {
  const holder: Holder = { payload: JSON.parse(JSON.stringify(payload)) };
  for (const { place, kind, name: field, value: shared } of changes) {
    // The next change may be in this very value, which other payloads have too.
    const value = structuredClone(shared);
    const places = placesIn(holder);
    const [parent, key] = places[place % places.length] ?? [holder, 'payload'];
    const there = parent[key];
    const set = (target: object, property: string, to: unknown) =>
      Object.defineProperty(target, property, { value: to, configurable: true, enumerable: true, writable: true });
    if (kind === 'replace') set(parent, key, value);
    if (kind === 'remove') delete parent[key];
    if (kind === 'repeat' && Array.isArray(there)) there.push(...there);
    if (kind === 'add' && typeof there === 'object' && there !== null && !Array.isArray(there))
      set(there, field, value);
  }
  return holder['payload'];
}

function placesIn(holder: Holder, depth = 0): [Holder, string][] {
  if (depth > 12) return [];
  return Object.keys(holder).flatMap((key): [Holder, string][] => {
    const value = holder[key];
    return [
      [holder, key],
      ...(typeof value === 'object' && value !== null ? placesIn(value as Holder, depth + 1) : []),
    ];
  });
}

/** What may happen to a text on its way: it ends early, or its bytes are other ones. */
const garbled = (text: string): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    fc.nat(text.length).map((length) => text.slice(0, length)),
    fc.constantFrom(
      `\ufeff${text}`,
      text.replace(/\d+/, '1e999'),
      text.replace('{', '{"__proto__":{},'),
      `${text}${text}`,
    ),
    fc.constantFrom(
      '',
      ' ',
      'null',
      '[]',
      '"text"',
      '12',
      '[{}]',
      '{"a":1e400}',
      '{"a":"\\ud800"}',
      '{'.repeat(99_999),
    ),
    fc.constantFrom(`${'['.repeat(150)}${']'.repeat(150)}`, `{"a":${'[1,'.repeat(200)}`),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
    fc.nat(text.length).map((at) => {
      const bytes = new TextEncoder().encode(text);
      bytes[Math.min(at, bytes.length - 1)] = 0xff;
      return bytes;
    }),
  );

const query = often(
  3,
  fc.constant(''),
  fc.constantFrom(
    ...['?check_previously_added=false', '?force_add_to_current_statement=False', '?check_previously_added=maybe'],
    ...['?check_previously_added=true&check_previously_added=false', '?%zz=%', '?', '?a=b&__proto__=1', '?%00=é'],
  ),
);

/** A misspelt path, or one with another encoding. */
const mistyped = (path: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      path.slice(0, -1),
      `${path}/`,
      path.replace('v1', 'v2'),
      path.toUpperCase(),
      `/${path}`,
      '/',
      '/__sandbox',
    ),
    fc
      .tuple(
        fc.nat(path.length),
        fc.constantFrom('%zz', '%00', '%2F', '%C3%28', '/', '..', '/./', ';', '%25', 'é', '\\', ':', '*'),
      )
      .map(([at, text]) => path.slice(0, at) + text + path.slice(at)),
    fc.nat(path.length - 1).map((at) => {
      const code = path.charCodeAt(at).toString(16).padStart(2, '0');
      return `${path.slice(0, at)}%${code}${path.slice(at + 1)}`;
    }),
    anyText({ maxLength: 12 }).map((text) => `${ROOT}account-transfer-status/${text}/0001/`),
  );

const authorization = often(
  20,
  fc.constant('Token sandbox-token'),
  fc.constantFrom(
    ...['Bearer sandbox-token', 'sandbox-token', 'Token', 'Token a b', 'Token  sandbox-token', '', 'Token \u00ff'],
    ...['Token sandbox-token-other', 'Token sandbox-token-', 'Token sandbox.1.x', `Token ${'x'.repeat(5000)}`],
  ),
);
const contentType = often(
  12,
  fc.constantFrom('application/json', 'application/json; charset=utf-8'),
  fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', '', ';', 'application/json-patch', 'a/b+json'),
);
const length = fc.constantFrom('0', '-1', '1e9', 'many', '10485761', '99999999999999999999', '');

const none = fc.constant(null);
const headers = fc
  .tuple(often(30, authorization, none), often(12, contentType, none), often(15, none, length))
  .map(([token, type, announced]) => {
    const all: [string, string | null][] = [
      ['Authorization', token],
      ['Content-Type', type],
      ['Content-Length', announced],
    ];
    return all.flatMap(([header, value]) => (value === null ? [] : [[header, value] as const]));
  });

const posted: fc.Arbitrary<Omit<FuzzedRequest, 'headers'>> = fc
  .tuple(fc.constantFrom(...POSTS), often(2, fc.constant<Change[]>([]), fc.array(change, { maxLength: 3 })))
  .chain(([[path, payload], changes]) => {
    const text = JSON.stringify(changed(payload, changes)) ?? '';
    return fc.record({
      method: often(25, fc.constant('POST'), fc.constantFrom('PUT', 'PATCH', 'DELETE', 'OPTIONS', 'FOO')),
      path: fc.tuple(often(12, fc.constant(path), mistyped(path)), query).map((parts) => parts.join('')),
      body: often(8, fc.constant(text), garbled(text)),
    });
  });

const asked: fc.Arbitrary<Omit<FuzzedRequest, 'headers'>> = fc
  .tuple(fc.constantFrom(...GETS, ...POSTS.map(([path]) => path)), fc.constantFrom('GET', 'GET', 'GET', 'HEAD'), query)
  .chain(([path, method, search]) =>
    often(3, fc.constant(path), mistyped(path)).map((text) => ({ method, path: text + search, body: undefined })),
  );

export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(often(4, posted, asked), headers)
  .map(([request, all]) => ({ ...request, path: request.path.replace(/^(?!\/)/, '/'), headers: all }));
