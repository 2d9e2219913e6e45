/** Exports the places of objects in the payloads, as patterns of `path-patterns.ts`, for the warning rules. */
import { type PayloadName, payloads } from '../payload-schemas.js';

/** Patterns by payload. */
export type Places = Partial<Record<PayloadName, readonly string[]>>;

/** Places of one type of object: a pattern by payload type; '' is the payload itself. */
type Place = Partial<Record<PayloadName, string>>;

export const ACCOUNT: Place = { Account: '' };
export const PAYMENT_INSTRUCTION: Place = { PaymentInstruction: '' };
export const BUSINESS_PAYMENT_INSTRUCTION: Place = { BusinessPaymentInstruction: '' };
export const POPULATE: Place = { PopulatePayload: '' };
export const PROCESS: Place = { ProcessPayload: '' };
/** Payloads that belong to an account, or to a business. */
export const OF_ACCOUNT: Place = {
  Account: '',
  HistoricalStatementsPayload: '',
  NotesPayload: '',
  PaymentInstruction: '',
  TransactionsPayload: '',
};
export const OF_BUSINESS: Place = { BusinessPayload: '', BusinessPaymentInstruction: '' };

export const BUSINESS: Place = { Account: 'business', BusinessPayload: 'business' };
export const CONTRACT: Place = { Account: 'account_contracts.*', BusinessPayload: 'business.business_contracts.*' };
export const BUSINESS_CONTRACTS: Place = { BusinessPayload: 'business.business_contracts' };
export const BUSINESS_CONTRACT: Place = { BusinessPayload: 'business.business_contracts.*' };
export const TERM = inside(CONTRACT, 'versions.*.terms.*');

export const CUSTOMER: Place = { Account: 'customers.*' };
export const SUPPLY_ADDRESS: Place = { Account: 'supply_addresses.*' };
export const SUPPLY_POINT: Place = { Account: 'supply_addresses.*.supply_points.*' };
export const SCHEDULE = inside(SUPPLY_POINT, 'payment_schedules.*');
export const AGREEMENT = inside(SUPPLY_POINT, 'agreements.*');
export const CHEQUE: Place = { Account: 'supplementary_ledgers.*.energy_cheques.*' };

/** Lists that are the only content of their payload. */
export const NOTES: Place = { NotesPayload: 'notes' };
export const TRANSACTIONS: Place = { TransactionsPayload: 'transactions' };
export const HISTORICAL_STATEMENTS: Place = { HistoricalStatementsPayload: 'statements' };

export const NOTE: Place = { Account: 'notes.*', NotesPayload: 'notes.*' };
export const HISTORICAL_STATEMENT: Place = { HistoricalStatementsPayload: 'statements.*' };
export const STATEMENT_OF_ACCOUNT: Place = { Account: 'statements.*' };
export const STATEMENT: Place = { ...STATEMENT_OF_ACCOUNT, ...HISTORICAL_STATEMENT };

export const TRANSACTION: Place = { TransactionsPayload: 'transactions.*' };
export const LINE_ITEM = inside(TRANSACTION, 'line_items.*');
export const TAX_ITEM = inside(TRANSACTION, 'tax_items.*');

/** Each text of each payload. */
export const EVERY_TEXT = '**';
export const EVERYWHERE: Places = Object.fromEntries(
  (Object.keys(payloads) as PayloadName[]).map((name) => [name, [EVERY_TEXT]]),
);

/** Returns the places of these fields of an object; without fields, of the object itself. */
export function at(...places: readonly (readonly [place: Place, ...fields: string[]])[]): Places {
  const patterns: Partial<Record<PayloadName, string[]>> = {};
  for (const [place, ...fields] of places) {
    for (const field of fields.length === 0 ? [''] : fields) {
      for (const [name, pattern] of entriesOf(inside(place, field))) {
        patterns[name] ??= [];
        patterns[name].push(pattern);
      }
    }
  }
  return patterns;
}

function inside(place: Place, field: string): Place {
  return Object.fromEntries(
    entriesOf(place).map(([name, pattern]) => [name, [pattern, field].filter(Boolean).join('.')]),
  );
}

function entriesOf(place: Place): [PayloadName, string][] {
  return Object.entries(place) as [PayloadName, string][];
}
