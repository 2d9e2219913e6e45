/** Checking a whole book: every payload by itself, and what only shows when all of them are seen together. */
import type { Account } from '../../schemas/account.js';
import type { Business } from '../../schemas/business.js';
import type { HistoricalStatement } from '../../schemas/historical-statement.js';
import type { Note } from '../../schemas/note.js';
import type { PaymentInstruction } from '../../schemas/payment-instruction.js';
import type { Transaction } from '../../schemas/transaction.js';
import type { Finding } from './findings.js';
import { select } from './select.js';
import { type ValidateOptions, validateAccount, validateBusiness } from './validate.js';

/** A business of a book. */
export interface BusinessRecord {
  business: Business;
}

/** An account of a book, with what is added to it after its import. */
export interface AccountRecord {
  account: Account;
  notes?: Note[] | undefined;
  transactions?: Transaction[] | undefined;
  statements?: HistoricalStatement[] | undefined;
  payment_instruction?: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'> | undefined;
}

export type BookRecord = BusinessRecord | AccountRecord;

/** A finding in a book. `attr` begins with the part of the record: `account.customers.0.landline`. */
export interface BookFinding extends Finding {
  /** Which record, counted from 0. */
  record: number;
  /** The earlier record that has the same key. */
  collidesWith?: number;
}

export interface CheckBookOptions extends ValidateOptions {
  /** Whether the object behind a document path exists. Default: not asked; only the form of a path is looked at. */
  documentExists?: ((path: string) => boolean | Promise<boolean>) | undefined;
}

/** A key that no two records of a book may share. */
interface UniqueKey {
  code: string;
  detail: string;
  severity: Finding['severity'];
  at: string;
  /** What tells keys at one place apart from the same text elsewhere. */
  scope: (account: unknown) => string;
}

const UNIQUE: readonly UniqueKey[] = [
  {
    code: 'duplicate_account',
    detail: 'An earlier account has the same number: staging this one would replace it.',
    severity: 'error',
    at: 'external_account_number',
    scope: supplierOf,
  },
  {
    code: 'duplicate_supply_point',
    detail: 'An earlier record, or this one, names the same supply point.',
    severity: 'advice',
    at: 'supply_addresses.*.supply_points.*.identifier',
    scope: () => '',
  },
];

const DOCUMENT_PATHS = [
  'account.statements.*.statement_path',
  'account.notes.*.document_paths.*.document_path',
  'notes.*.document_paths.*.document_path',
  'statements.*.statement_path',
];

/**
 * Reads a book once and yields its findings: those of `validateBusiness` and `validateAccount`; accounts and supply
 * points that are there twice; document paths that cannot resolve; and, at the end, because businesses may come late,
 * accounts whose contract no business of the book declares. Keeps the keys of the records in memory, not the records.
 *
 * @example
 * for await (const { record, attr, code } of checkBook(records)) console.log(record, attr, code);
 */
export async function* checkBook(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  options: CheckBookOptions = {},
): AsyncGenerator<BookFinding, void, undefined> {
  const seen = UNIQUE.map(() => new Map<string, number>());
  const declared = new Set<string>();
  const wanted: { record: number; contract: string }[] = [];
  let record = -1;
  for await (const entry of records) {
    record++;
    const { business, account } = partsOf(entry);
    if (business !== undefined) {
      yield* inPart('business', record, validateBusiness(business, options).findings);
      for (const contract of texts(business, 'business.business_contracts.*.identifier')) {
        declared.add(contractKey(supplierOf(business), contract));
      }
    } else if (account !== undefined) {
      yield* inPart('account', record, validateAccount(account, options).findings);
      for (const [index, key] of UNIQUE.entries()) yield* repeated(key, seen[index] ?? new Map(), account, record);
      for (const contract of texts(account, 'business.business_contract_identifier')) {
        wanted.push({ record, contract: contractKey(supplierOf(account), contract) });
      }
      yield* unresolvable(entry, record, options);
    } else {
      const detail = 'Expected an object with `business` or with `account`.';
      yield { record, attr: '', code: 'invalid_type', detail, severity: 'error' };
    }
  }
  for (const { record: index, contract } of wanted) {
    if (declared.has(contract)) continue;
    yield {
      record: index,
      attr: 'account.business.business_contract_identifier',
      code: 'contract_not_in_book',
      detail: 'No business of the book declares a contract with this identifier; it must exist before the account.',
      severity: 'advice',
    };
  }
}

function partsOf(entry: unknown): { business?: unknown; account?: unknown } {
  return typeof entry === 'object' && entry !== null ? entry : {};
}

function inPart(part: string, record: number, findings: readonly Finding[]): BookFinding[] {
  return findings.map((finding) => ({ ...finding, record, attr: [part, finding.attr].filter(Boolean).join('.') }));
}

function* repeated(
  { at, scope, code, detail, severity }: UniqueKey,
  seen: Map<string, number>,
  account: unknown,
  record: number,
): Generator<BookFinding> {
  for (const { attr, value } of select(account, at)) {
    if (typeof value !== 'string' || value === '') continue;
    const key = `${scope(account)}\n${value}`;
    const collidesWith = seen.get(key);
    if (collidesWith === undefined) seen.set(key, record);
    else yield { record, attr: `account.${attr}`, code, detail, severity, collidesWith };
  }
}

async function* unresolvable(
  entry: unknown,
  record: number,
  { documentExists }: CheckBookOptions,
): AsyncGenerator<BookFinding> {
  for (const { attr, value } of DOCUMENT_PATHS.flatMap((pattern) => select(entry, pattern))) {
    if (typeof value !== 'string') continue;
    const found = { record, attr, severity: 'advice' as const };
    if (!isRelativePath(value)) {
      const detail = 'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.';
      yield { ...found, code: 'document_path_cannot_resolve', detail };
    } else if (documentExists !== undefined && !(await documentExists(value))) {
      yield { ...found, code: 'document_not_found', detail: 'There is no document at this path.' };
    }
  }
}

/** The service puts bucket and root before it (document: Conventions). */
function isRelativePath(path: string): boolean {
  return path.trim() !== '' && !/^[a-z][\w+.-]*:|\\/i.test(path) && !path.split('/').includes('..');
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
