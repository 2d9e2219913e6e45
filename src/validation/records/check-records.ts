/** Checking a whole book: every payload by itself, and what only shows when all of them are seen together. */
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../../schemas/payloads/business.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../../schemas/payloads/populate.js';
import type { Transaction } from '../../../schemas/payloads/transaction.js';
import { type Finding, fieldMeant, unknownField } from '../findings.js';
import { fieldOf, isObject } from '../objects.js';
import { select } from '../path-patterns.js';
import type { PayloadName } from '../payload-schemas.js';
import { checkPayload, type ValidateOptions } from '../validate.js';
import { isDocumentPath } from '../warnings/document-path.js';

/** A business of a book. */
export interface BusinessRecord {
  /** The payload of `businesses.create`. */
  business: BusinessPayload;
  /** For `businesses.createPaymentInstruction`, one request each; the business says already whose they are. */
  payment_instructions?:
    | readonly Omit<BusinessPaymentInstruction, 'import_supplier_code' | 'external_business_identifier'>[]
    | undefined;
}

/** An account of a book, with what is added to it after its import. */
export interface AccountRecord {
  /** The payload of `accounts.stage`. */
  account: Account;
  /** For `notes.create`. */
  notes?: readonly Note[] | undefined;
  /** For `transactions.create`. */
  transactions?: readonly Transaction[] | undefined;
  /** For `historicalStatements.create`. */
  statements?: readonly HistoricalStatement[] | undefined;
  /** For `paymentInstructions.create`; the account says already whose it is. */
  payment_instruction?: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'> | undefined;
  /** In place of `payment_instruction`, where there may be several: one request each. */
  payment_instructions?: readonly Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'>[] | undefined;
}

/** Supply points of a book that are to be looked up before anything else is sent. */
export interface PopulateRecord {
  /** The payload of `supplyPoints.populate`. */
  populate: PopulatePayload;
}

/** A record of a book: told apart by `business`, `account` and `populate`. */
export type ImportRecord = BusinessRecord | AccountRecord | PopulateRecord;

/** A finding in a book. `attr` begins with the part of the record: `account.customers.0.landline`, `notes.0.body`. */
export interface RecordFinding extends Finding {
  /** Which record, counted from 0. */
  record: number;
  /** The earlier record that has the same key. */
  collidesWith?: number;
  /** Of `further_findings`: how many of the record are not listed. */
  count?: number;
}

/** Of `checkRecords(records, options)`. */
export interface CheckRecordsOptions extends ValidateOptions {
  /**
   * Whether the object behind a document path exists.
   * @default not asked; only the form of a path is looked at
   */
  documentExists?: ((path: string) => boolean | Promise<boolean>) | undefined;
}

/** A key that no two records of a book may share. */
interface UniqueKey {
  /** The kind of record that has it. */
  part: 'business' | 'account';
  code: string;
  detail: string;
  severity: Finding['severity'];
  /** Where the objects that have it are. */
  at: string;
  /** Its field. */
  field: string;
  /** What tells keys apart that have the same text. */
  scope: (holder: unknown) => string;
}

const UNIQUE: readonly UniqueKey[] = [
  {
    part: 'business',
    code: 'duplicate_business',
    detail: 'An earlier business has the same identifier: only one of the two is sent.',
    severity: 'error',
    at: '',
    field: 'external_business_identifier',
    scope: supplierOf,
  },
  {
    part: 'account',
    code: 'duplicate_account',
    detail: 'An earlier account has the same number: staging this one would replace it.',
    severity: 'error',
    at: '',
    field: 'external_account_number',
    scope: supplierOf,
  },
  {
    part: 'account',
    code: 'duplicate_supply_point',
    detail: 'An earlier record, or this one, names the same supply point.',
    severity: 'warning',
    at: 'supply_addresses.*.supply_points.*',
    field: 'identifier',
    scope: (point) => texts(point, 'supply_type')[0] ?? '',
  },
];

/** What is added to an account after its import, each a list in the payload of its own operation. */
const LISTS: Readonly<Record<string, PayloadName>> = {
  notes: 'NotesPayload',
  transactions: 'TransactionsPayload',
  statements: 'HistoricalStatementsPayload',
};

const PARTS_OF_POPULATE = new Set(['populate']);
const PARTS_OF_BUSINESS = new Set(['business', 'payment_instructions']);
const PARTS_OF_ACCOUNT = new Set(['account', 'payment_instruction', 'payment_instructions', ...Object.keys(LISTS)]);

/** What the account itself says, and a record does not repeat. */
const IDS = { import_supplier: 'account', external_account_number: 'account' };
/** The same of a business. */
const IDS_OF_BUSINESS = { import_supplier_code: 'business', external_business_identifier: 'business' };

const DOCUMENT_PATHS = [
  'account.statements.*.statement_path',
  'account.notes.*.document_paths.*.document_path',
  'notes.*.document_paths.*.document_path',
  'statements.*.statement_path',
];

/**
 * Reads a book once and yields its findings: those of `validateBusiness` and `validateAccount`, and of what is added
 * after the import; accounts and supply points that are there twice; documents that do not exist; and, at the end,
 * because businesses may come late, accounts whose contract no business of the book declares. Keeps the keys of the
 * records in memory, not the records.
 *
 * @example
 * for await (const { record, attr, code } of checkRecords(records)) console.log(record, attr, code);
 */
export async function* checkRecords(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  options: CheckRecordsOptions = {},
): AsyncGenerator<RecordFinding, void, undefined> {
  const { warnings: hasWarnings = true } = options;
  const keys = UNIQUE.filter(({ severity }) => severity === 'error' || hasWarnings);
  const seen = keys.map((key) => ({ key, records: new Map<string, number>() }));
  const lookups = new Map<string, number>();
  const declared = new Set<string>();
  const wanted: { record: number; contract: string }[] = [];
  let record = -1;
  for await (const entry of records) {
    record++;
    const { business, account, populate } = partsOf(entry);
    yield* recordFindings(entry, record, options);
    for (const { key, records: earlier } of seen) {
      const payload = key.part === 'business' ? business : business === undefined ? account : undefined;
      if (payload !== undefined) yield* repeated(key, earlier, payload, record);
    }
    if (business !== undefined) {
      for (const contract of texts(business, 'business.business_contracts.*.identifier')) {
        declared.add(contractKey(supplierOf(business), contract));
      }
    } else if (account !== undefined) {
      for (const contract of texts(account, 'business.business_contract_identifier')) {
        wanted.push({ record, contract: contractKey(supplierOf(account), contract) });
      }
      yield* missingDocuments(entry, record, options);
    } else if (isObject(populate)) {
      yield* repeatedLookup(populate, lookups, record);
    }
  }
  for (const { record: index, contract } of wanted) {
    if (declared.has(contract) || !hasWarnings) continue;
    yield {
      record: index,
      attr: 'account.business.business_contract_identifier',
      code: 'contract_not_in_book',
      detail: 'No business of the book declares a contract with this identifier; it must exist before the account.',
      severity: 'warning',
    };
  }
}

/** Of the errors of one record, and of its advice, that are listed. */
export const MOST_OF_RECORD = 100;
/** Code of what stands for the findings that are not listed. */
export const FURTHER = 'further_findings';

/**
 * What one record shows by itself: its payload, and what is added to an account after its import. The first 100 errors and the
 * first 100 pieces of advice; one finding more says how many there are beside them.
 */
export function* recordFindings(entry: unknown, record: number, options: ValidateOptions): Generator<RecordFinding> {
  const listed = { error: 0, warning: 0 };
  const omitted = { error: 0, warning: 0 };
  const left = (severity: Finding['severity']) => Math.max(0, MOST_OF_RECORD - listed[severity]);
  const most = () => Math.max(left('error'), options.warnings === false ? 0 : left('warning'));
  for (const finding of everyFinding(entry, record, { ...options, most })) {
    const { severity, count = 1 } = finding;
    if (finding.code !== FURTHER && listed[severity]++ < MOST_OF_RECORD) yield finding;
    else omitted[severity] += count;
  }
  yield* inPart('', record, furtherFinding('error', omitted.error));
  yield* inPart('', record, furtherFinding('warning', omitted.warning));
}

interface RecordOptions extends ValidateOptions {
  /** How many findings may still be listed; the others are only counted. */
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

function findingsOf(name: PayloadName, payload: unknown, options: RecordOptions): PartFinding[] {
  const { errors, warnings } = checkPayload(name, payload, options, options.most());
  return [
    ...errors.findings,
    ...counted('error', errors.total - errors.findings.length),
    ...warnings.findings,
    ...counted('warning', warnings.total - warnings.findings.length),
  ];
}

/** Findings that are counted and not listed. There may be one for each of thousands of items: their text comes at the end. */
function counted(severity: Finding['severity'], count: number): PartFinding[] {
  return count === 0 ? [] : [{ detail: '', code: FURTHER, attr: '', severity, count }];
}

function furtherFinding(severity: Finding['severity'], count: number): PartFinding[] {
  const detail = `${count.toLocaleString('en')} further findings of this record are not listed.`;
  return counted(severity, count).map((finding) => ({ ...finding, detail }));
}

function partsOf(entry: unknown): { business?: unknown; account?: unknown } & Record<string, unknown> {
  return isObject(entry) ? entry : {};
}

function inPart(part: string, record: number, findings: readonly PartFinding[]): RecordFinding[] {
  return findings.map((finding) => ({ ...finding, record, attr: [part, finding.attr].filter(Boolean).join('.') }));
}

/** The fields that identify a record. */
const KEY_FIELDS = {
  business: ['import_supplier_code', 'external_business_identifier'],
  account: ['import_supplier', 'external_account_number'],
} as const;

/** Fields that identify a record, as `attr` has them. */
export const KEY_ATTRS: ReadonlySet<string> = new Set(
  Object.entries(KEY_FIELDS).flatMap(([part, fields]) => fields.map((field) => `${part}.${field}`)),
);

/** Percent-encoded, servers and proxies refuse these or take them for a separator: the account could never be looked up. */
const NOT_IN_PATH = /[/\\\p{Cc}]/u;

/** In a single payload an empty identifier is advice; a record that has one cannot be imported, so it is an error. */
function withKey(
  part: keyof typeof KEY_FIELDS,
  payload: unknown,
  record: number,
  findings: readonly PartFinding[],
): RecordFinding[] {
  const unusable = KEY_FIELDS[part].flatMap((field): Finding[] => {
    const value = fieldOf(payload, field);
    if (value === '') {
      const detail = 'Empty: it identifies the record. Expected a code or number.';
      return [{ detail, code: 'identifier_empty', attr: field, severity: 'error' }];
    }
    const isInPath = part === 'account' && typeof value === 'string';
    if (value !== '.' && value !== '..' && !(isInPath && NOT_IN_PATH.test(value))) return [];
    const detail =
      'Expected a code or number that a status query can have in its path: not "." or "..", and without "/", "\\" and control characters.';
    return [{ detail, code: 'invalid', attr: field, severity: 'error' }];
  });
  if (unusable.length === 0) return inPart(part, record, findings);
  const isReplaced = ({ code, attr }: Finding) =>
    code === 'identifier_empty' && unusable.some((error) => error.attr === attr);
  return inPart(part, record, [...unusable, ...findings.filter((finding) => !isReplaced(finding))]);
}

function* unknownParts(entry: unknown, record: number, known: ReadonlySet<string>): Generator<RecordFinding> {
  const parts = partsOf(entry);
  const detail = `Not a part of this record, which may have ${[...known].join(', ')}.`;
  let found = 0;
  for (const part in parts) {
    if (parts[part] === undefined || known.has(part) || found++ >= MOST_OF_RECORD) continue;
    yield { ...unknownField(part, detail, fieldMeant(part, [...known], entry)), record, severity: 'error' };
  }
  yield* inPart('', record, counted('error', Math.max(0, found - MOST_OF_RECORD)));
}

function* addedFindings(
  added: Record<string, unknown>,
  record: number,
  options: RecordOptions,
): Generator<RecordFinding> {
  const { payment_instruction: instruction, payment_instructions: instructions } = added;
  for (const [part, name] of Object.entries(LISTS)) {
    if (added[part] === undefined) continue;
    const findings = findingsOf(name, { ...IDS, [part]: added[part] }, options);
    // Of an empty list nothing is sent.
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

/** Whose payment instructions they are: the payload of a request, and what of it the record says already. */
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
    if (typeof vendor !== 'string' || typeof reference !== 'string') continue;
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

/** They stand for those of the account, which were looked at there. */
function notOfIds({ attr }: Finding): boolean {
  return !Object.hasOwn(IDS, attr);
}

function* repeated(
  { part, at, field, scope, code, detail, severity }: UniqueKey,
  seen: Map<string, number>,
  payload: unknown,
  record: number,
): Generator<RecordFinding> {
  for (const holder of select(payload, at)) {
    for (const { attr, value } of select(holder.value, field)) {
      if (typeof value !== 'string' || value === '') continue;
      const key = `${scope(holder.value)}\n${value}`;
      const collidesWith = seen.get(key);
      if (collidesWith === undefined) seen.set(key, record);
      else if (collidesWith !== record) {
        yield {
          record,
          attr: [part, holder.attr, attr].filter(Boolean).join('.'),
          code,
          detail,
          severity,
          collidesWith,
        };
      }
    }
  }
}

function* repeatedLookup(
  { prm_ids, pce_ids, customer_category }: Record<string, unknown>,
  seen: Map<string, number>,
  record: number,
): Generator<RecordFinding> {
  const key = JSON.stringify([prm_ids, pce_ids, customer_category]);
  const collidesWith = seen.get(key);
  if (collidesWith === undefined) {
    seen.set(key, record);
    return;
  }
  const detail = 'An earlier record has the same supply points: only one of the two is sent.';
  yield { record, attr: 'populate', code: 'duplicate_populate', detail, severity: 'error', collidesWith };
}

/** Documents behind paths that could resolve; those that cannot are advice on the payload. */
async function* missingDocuments(
  entry: unknown,
  record: number,
  { documentExists }: CheckRecordsOptions,
): AsyncGenerator<RecordFinding> {
  if (documentExists === undefined) return;
  for (const { attr, value } of DOCUMENT_PATHS.flatMap((pattern) => select(entry, pattern))) {
    if (typeof value !== 'string' || !isDocumentPath(value) || (await documentExists(value))) continue;
    const detail = 'There is no document at this path.';
    yield { record, attr, code: 'document_not_found', detail, severity: 'warning' };
  }
}

function texts(payload: unknown, pattern: string): string[] {
  return select(payload, pattern).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

function supplierOf(payload: unknown): string {
  return texts(payload, 'import_supplier')[0] ?? texts(payload, 'import_supplier_code')[0] ?? '';
}

function contractKey(supplier: string, identifier: string): string {
  return `${supplier}\n${identifier}`;
}
