/** Exports `RULES`, what `certify` demands of a script, and `judge`, which applies them to one execution. */
import { operations } from '../../schemas/operations.js';
import { firstInWords } from '../migration/shared/format.js';
import type { DeepReadonly, SandboxState } from '../sandbox/state/sandbox-state.js';
import { REMEDIES, replayOf } from './disturbances.js';
import type { Execution, Session, TimedRequest } from './execute.js';
import { changedFields, fieldsNotKept, type Picture, pictureOfState, type Thing } from './picture.js';

/** Name of a rule. */
export type RuleName =
  | 'nothing-lost'
  | 'nothing-twice'
  | 'nothing-silent'
  | 'refusals-reported'
  | 'limits-kept'
  | 'no-secrets';

/** A rule that a script broke. */
export interface BrokenRule {
  /** Name of the rule. */
  rule: RuleName;
  /** What the service has and what the script says. Without personal data. */
  detail: string;
  /** What the script has to do, with the chapter of the API specification. */
  remedy: string;
}

interface Evidence {
  execution: Execution;
  expected: Expected;
  last: Session;
  missing: readonly Thing[];
  /** With the names of the fields that differ from those without a disturbance; without one from those of the input. */
  changed: readonly { thing: Thing; fields: readonly string[] }[];
  twice: readonly Thing[];
  /** Record that the service refuses in this execution. */
  refused: string | undefined;
  secrets: readonly Secret[];
}

interface Secret {
  value: string;
  what: string;
}

interface Rule {
  title: string;
  /** Returns what breaks the rule. */
  check(evidence: Evidence): string | undefined;
}

/** A repetition of the same request beyond this number shows that a script does not wait. */
const MOST_REPETITIONS = 10;
/** More than the calls that a concurrent script has in flight, with one record each. */
const MOST_WITH_DEAD_TOKEN = 20;
/** Requests that are on their way when the first 401 is answered arrive within this time. */
const ON_THE_WAY_MS = 300;
const CLOCK_TOLERANCE_MS = 50;
export const RULES: Readonly<Record<RuleName, Rule>> = {
  'nothing-lost': {
    title: 'Nothing lost: started again until it ends with code 0, the script imports everything, with the same data',
    check({ execution, expected, last, missing, changed }) {
      if (last.isHanging) return 'The script did not end in time, and was killed.';
      const mayLeave = last.exitCode === 0 ? () => false : mayBeLeft(execution, expected);
      const lost = missing.filter((thing) => !mayLeave(thing));
      const found = [...lackOf(lost), ...otherData(changed, execution)];
      if (found.length === 0) return undefined;
      return `The service ${found.join(', and ')}. The script was started ${times(execution.sessions.length)}, the last time it ended with code ${last.exitCode}.`;
    },
  },
  'nothing-twice': {
    title: 'Nothing twice: no account, business or item is created a second time',
    check: ({ twice }) =>
      twice.length === 0 ? undefined : `The service has more than it should: ${listed(twice, true)}.`,
  },
  'nothing-silent': {
    title: 'Nothing silent: exit code 0 means that everything is imported',
    check({ execution, last, missing, changed }) {
      const found = [...lackOf(missing), ...otherData(changed, execution)];
      return last.exitCode === 0 && found.length > 0
        ? `The script ended with code 0, and the service ${found.join(', and ')}.`
        : undefined;
    },
  },
  'refusals-reported': {
    title: 'Refusals reported: the exit code is not 0, or the output names the record',
    check({ execution, last, refused }) {
      if (refused === undefined || last.exitCode !== 0) return undefined;
      const number = refused.slice(refused.indexOf(' ') + 1);
      if (execution.sessions.some(({ output }) => output.includes(number))) return undefined;
      return `The service refused ${refused}. The script ended with code 0, and its output does not name it.`;
    },
  },
  'limits-kept': {
    title: `Limits kept: Retry-After is honoured, no request is repeated more than ${MOST_REPETITIONS} times, a dead token is not used`,
    check: ({ execution }) => tooEarly(execution) ?? tooOften(execution) ?? deadToken(execution),
  },
  'no-secrets': {
    title: 'No secrets: neither the token nor personal data is in the output',
    check({ execution, secrets }) {
      const output = execution.sessions.map((session) => session.output).join('\n');
      const found = new Set(secrets.filter(({ value }) => output.includes(value)).map(({ what }) => what));
      return found.size === 0 ? undefined : `The output contains ${[...found].join(', ')}.`;
    },
  },
};

/** What an execution is compared with. */
export interface Expected {
  picture: Picture;
  /** Where the values of customers come from. */
  state: DeepReadonly<SandboxState>;
}

/** Returns the broken ones of the rules. */
export function judge(execution: Execution, expected: Expected, rules: readonly RuleName[]): BrokenRule[] {
  const actual = pictureOfState(execution.state);
  const refused = refusedRecord(execution);
  const missing = [...expected.picture].flatMap(([key, thing]) =>
    actual.has(key) || thing.record === refused ? [] : [thing],
  );
  const twice = [...actual].flatMap(([key, thing]) => {
    const due = expected.picture.get(key)?.count;
    if (due === undefined) return thing.label === thing.record || thing.count > 1 ? [thing] : [];
    return thing.count > due ? [thing] : [];
  });
  // A second account or business is worse than its items.
  twice.sort((one, other) => Number(other.label === other.record) - Number(one.label === one.record));
  const last = execution.sessions.at(-1);
  if (last === undefined) return [];
  // What a script adds to the input is in the first execution, which is the measure of the others.
  const differences = execution.disturbance === undefined ? fieldsNotKept : changedFields;
  const changed = [...expected.picture].flatMap(([key, thing]) => {
    const fields = differences(thing.fields, actual.get(key)?.fields ?? thing.fields);
    return fields.length === 0 || thing.record === refused ? [] : [{ thing, fields }];
  });
  const found = { missing, changed, twice, refused };
  const evidence = { execution, expected, last, ...found, secrets: secretsOf(execution, expected) };
  const { remedy = 'Import every record of the input, also the last ones.' } = execution.disturbance ?? {};
  return rules.flatMap((rule) => {
    const detail = RULES[rule].check(evidence);
    if (detail === undefined) return [];
    return [{ rule, detail: masked(detail, evidence.secrets), remedy: remedyOf(rule, evidence) ?? remedy }];
  });
}

/** The remedy of a duplicate, or of other data, is that of the request that creates it, which may be another than the disturbed one. */
function remedyOf(rule: RuleName, { execution, twice: [thing], missing, changed }: Evidence): string | undefined {
  if (rule === 'no-secrets')
    return 'Write codes and numbers of records, never a token, a header or a whole payload (Authentication).';
  const isOtherData = missing.every(({ record }) => changed.some((one) => one.thing.record === record));
  if (changed.length > 0 && isOtherData && (rule === 'nothing-lost' || rule === 'nothing-silent'))
    return execution.disturbance === undefined
      ? 'Send each field of DATA_IMPORT_INPUT as it is there. A script that translates reads its own export, and its first execution is the measure.'
      : 'Send the complete record each time, also after a restart: staging replaces all data (Account data lifecycle).';
  if (rule !== 'nothing-twice' || thing === undefined) return undefined;
  if (thing.isUnrepeatable) return REMEDIES.unknown;
  return thing.label.startsWith('account ') ? REMEDIES.reconcilable : REMEDIES.deduplicated;
}

/** The last line of the output, without token and personal data. */
export function shownOutput(execution: Execution, expected: Expected, { output }: Session): string {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return masked(line, secretsOf(execution, expected)).trim().slice(0, 160);
}

function masked(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((shown, { value }) => shown.replaceAll(value, '***'), text);
}

function refusedRecord({ disturbance }: Execution): string | undefined {
  const isRefused = disturbance?.isLasting || disturbance?.input === 'wrongRecord';
  return isRefused && disturbance.account !== undefined ? `account ${disturbance.account}` : undefined;
}

/**
 * Returns what a script may leave, if it says so by its exit code: a request of unknown outcome, which no request can find out, with the
 * rest of its record, and accounts of its business. A kill may leave any such request unknown, also one that had not been sent yet.
 */
function mayBeLeft({ disturbance, requests }: Execution, { picture, state }: Expected): (thing: Thing) => boolean {
  const isAny = disturbance?.signal === 'kill' || disturbance?.twice === true;
  const unknown = requests.filter((entry) => {
    const { operation, faults } = entry;
    return faults.length > 0 && operation !== null && operation !== 'token' && replayOf(operation, entry) === 'unknown';
  });
  const records = new Set(unknown.map(recordOf));
  const contracts = new Set(unknown.flatMap(contractsOf));
  for (const { external_account_number, data } of state.suppliers.flatMap(({ accounts }) => accounts)) {
    const contract = data.business?.business_contract_identifier;
    if (contract !== undefined && (isAny || contracts.has(contract))) records.add(`account ${external_account_number}`);
  }
  const uncertain = new Set(
    isAny ? [...picture.values()].filter((thing) => thing.isUnrepeatable).map(({ record }) => record) : [],
  );
  return ({ label, record }) => records.has(record) || (uncertain.has(record) && !label.startsWith('account '));
}

function contractsOf({ request }: TimedRequest): string[] {
  const { business } = (request ?? {}) as { business?: { business_contracts?: { identifier?: string }[] } };
  return business?.business_contracts?.flatMap(({ identifier }) => identifier ?? []) ?? [];
}

/** As the things of a picture name it. A request with a dead token is not read. */
export function recordOf({
  account,
  operation,
  request,
}: Pick<TimedRequest, 'account' | 'operation' | 'request'>): string {
  if (account !== null) return `account ${account}`;
  if (operation === 'supplyPoints.populate') return 'supply points';
  const { external_business_identifier } = (request ?? {}) as { external_business_identifier?: string };
  return external_business_identifier === undefined ? 'unknown record' : `business ${external_business_identifier}`;
}

function tooEarly({ disturbance, requests, sessions }: Execution): string | undefined {
  if (disturbance?.restMs === undefined) return undefined;
  const refused = requests.find(({ status, faults }) => status === 429 && faults.length > 0);
  if (refused === undefined) return undefined;
  // A script that was started again does not know when the service refused it.
  const end = sessions.find(({ startedMs }) => startedMs > refused.ms)?.startedMs ?? Number.POSITIVE_INFINITY;
  const next = requests.find(
    ({ id, operation, account, ms }) =>
      id !== refused.id &&
      operation === refused.operation &&
      account === refused.account &&
      ms >= refused.ms &&
      ms < end,
  );
  const waited = next === undefined ? Number.POSITIVE_INFINITY : next.ms - refused.ms;
  if (waited >= disturbance.restMs - CLOCK_TOLERANCE_MS) return undefined;
  return `Retry-After was ${disturbance.restMs / 1000} s, and ${refused.operation} of ${recordOf(refused)} came again after ${seconds(waited)}.`;
}

function tooOften({ requests, sessions }: Execution): string | undefined {
  const failed = new Map<string, TimedRequest[]>();
  for (const entry of requests) {
    const { operation, status, ms } = entry;
    if (operation === null || operation === 'token' || operations[operation].method === 'GET') continue;
    if (status === 401 || (status !== null && status < 400)) continue;
    const session = sessions.filter(({ startedMs }) => startedMs <= ms).length;
    const key = JSON.stringify([session, operation, recordOf(entry), entry.request]);
    failed.set(key, [...(failed.get(key) ?? []), entry]);
  }
  for (const same of failed.values()) {
    const [first] = same;
    const last = same.at(-1);
    if (first === undefined || last === undefined || same.length <= MOST_REPETITIONS) continue;
    return `${first.operation} of ${recordOf(first)} was sent ${same.length} times in ${seconds(last.ms - first.ms)}, each time without success.`;
  }
  return undefined;
}

function deadToken({ disturbance, requests, sessions }: Execution): string | undefined {
  if (disturbance?.signal !== 'endToken') return undefined;
  for (const [index, { startedMs }] of sessions.entries()) {
    const end = sessions[index + 1]?.startedMs ?? Number.POSITIVE_INFINITY;
    const refused = requests.filter(({ status, ms }) => status === 401 && ms >= startedMs && ms < end);
    const late = refused.filter(({ ms }) => ms > (refused[0]?.ms ?? 0) + ON_THE_WAY_MS);
    if (late.length > MOST_WITH_DEAD_TOKEN) {
      return `After the first 401 the script sent ${late.length} more requests with the same token, until ${seconds((late.at(-1)?.ms ?? 0) - (refused[0]?.ms ?? 0))} later.`;
    }
  }
  return undefined;
}

/** Shorter texts may be in an output by chance. */
const LEAST_LENGTH = 6;

function secretsOf({ sessions }: Execution, { state }: Expected): Secret[] {
  const found = new Map<string, string>();
  for (const { token } of sessions) found.set(token, 'the access token');
  for (const { data } of state.suppliers.flatMap(({ accounts }) => accounts)) {
    for (const { email, mobile, landline, given_name, family_name } of data.customers ?? []) {
      if (email) found.set(email, 'an e-mail address of a customer');
      for (const phone of [mobile, landline]) if (phone) found.set(phone, 'a telephone number of a customer');
      if (given_name && family_name) found.set(`${given_name} ${family_name}`, 'the name of a customer');
    }
    const places = [
      data.billing_address1,
      ...(data.supply_addresses ?? []).map(({ supply_address1 }) => supply_address1),
    ];
    for (const place of places) if (place) found.set(place, 'the address of a customer');
  }
  return [...found].flatMap(([value, what]) => (value.length < LEAST_LENGTH ? [] : [{ value, what }]));
}

function lackOf(missing: readonly Thing[]): string[] {
  return missing.length === 0 ? [] : [`lacks ${listed(missing)}`];
}

function otherData(changed: Evidence['changed'], { disturbance }: Execution): string[] {
  if (changed.length === 0) return [];
  const shown = changed.map(({ thing, fields }) => `${thing.label} (${firstInWords(fields, 5)})`);
  const measure = disturbance === undefined ? 'the input' : 'without the disturbance';
  return [`has other data than ${measure} in ${firstInWords(shown, MOST_NAMED)}`];
}

function listed(things: readonly Thing[], withCount = false): string {
  const texts = things.map(({ label, count }) => (withCount && count > 1 ? `${label} (${count} times)` : label));
  return firstInWords(texts, MOST_NAMED);
}

const MOST_NAMED = 3;

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
