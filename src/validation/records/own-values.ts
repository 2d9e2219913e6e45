/**
 * Exports `ownValues`: what only one record of an input should have. A second one with it may be the same supply point, contract or customer,
 * under another number. A record has few of them, so that they can be compared over millions of records.
 */
import { fieldOf } from '../../../schemas/objects.js';
import { select } from '../path-patterns.js';
import { identityOf, ownersOf } from './identity.js';
import { numberWithoutZeros, numberWithSigns } from './plain-number.js';
import { supplierOf } from './warnings-between-records.js';

export interface OwnValue {
  what: keyof typeof SHARED;
  /** Equal if the values are. */
  key: string;
  /** Path of the value in the record. */
  attr: string;
  /** A number of digits only. Two of these differ in zeros, and `equal_but_for_zeros` is about them. */
  isDigits?: boolean;
}

/** The warnings about a value that a second record has. */
export const SHARED = {
  supplyPoint: {
    code: 'supply_point_of_other_record',
    attr: 'account.supply_addresses.*.supply_points.*.identifier',
    detail:
      'Another record of the input names the same supply point: one customer may be there under two numbers, and be billed twice.',
  },
  contract: {
    code: 'contract_of_other_business',
    attr: 'business.business.business_contracts.*.identifier',
    detail:
      'Another business of the input declares a contract with this identifier: only it links accounts to a business.',
  },
  businessNumber: {
    code: 'equal_but_for_spelling',
    attr: 'business.external_business_identifier',
    detail:
      'Another business of the input has the same company, and the same number but for zeros, case, signs or spaces: the two may be one, and be created twice.',
  },
  accountNumber: {
    code: 'equal_but_for_spelling',
    attr: 'account.external_account_number',
    detail:
      'Another account of the input has the same customer, and the same number but for zeros, case, signs or spaces: the two may be one, and be billed twice.',
  },
} as const;

const CONTRACTS = 'business.business_contracts.*.identifier';
const POINTS = 'supply_addresses.*.supply_points.*';

export function* ownValues(parts: Readonly<Record<string, unknown>>): Generator<OwnValue> {
  const { business, account } = parts;
  if (business !== undefined) {
    for (const { attr, value } of select(business, CONTRACTS)) {
      if (!isText(value)) continue;
      yield { what: 'contract', key: keyOf('contract', supplierOf(business), value), attr: `business.${attr}` };
    }
    yield* ofNumber('businessNumber', fieldOf(business, 'external_business_identifier'), parts);
  } else if (account !== undefined) {
    for (const { attr, value: point } of select(account, POINTS)) {
      const identifier = fieldOf(point, 'identifier');
      if (!isText(identifier)) continue;
      const type = fieldOf(point, 'supply_type');
      const key = keyOf('supplyPoint', isText(type) ? type : '', identifier);
      yield { what: 'supplyPoint', key, attr: `account.${attr}.identifier` };
    }
    yield* ofNumber('accountNumber', fieldOf(account, 'external_account_number'), parts);
  }
}

const DIGITS = /^\d+$/;

/** The number together with each owner of the record. */
function* ofNumber(
  what: 'businessNumber' | 'accountNumber',
  number: unknown,
  parts: Readonly<Record<string, unknown>>,
): Generator<OwnValue> {
  if (!isText(number)) return;
  const supplier = supplierOf(parts['business'] ?? parts['account']);
  const { owners, company } = ownersOf(identityOf(parts));
  const { attr } = SHARED[what];
  const isDigits = DIGITS.test(number);
  const plain = owners.length === 0 ? '' : numberWithoutZeros(number);
  for (const owner of owners) yield { what, key: keyOf(what, supplier, owner, plain), attr, isDigits };
  // Accounts of one company, and records of which nothing is known, may be counted: 1-11 and 11-1.
  if (owners.length === 0) yield { what, key: keyOf(what, supplier, company, numberWithSigns(number)), attr, isDigits };
}

function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
