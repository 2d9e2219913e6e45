/** Exports `recordFindings`: all findings of one record by itself. */
import { fieldOf, isObject } from '../../../schemas/objects.js';
import { type Finding, similarField, unknownField } from '../findings.js';
import type { PayloadName } from '../payload-schemas.js';
import { SCIENTIFIC_NOTATION } from '../profile.js';
import { checkPayload, type ValidateOptions } from '../validate.js';
import { isBlank, isScientificNotation, ROUNDED_IDENTIFIER } from '../warnings/value-forms.js';

/** A finding in an input. `attr` begins with the part of the record: `account.customers.0.landline`, `notes.0.body`. */
export interface RecordFinding extends Finding {
  /** Index of the record, from 0. */
  record: number;
  /** Index of the earlier record with the same key. */
  collidesWith?: number;
  /** Number of values, if the finding is about several; for `further_findings`: of findings that are not listed. */
  count?: number;
  /** For a finding about several records: the next ones, at most two. */
  others?: { record: number; attr: string }[];
}

/** Item lists of an account, with the payload type of their operation. */
const LISTS: readonly (readonly [part: string, name: PayloadName])[] = [
  ['notes', 'NotesPayload'],
  ['transactions', 'TransactionsPayload'],
  ['statements', 'HistoricalStatementsPayload'],
];

const PARTS_OF_POPULATE = new Set(['populate']);
const PARTS_OF_BUSINESS = new Set(['business', 'payment_instructions']);
const PARTS_OF_ACCOUNT = new Set([
  'account',
  'payment_instruction',
  'payment_instructions',
  ...LISTS.map(([part]) => part),
]);

/** Identifiers of the account, which its items do not repeat. */
const IDS = { import_supplier: 'account', external_account_number: 'account' };
/** Identifiers of the business. */
const IDS_OF_BUSINESS = { import_supplier_code: 'business', external_business_identifier: 'business' };

/** Maximum number of listed errors of one record, and of listed warnings. */
export const MOST_OF_RECORD = 100;
/** Code of the finding that counts the findings that are not listed. */
export const FURTHER = 'further_findings';

/**
 * Yields the findings of one record: of its payload and of its items. It lists the first 100 errors and the first 100
 * warnings; one more finding each counts the others.
 */
export function* recordFindings(entry: unknown, record: number, options: ValidateOptions): Generator<RecordFinding> {
  const listed = { error: 0, warning: 0 };
  const omitted = { error: 0, warning: 0 };
  const left = (severity: Finding['severity']) => Math.max(0, MOST_OF_RECORD - listed[severity]);
  const most = () => Math.max(left('error'), options.warnings === false ? 0 : left('warning'));
  for (const finding of everyFinding(entry, record, { most, ...options })) {
    const { severity, count = 1 } = finding;
    if (finding.code !== FURTHER && listed[severity]++ < MOST_OF_RECORD) yield finding;
    else omitted[severity] += count;
  }
  yield* inPart('', record, furtherFinding('error', omitted.error));
  yield* inPart('', record, furtherFinding('warning', omitted.warning));
}

/**
 * Returns the warnings of one record, without the time of looking for its errors. For a record with errors they may be fewer than those of
 * `recordFindings`.
 */
export function recordWarnings(entry: unknown, profile: ValidateOptions['profile']): RecordFinding[] {
  const found = everyFinding(entry, 0, { most: () => MOST_OF_RECORD, profile, isWarningsOnly: true });
  return [...found].filter(({ severity }) => severity === 'warning').slice(0, MOST_OF_RECORD);
}

interface RecordOptions extends ValidateOptions {
  isWarningsOnly?: boolean;
  /** Number of findings that may still be listed; the others are only counted. */
  most: () => number;
}

function* everyFinding(entry: unknown, record: number, options: RecordOptions): Generator<RecordFinding> {
  const added = partsOf(entry);
  const { business, account } = added;
  if (business !== undefined) {
    yield* unknownParts(entry, record, PARTS_OF_BUSINESS);
    yield* withKey('business', business, record, findingsOf('BusinessPayload', business, options));
    yield* instructionFindings(added['payment_instructions'], OF_BUSINESS, record, options);
  } else if (account !== undefined) {
    yield* unknownParts(entry, record, PARTS_OF_ACCOUNT);
    yield* withKey('account', account, record, findingsOf('Account', account, options));
    yield* addedFindings(added, record, options);
  } else if (added['populate'] !== undefined) {
    yield* unknownParts(entry, record, PARTS_OF_POPULATE);
    yield* inPart('populate', record, findingsOf('PopulatePayload', added['populate'], options));
  } else {
    const detail = 'Expected an object with `business`, `account` or `populate`.';
    yield { record, attr: '', code: 'invalid_type', detail, severity: 'error' };
  }
}

type PartFinding = Finding & Pick<RecordFinding, 'count'>;

/** Most payloads have no finding, and all records of a run are checked. */
const NONE: readonly PartFinding[] = [];

function findingsOf(name: PayloadName, payload: unknown, options: RecordOptions): readonly PartFinding[] {
  const { errors, warnings } = checkPayload(name, payload, options, options.most());
  if (errors.total + warnings.total === 0) return NONE;
  return [
    ...errors.findings,
    ...counted('error', errors.total - errors.findings.length),
    ...warnings.findings,
    ...counted('warning', warnings.total - warnings.findings.length),
  ];
}

/** Returns a finding that counts others. It has no text yet, because there may be thousands. */
function counted(severity: Finding['severity'], count: number): PartFinding[] {
  return count === 0 ? [] : [{ detail: '', code: FURTHER, attr: '', severity, count }];
}

function furtherFinding(severity: Finding['severity'], count: number): PartFinding[] {
  if (count === 0) return [];
  const detail = `${count.toLocaleString('en')} further findings of this record are not listed.`;
  return counted(severity, count).map((finding) => ({ ...finding, detail }));
}

/** Returns the parts of a record; an empty object if the value is no object. */
export function partsOf(entry: unknown): { business?: unknown; account?: unknown } & Record<string, unknown> {
  return isObject(entry) ? entry : {};
}

function inPart(part: string, record: number, findings: readonly PartFinding[]): RecordFinding[] {
  return findings.map((finding) => ({ ...finding, record, attr: [part, finding.attr].filter(Boolean).join('.') }));
}

/** Fields that identify a record. */
const KEY_FIELDS = {
  business: ['import_supplier_code', 'external_business_identifier'],
  account: ['import_supplier', 'external_account_number'],
} as const;

/** Fields that identify a record, in the form of `attr`. */
export const KEY_ATTRS: ReadonlySet<string> = new Set(
  Object.entries(KEY_FIELDS).flatMap(([part, fields]) => fields.map((field) => `${part}.${field}`)),
);

/** Servers and proxies refuse these in a path, even percent-encoded, so a status query could not find the account. */
const NOT_IN_PATH = /[/\\\p{Cc}]/u;

/**
 * An empty identifier is a warning in a single payload, and a profile may allow rounded ones. A record with one cannot be imported, so it
 * is an error here.
 */
function withKey(
  part: keyof typeof KEY_FIELDS,
  payload: unknown,
  record: number,
  findings: readonly PartFinding[],
): RecordFinding[] {
  const invalidIds = KEY_FIELDS[part].flatMap((field): Finding[] => {
    const value = fieldOf(payload, field);
    if (typeof value === 'string' && isBlank(value)) {
      const detail = 'Empty: it identifies the record. Expected a code or number.';
      return [{ detail, code: 'identifier_empty', attr: field, severity: 'error' }];
    }
    if (typeof value === 'string' && isScientificNotation(value)) {
      return [{ detail: ROUNDED_IDENTIFIER, code: SCIENTIFIC_NOTATION, attr: field, severity: 'error' }];
    }
    const isInPath = part === 'account' && typeof value === 'string';
    if (value !== '.' && value !== '..' && !(isInPath && NOT_IN_PATH.test(value))) return [];
    const detail =
      'Expected a code or number that a status query can have in its path: not "." or "..", and without "/", "\\" and control characters.';
    return [{ detail, code: 'invalid', attr: field, severity: 'error' }];
  });
  if (invalidIds.length === 0) return inPart(part, record, findings);
  const isReplaced = ({ code, attr }: Finding) =>
    invalidIds.some((error) => error.attr === attr && error.code === code);
  return inPart(part, record, [...invalidIds, ...findings.filter((finding) => !isReplaced(finding))]);
}

function* unknownParts(entry: unknown, record: number, known: ReadonlySet<string>): Generator<RecordFinding> {
  const parts = partsOf(entry);
  let found = 0;
  for (const part in parts) {
    if (parts[part] === undefined || known.has(part) || found++ >= MOST_OF_RECORD) continue;
    const detail = `Not a part of this record, which may have ${[...known].join(', ')}.`;
    yield { ...unknownField(part, detail, similarField(part, [...known], entry)), record, severity: 'error' };
  }
  yield* inPart('', record, counted('error', Math.max(0, found - MOST_OF_RECORD)));
}

function* addedFindings(
  added: Record<string, unknown>,
  record: number,
  options: RecordOptions,
): Generator<RecordFinding> {
  const { payment_instruction: instruction, payment_instructions: instructions } = added;
  for (const [part, name] of LISTS) {
    if (added[part] === undefined) continue;
    const findings = findingsOf(name, { ...IDS, [part]: added[part] }, options);
    // An empty list is not sent.
    const isSent = !(Array.isArray(added[part]) && added[part].length === 0);
    yield* inPart(
      '',
      record,
      findings.filter((finding) => notOfIds(finding) && (isSent || finding.attr !== part)),
    );
  }
  if (instruction !== undefined && instructions !== undefined) {
    const detail =
      'The record has payment_instruction as well: put all payment instructions into payment_instructions.';
    yield { record, attr: 'payment_instructions', code: 'unknown_field', detail, severity: 'error' };
  }
  if (instruction !== undefined) {
    yield* oneInstruction(instruction, 'payment_instruction', OF_ACCOUNT, record, options);
  }
  yield* instructionFindings(instructions, OF_ACCOUNT, record, options);
}

/** Owner of payment instructions: the payload type, and the identifiers that the record already has. */
interface InstructionOwner {
  payload: PayloadName;
  ids: Readonly<Record<string, string>>;
  name: string;
}

const OF_ACCOUNT: InstructionOwner = { payload: 'PaymentInstruction', ids: IDS, name: 'account' };
const OF_BUSINESS: InstructionOwner = {
  payload: 'BusinessPaymentInstruction',
  ids: IDS_OF_BUSINESS,
  name: 'business',
};

function* instructionFindings(
  instructions: unknown,
  owner: InstructionOwner,
  record: number,
  options: RecordOptions,
): Generator<RecordFinding> {
  const attr = 'payment_instructions';
  if (instructions === undefined) return;
  if (!Array.isArray(instructions)) {
    yield { record, attr, code: 'invalid_type', detail: 'Expected a list of payment instructions.', severity: 'error' };
    return;
  }
  const met = new Map<string, number>();
  for (const [position, instruction] of instructions.entries()) {
    const place = `${attr}.${position}`;
    yield* oneInstruction(instruction, place, owner, record, options);
    const [vendor, reference] = [fieldOf(instruction, 'vendor'), fieldOf(instruction, 'reference')];
    if (typeof vendor !== 'string' || typeof reference !== 'string' || isScientificNotation(reference)) continue;
    const id = JSON.stringify([vendor, reference]);
    const earlier = met.get(id);
    if (earlier === undefined) {
      met.set(id, position);
      continue;
    }
    const detail = `The same vendor and reference as ${attr}.${earlier}: the instruction would be added twice. Keep one of the two.`;
    yield { record, attr: place, code: 'duplicate_payment_instruction', detail, severity: 'error' };
  }
}

function* oneInstruction(
  instruction: unknown,
  attr: string,
  { payload, ids, name }: InstructionOwner,
  record: number,
  options: RecordOptions,
): Generator<RecordFinding> {
  const complete = isObject(instruction) ? { ...instruction, ...ids } : instruction;
  const findings = findingsOf(payload, complete, options);
  const own = findings.filter((finding) => !Object.hasOwn(ids, finding.attr));
  yield* inPart(attr, record, own);
  const repeatedIds = Object.keys(ids).filter((id) => isObject(instruction) && instruction[id] !== undefined);
  for (const id of repeatedIds) {
    const detail = `The ${name} says this already; leave it out.`;
    yield { record, attr: `${attr}.${id}`, code: 'unknown_field', detail, severity: 'error' };
  }
}

/** Returns whether a finding does not concern an identifier; those were checked in the account. */
function notOfIds({ attr }: Finding): boolean {
  return !Object.hasOwn(IDS, attr);
}
