/** Exports `checkRecords`: the findings of all records of an input, including duplicates and missing contracts across records. */
import { fieldOf, isObject } from '../../../schemas/objects.js';
import { refuseUnknownOptions } from '../known-names.js';
import { expectKind } from '../option-kinds.js';
import { select } from '../path-patterns.js';
import { SCIENTIFIC_NOTATION } from '../profile.js';
import type { ValidateOptions } from '../validate.js';
import { isDocumentPath } from '../warnings/value-forms.js';
import { contentNumberOf } from './canonical-json.js';
import { ownValues, SHARED } from './own-values.js';
import { partsOf, type RecordFinding, recordFindings } from './record-findings.js';
import { createComparisons, supplierOf } from './warnings-between-records.js';

/** Options of `checkRecords`. */
export interface CheckRecordsOptions extends ValidateOptions {
  /**
   * Returns whether the document at a path exists.
   * @default none: only the form of a path is checked
   */
  documentExists?: ((path: string) => boolean | Promise<boolean>) | undefined;
}

/** Of two records with one number a run sends the first. Its codes for the other one are the same. */
export const SAME_CONTENT = {
  code: 'duplicate_record',
  detail: 'An earlier record has the same number and the same content: it is sent once, and nothing is missing.',
  severity: 'warning',
} as const;
export const OTHER_CONTENT = {
  code: 'contradicting_record',
  detail: 'An earlier record has the same number and other content: only the earlier one is sent.',
  severity: 'error',
} as const;
const SAME_POINT = {
  code: 'duplicate_supply_point',
  detail: 'An earlier record, or this one, names the same supply point.',
} as const;

const DOCUMENT_PATHS = [
  'account.statements.*.statement_path',
  'account.notes.*.document_paths.*.document_path',
  'notes.*.document_paths.*.document_path',
  'statements.*.statement_path',
];

/**
 * Reads the records once and yields their findings: those of `validateBusiness`, `validateAccount` and of items; duplicate
 * accounts, supply points and contracts; customers with two numbers that differ only in spelling; missing documents; and at the end,
 * because businesses may come late, accounts whose contract no business declares, and values that the other records make suspicious. Keeps the keys of the records in memory, not the records.
 *
 * @example
 * for await (const { record, attr, code } of checkRecords(records)) console.log(record, attr, code);
 */
export async function* checkRecords(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  options: CheckRecordsOptions = {},
): AsyncGenerator<RecordFinding, void, undefined> {
  expectKind('checkRecords', records, 'records');
  refuseUnknownOptions('checkRecords', options, ['profile', 'warnings', 'documentExists']);
  const { warnings: hasWarnings = true } = options;
  const numbers = new Map<string, number>();
  /** The first record with a value; the complement of its index if its number has only digits. */
  const owners = new Map<number, number>();
  /** The content of each record. */
  const contents: number[] = [];
  const lookups = new Map<string, number>();
  const declared = new Set<string>();
  const wanted: { record: number; contract: string }[] = [];
  const comparisons = createComparisons<number>();
  let record = -1;
  for await (const entry of records) {
    record++;
    const parts = partsOf(entry);
    const { business, account, populate } = parts;
    // Without a number it collides with no record.
    contents.push(business === undefined && account === undefined ? Number.NaN : contentNumberOf(entry));
    /** Identifiers without their digits say nothing about other records. */
    const rounded: string[] = [];
    for (const finding of recordFindings(entry, record, options)) {
      if (finding.code === SCIENTIFIC_NOTATION) rounded.push(finding.attr);
      yield finding;
    }
    if (hasWarnings) comparisons.add(parts, record);
    const isSame = (other: number) => contents[other] === contents[record];
    const { attr = '', key } = numberIn(parts);
    const first = key === undefined ? undefined : numbers.get(key);
    if (key !== undefined && first === undefined) numbers.set(key, record);
    if (first !== undefined && !rounded.includes(attr)) {
      if (!isSame(first)) yield { record, attr, ...OTHER_CONTENT, collidesWith: first };
      else if (hasWarnings) yield { record, attr, ...SAME_CONTENT, collidesWith: first };
    }
    const found = new Set<string>();
    for (const { what, key, attr, isDigits = false } of hasWarnings ? ownValues(parts) : []) {
      // A run sends only the first record with a number.
      if (first !== undefined && what !== 'supplyPoint') continue;
      const id = contentNumberOf(key);
      const known = owners.get(id);
      if (known === undefined) owners.set(id, isDigits ? ~record : record);
      if (known === undefined || (known < 0 && isDigits)) continue;
      const collidesWith = known < 0 ? ~known : known;
      if (collidesWith !== record && !isSame(collidesWith) && !rounded.includes(attr) && !found.has(attr)) {
        found.add(attr);
        const { code, detail } = what === 'supplyPoint' ? SAME_POINT : SHARED[what];
        yield { record, attr, code, detail, severity: 'warning', collidesWith };
      }
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
      if (hasWarnings) yield* repeatedLookup(populate, lookups, record);
    }
  }
  for (const { first, attr: pattern, ...found } of comparisons.findings()) {
    const [{ place = 0, attr = pattern } = {}, ...others] = first;
    yield {
      record: place,
      attr,
      ...found,
      severity: 'warning',
      others: others.map((other) => ({ record: other.place, attr: other.attr })),
    };
  }
  for (const { record: index, contract } of wanted) {
    if (declared.has(contract) || !hasWarnings) continue;
    yield {
      record: index,
      attr: 'account.business.business_contract_identifier',
      code: 'contract_not_in_input',
      detail: 'No business of the input declares a contract with this identifier; it must exist before the account.',
      severity: 'warning',
    };
  }
}

/** Returns the number of a record with its path and, if it can be compared, its key. */
function numberIn({ business, account }: Readonly<Record<string, unknown>>): { attr?: string; key?: string } {
  const [part, payload, field] =
    business === undefined
      ? (['account', account, 'external_account_number'] as const)
      : (['business', business, 'external_business_identifier'] as const);
  const number = fieldOf(payload, field);
  if (typeof number !== 'string' || number === '') return {};
  return { attr: `${part}.${field}`, key: [part, supplierOf(payload), number].join('\n') };
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
  const detail = 'An earlier record has the same supply points: they are looked up once, and nothing is missing.';
  yield { record, attr: 'populate', ...SAME_CONTENT, detail, collidesWith };
}

/** Yields missing documents. Paths that cannot resolve are warnings of `validateAccount`. */
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

function contractKey(supplier: string, identifier: string): string {
  return `${supplier}\n${identifier}`;
}
