/**
 * Exports `createReplay`: makes the calls of a recording in a sandbox, with invented values of the same types, and returns the answers in
 * a form in which they can be compared with the recorded ones.
 */
import { operations } from '../../schemas/operations.js';
import { isDryRunSuccess } from '../errors/decode.js';
import { requestPath } from '../http/transport/address.js';
import type { Reply } from '../sandbox/server/reply.js';
import { SANDBOX_START, SANDBOX_TOKEN } from '../sandbox/settings/sandbox-options.js';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { daysOfDates, isFields } from './aged-dates.js';
import { openService, type PlainRequest } from './in-process.js';
import { createMask, type Masked, numeral, partsOf } from './mask.js';
import type { RecordedCall } from './record.js';
import { oncePerSettings } from './with-value.js';

/** Asked after each answer: whether the rest of the replay is of no interest. */
type Stop = (index: number, answer: string) => boolean;

export interface Replay {
  /** The calls in the order of their starts, whatever the order of their lines; every index is one of this list. */
  calls: readonly RecordedCall[];
  /** The recorded answers without their values: equal texts mean equal answers. undefined for a call without an answer. */
  recorded: readonly (string | undefined)[];
  /** Returns the answers of a sandbox with these settings, in the same form. After a stop others may be undefined. */
  run(settings: Partial<SandboxSettings>, stop?: Stop): Promise<readonly (string | undefined)[]>;
}

const DAY = 24 * 3600 * 1000;
const START = Date.parse(SANDBOX_START);

export function createReplay(recording: readonly RecordedCall[]): Replay {
  const calls = inOrder(recording);
  const invented = inventValues(calls);
  const tokenOfValue = new Map(
    [...invented].map(([token, value]) => [typeof value === 'number' ? numeral(value) : value, token]),
  );
  for (const { request } of calls) for (const name of unknownNamesIn(request)) tokenOfValue.set(name, name.slice(6));
  const known = calls.map((call) => tokensOf([call.params, call.request ?? null]));
  const accounts = new Set(calls.flatMap(accountTokens));
  const isKnown = (index: number) => (token: string) => known[index]?.has(token) === true || accounts.has(token);
  const mask = createMask({ tokenOf: (value) => tokenOfValue.get(value) ?? '', now: START });
  const { suppliers, teams, invalidTokens } = existing(calls);
  const requests = calls.map((call) =>
    requestOf(call, invented, invalidTokens.has(call.token) ? 'invalid' : SANDBOX_TOKEN),
  );
  const events = eventsOf(calls);
  const overlapping = overlaps(events);
  // Most answers are the same in each replay.
  const done = new Map<string, string>();
  const once = (index: number, { status, headers, text }: Reply, make: () => string) => {
    const key = `${index} ${status} ${headers['Retry-After']} ${text}`;
    const answer = done.get(key) ?? make();
    done.set(key, answer);
    return answer;
  };
  const valueFor = (token: string) => String(invented.get(token));
  const answersWith = oncePerSettings(() => calls.map((): string | undefined => undefined));

  return {
    calls,
    recorded: calls.map((call, index) =>
      call.status === null ? undefined : comparable(call.status, call.retryAfter, call.answer, isKnown(index)),
    ),
    async run(settings, stop = () => false) {
      const answers = answersWith(settings);
      const isStopped = answers.some((answer, index) => answer !== undefined && stop(index, answer));
      if (isStopped || !answers.includes(undefined)) return answers;
      const held = new Map<AbortSignal, Held>();
      const send = openService(
        {
          suppliers: suppliers.map((token) => ({ code: valueFor(token) })),
          teams: teams.map(valueFor),
          // The log is not read.
          logLimit: 1,
          settings: { ...(overlapping.size > 0 && DURATIONS), ...settings },
        },
        async (signal) => held.get(signal)?.ended,
      );
      await inRecordedOrder(events, overlapping, async (index, call) => {
        const request = requests[index] as PlainRequest;
        const { signal } = call === NOT_HELD ? {} : new AbortController();
        if (signal !== undefined) held.set(signal, call);
        const reply = await send({ ...request, ...(signal && { signal }) });
        const answer = once(index, reply, () => {
          const retryAfter = reply.headers['Retry-After'];
          const body = reply.text === null ? undefined : mask(JSON.parse(reply.text));
          return comparable(
            reply.status,
            retryAfter === undefined ? undefined : Number(retryAfter),
            body,
            isKnown(index),
          );
        });
        answers[index] = answer;
        return stop(index, answer);
      });
      return answers;
    },
  };
}

/** With durations, a call is checked when it starts and committed when it ends. The recording decides when that is. */
const DURATIONS = { processDurationMs: 1, itemDurationMs: 1, stageDurationMs: 1, businessDurationMs: 1 };

/** A call that runs until the time at which the recorded one ended. */
type Held = ReturnType<typeof hold>;

const NOT_HELD: Held = { ended: Promise.resolve(), end() {} };

function hold() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

/** Starts and ends the calls in the order of the recording, until `send` returns true. */
async function inRecordedOrder(
  events: readonly CallEvent[],
  overlapping: ReadonlySet<number>,
  send: (index: number, held: Held) => Promise<boolean>,
): Promise<void> {
  const running: Promise<void>[] = [];
  const helds: Held[] = [];
  let isStopped = false;
  const begin = async (index: number, held: Held) => {
    if (await send(index, held)) isStopped = true;
  };
  for (const { isEnd, index } of events) {
    if (isStopped) break;
    if (!overlapping.has(index)) {
      if (!isEnd) await begin(index, NOT_HELD);
      continue;
    }
    if (isEnd) helds[index]?.end();
    else {
      const held = hold();
      helds[index] = held;
      running.push(begin(index, held));
    }
    await settled();
  }
  for (const { end } of helds.filter((held) => held !== undefined)) end();
  await Promise.all(running);
}

/** The start or the end of a call. */
type CallEvent = ReturnType<typeof eventsOf>[number];

/** Returns the calls by start, then by end, then by content: the order of the lines of a recording decides nothing. */
function inOrder(recording: readonly RecordedCall[]): RecordedCall[] {
  return recording
    .map((call) => ({ call, text: JSON.stringify(call) }))
    .sort(
      (one, other) =>
        one.call.at - other.call.at || endOf(one.call) - endOf(other.call) || (one.text < other.text ? -1 : 1),
    )
    .map(({ call }) => call);
}

/** In tenths of a millisecond, the unit of a recording: a sum of two decimals may be a little more than the decimal that it is. */
function endOf({ at, ms }: RecordedCall): number {
  return Math.round((at + ms) * 10) / 10;
}

/** The starts and ends of calls in a total order. At the same time the ends come first; a call without duration ends before the next starts. */
function eventsOf(calls: readonly RecordedCall[]) {
  return calls
    .flatMap((call, index) => {
      const end = endOf(call);
      return [
        { isEnd: false, index, key: [call.at, 1, index, 0] },
        { isEnd: true, index, key: [end, end > call.at ? 0 : 1, index, 1] },
      ];
    })
    .sort((one, other) => one.key.map((part, place) => part - (other.key[place] ?? 0)).find((part) => part !== 0) ?? 0);
}

/** Resolves when each running call has ended or waits. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The calls during which another one ran. */
function overlaps(events: readonly CallEvent[]): Set<number> {
  const found = new Set<number>();
  const running = new Set<number>();
  for (const { isEnd, index } of events) {
    if (isEnd) running.delete(index);
    else {
      running.add(index);
      if (running.size > 1) for (const each of running) found.add(each);
    }
  }
  return found;
}

function requestOf(call: RecordedCall, invented: ReadonlyMap<string, string | number>, token: string): PlainRequest {
  const operation = operations[call.operation];
  const [params, query] = [call.params, call.query].map(
    (masked) => unmasked(masked, invented) as Record<string, string>,
  );
  const path = requestPath({ path: '' }, operation, params, query);
  const text = call.request === undefined ? '' : JSON.stringify(unmasked(call.request, invented));
  return {
    ...{ method: operation.method, text },
    url: `http://sandbox.example.com${call.isSlashMissing ? path.replace(/\/(?=\?|$)/, '') : path}`,
    headers: authorization(call, token),
  };
}

function authorization({ scheme }: RecordedCall, token: string): Record<string, string> {
  if (scheme === 'none') return {};
  return { authorization: scheme === 'bare' ? token : `${scheme} ${token}` };
}

function unmasked(masked: Masked, invented: ReadonlyMap<string, string | number>): unknown {
  if (typeof masked === 'string') {
    const parts = partsOf(masked);
    if (parts === undefined) return masked;
    if (parts.type === 'boolean') return true;
    return invented.get(parts.token);
  }
  if (Array.isArray(masked)) return masked.map((item: Masked) => unmasked(item, invented));
  if (masked === null || typeof masked !== 'object') return masked;
  return Object.fromEntries(Object.entries(masked).map(([name, inner]) => [name, unmasked(inner as Masked, invented)]));
}

/** Returns an invented value for each token of a request: of its type, unique, and in the order that the lists show. */
function inventValues(calls: readonly RecordedCall[]): Map<string, string | number> {
  const values = new Map<string, string | number>(vendorFailures(calls));
  for (const [rank, token] of longestOrder(calls).entries()) values.set(token, `R-${String(rank).padStart(6, '0')}`);
  const leaves = calls.flatMap(({ params, query, request }) => leavesOf([params, query, request ?? null]));
  const days = daysOfDates(calls, leaves);
  for (const masked of leaves) {
    const parts = partsOf(masked);
    if (parts === undefined || values.has(parts.token)) continue;
    values.set(parts.token, invent(parts, values.size + 1, days.get(parts.token)));
  }
  return values;
}

/** References that make the payment vendor of the sandbox fail, for the first ones that were refused so and never accepted. */
function vendorFailures(calls: readonly RecordedCall[]): [string, string][] {
  const byReference = new Map<string, (number | null)[]>();
  for (const { request, status } of calls) {
    const reference = isFields(request) ? partsOf(String(request['reference'])) : undefined;
    if (reference !== undefined)
      byReference.set(reference.token, [...(byReference.get(reference.token) ?? []), status]);
  }
  const persistent = [...byReference].find(([, statuses]) => statuses.every((status) => status === 400));
  const flaky = [...byReference].find(([, statuses]) => statuses[0] === 500);
  const failures = flaky?.[1].filter((status) => status === 500).length;
  return [
    ...(persistent === undefined ? [] : [[persistent[0], 'sbx-vendor-persistent'] as [string, string]]),
    ...(flaky === undefined ? [] : [[flaky[0], `sbx-vendor-flaky-${failures}`] as [string, string]]),
  ];
}

function invent(
  { type, token }: NonNullable<ReturnType<typeof partsOf>>,
  index: number,
  days = 20_000 + index,
): string | number {
  if (type === 'integer') return index;
  if (type === 'number') return index + 0.5;
  if (type === 'phone') return `+3312345${String(index).padStart(5, '0')}`;
  const instant = new Date(START - days * DAY).toISOString();
  if (type === 'date') return instant.slice(0, 10);
  if (type === 'datetime') return `${instant.slice(0, 19)}Z`;
  return `v-${token}`;
}

/** The account numbers of the longest list, in their order. */
function longestOrder(calls: readonly RecordedCall[]): string[] {
  const lists = calls.filter(({ order }) => order !== undefined && order.length > 0);
  const [longest] = lists.sort((one, other) => (other.order?.length ?? 0) - (one.order?.length ?? 0));
  const entries = (longest?.answer ?? []) as readonly { external_account_number?: string }[];
  const tokens = entries.map(({ external_account_number: masked = '' }, index) => ({
    token: partsOf(masked)?.token ?? '',
    rank: longest?.order?.[index] ?? 0,
  }));
  return tokens.sort((one, other) => one.rank - other.rank).map(({ token }) => token);
}

/**
 * What exists on the service: an import supplier, a team or an access token that was only refused does not. A supplier that is named in
 * no call with effects may exist.
 */
function existing(calls: readonly RecordedCall[]) {
  const used = { suppliers: new Set<string>(), teams: new Set<string>(), tokens: new Set<string>() };
  const accepted = { suppliers: new Set<string>(), teams: new Set<string>(), tokens: new Set<string>() };
  const refusable = new Set<string>();
  for (const { params, request, status, answer, token, operation } of calls) {
    const fields = { ...(params as object), ...(isFields(request) ? request : {}) } as Record<string, string>;
    const supplier = partsOf(String(fields['import_supplier'] ?? fields['import_supplier_code'] ?? ''))?.token;
    const team = partsOf(String(fields['operations_team_name'] ?? ''))?.token;
    const isQuery = operation.startsWith('imports.');
    // A list of an unknown supplier may be an empty list.
    const isEmpty = Array.isArray(answer) && answer.length === 0;
    const isDryRun = isDryRunSuccess(answer);
    const isAccepted = isDryRun || (status !== null && status < 300 && !isEmpty && answer !== undefined);
    if (supplier !== undefined && !isQuery) refusable.add(supplier);
    for (const [set, value, isProved] of [
      ['suppliers', supplier, isAccepted],
      ['teams', team, isAccepted],
      ['tokens', token, status !== null && status !== 401],
    ] as const) {
      if (value === undefined || value === '') continue;
      used[set].add(value);
      if (isProved) accepted[set].add(value);
    }
  }
  return {
    suppliers: [...used.suppliers].filter((token) => accepted.suppliers.has(token) || !refusable.has(token)),
    teams: [...accepted.teams],
    invalidTokens: new Set([...used.tokens].filter((token) => !accepted.tokens.has(token))),
  };
}

/** Names of fields that are masked, as `createMask` writes them. */
function unknownNamesIn(masked: Masked | undefined): string[] {
  if (typeof masked !== 'object' || masked === null) return [];
  return Object.entries(masked).flatMap(([name, inner]) => [
    ...(name.startsWith('field_') ? [name] : []),
    ...unknownNamesIn(inner as Masked),
  ]);
}

function accountTokens({ params, request }: RecordedCall): string[] {
  const fields = [params, request].filter(isFields).flatMap((each) => each['external_account_number'] ?? []);
  return fields.flatMap((masked) => (typeof masked === 'string' ? (partsOf(masked)?.token ?? []) : []));
}

function leavesOf(masked: Masked | readonly (Masked | null)[]): string[] {
  if (typeof masked === 'string') return [masked];
  if (typeof masked !== 'object' || masked === null) return [];
  return Object.values(masked).flatMap((inner: Masked) => leavesOf(inner));
}

function tokensOf(masked: readonly Masked[]): Set<string> {
  return new Set(leavesOf(masked).flatMap((leaf) => partsOf(leaf)?.token ?? []));
}

/** Replaces the tokens of values that the request does not have: only their types can be compared. */
function comparable(
  status: number,
  retryAfter: number | undefined,
  body: Masked | undefined,
  isKnown: (token: string) => boolean,
): string {
  const simple = (masked: Masked, field: string): unknown => {
    if (typeof masked === 'string') {
      const parts = partsOf(masked);
      // All booleans have one token.
      if (parts === undefined || parts.type === 'boolean') return parts?.type ?? masked;
      if (isKnown(parts.token) && !field.startsWith('service_')) return `=${parts.token}`;
      return parts.age === undefined ? parts.type : `${parts.type} ${Math.sign(parts.age)}`;
    }
    if (Array.isArray(masked)) return masked.map((item: Masked) => simple(item, field));
    if (masked === null || typeof masked !== 'object') return masked;
    const sorted = Object.entries(masked).sort(([one], [other]) => (one < other ? -1 : 1));
    // The name of an undocumented field is another one in each recording.
    const shown = (name: string) => (name.startsWith('field_') ? 'field' : name);
    return Object.fromEntries(sorted.map(([name, inner]) => [shown(name), simple(inner as Masked, name)]));
  };
  return JSON.stringify([status, retryAfter ?? null, body === undefined ? 'none' : simple(body, '')]);
}

const CODE = /"code":"([^"]*)"/g;

/** The codes in an answer, in their order. */
export function codesIn(answer: string): string[] {
  return [...answer.matchAll(CODE)].map(([, code = '']) => code);
}

/** The answer without its codes. */
export function withoutCodes(answer: string): string {
  return answer.replaceAll(CODE, '"code":""');
}
