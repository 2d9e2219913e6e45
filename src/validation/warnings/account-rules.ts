/** Exports the warning rules for accounts, supply points, notes and contracts. A comment names the source of each rule. */

import { isObject } from '../objects.js';
import {
  ACCOUNT,
  at,
  BUSINESS,
  BUSINESS_CONTRACT,
  BUSINESS_CONTRACTS,
  BUSINESS_PAYMENT_INSTRUCTION,
  CONTRACT,
  HISTORICAL_STATEMENTS,
  NOTE,
  NOTES,
  POPULATE,
  SUPPLY_POINT,
  TRANSACTIONS,
} from './places.js';
import { isSiret } from './value-forms.js';
import type { Fields, WarningRule } from './warning-rule.js';

/** Lists that are probably incomplete if they are empty. Other lists may be empty on purpose. */
const EMPTY_LISTS = at(
  [ACCOUNT, 'customers', 'supply_addresses', 'supply_addresses.*.supply_points'],
  [BUSINESS_CONTRACTS],
  [CONTRACT, 'versions', 'versions.*.terms'],
  [BUSINESS_PAYMENT_INSTRUCTION, 'accounts'],
  [NOTES],
  [TRANSACTIONS],
  [HISTORICAL_STATEMENTS],
);

export const ACCOUNT_RULES: readonly WarningRule[] = [
  // spec: Account payload, Business payload (siret)
  {
    code: 'siret_check_digit',
    at: at([BUSINESS, 'siret']),
    detail: 'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    text: (siret) => !isSiret(siret),
  },
  // spec: shows no length. Registries: 6 characters (a gas point in Great Britain) to 33 (a metering location in Germany)
  {
    code: 'point_id_length',
    at: at([SUPPLY_POINT, 'identifier'], [POPULATE, 'prm_ids.*', 'pce_ids.*']),
    detail:
      'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
    text: (id) => id.length < 6 || id.length > 33,
  },
  // spec: Pre-population (prm_ids, pce_ids)
  {
    code: 'populate_without_ids',
    at: at([POPULATE]),
    detail: 'Neither prm_ids nor pce_ids names a supply point: nothing is looked up.',
    fields: ({ prm_ids = [], pce_ids = [] }) => (isEmptyList(prm_ids) && isEmptyList(pce_ids) ? [''] : []),
  },
  // spec: Conventions (an optional field that is not wanted is omitted)
  {
    code: 'empty_list',
    at: EMPTY_LISTS,
    detail: 'The list is empty: what belongs into it may be missing. Leave out a list that is not wanted.',
    list: isEmptyList,
  },
  // spec: Account payload, Supply point
  {
    code: 'supply_point_without_identifier',
    at: at([SUPPLY_POINT]),
    detail: 'A supply point without identifier names no point.',
    fields: unlessGiven('identifier'),
  },
  // spec: Account payload, consent_data
  {
    code: 'consent_of_other_supply_type',
    at: at([SUPPLY_POINT]),
    detail: 'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    fields: ({ supply_type, consent_data }) => {
      const other = supply_type === 'GAS' ? 'ELEC_' : supply_type === 'ELECTRICITY' ? 'GAS_' : undefined;
      if (other === undefined || !isObject(consent_data)) return [];
      const names = Object.keys(consent_data).filter((name) => name.startsWith(other));
      return names.map((name) => `consent_data.${name}`);
    },
  },
  // spec: Note (unpin_at appears alongside is_pinned)
  {
    code: 'unpin_without_pin',
    at: at([NOTE]),
    detail: 'unpin_at is given and is_pinned is not true.',
    fields: (note) => (note['unpin_at'] !== undefined && note['is_pinned'] !== true ? ['unpin_at'] : []),
  },
  // spec: Note (at least one of body or document_paths)
  {
    code: 'empty_note',
    at: at([NOTE]),
    detail: 'The note has neither text nor documents.',
    fields: ({ body, document_paths: paths }) =>
      (body ?? '') === '' && (!Array.isArray(paths) || paths.length === 0) ? [''] : [],
  },
  // spec: Account payload (two variants)
  {
    code: 'business_fields_on_domestic_account',
    at: at([ACCOUNT]),
    detail: 'Only business accounts have this; account_type is missing.',
    fields: (account) =>
      account['account_type'] === undefined
        ? ['business', 'account_contracts'].filter((field) => account[field] !== undefined)
        : [],
  },
  // spec: Account payload (business_contract_identifier, to link the account to the contract)
  {
    code: 'business_account_without_contract',
    at: at([ACCOUNT]),
    detail: 'business.business_contract_identifier links a business account to its contract, and is missing.',
    fields: ({ account_type, business }) => {
      if (account_type !== 'BUSINESS') return [];
      if (business === undefined) return ['business'];
      const isMissing = isObject(business) && (business['business_contract_identifier'] ?? '') === '';
      return isMissing ? ['business.business_contract_identifier'] : [];
    },
  },
  // spec: Account payload (business_contract_identifier)
  {
    code: 'contract_without_identifier',
    at: at([BUSINESS_CONTRACT]),
    detail: 'Without identifier no account can be linked to this contract.',
    fields: unlessGiven('identifier'),
  },
];

function unlessGiven(field: string): (object: Fields) => string[] {
  return (object) => (object[field] === undefined ? [field] : []);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
