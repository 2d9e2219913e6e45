/** The account that is validated and staged: its own fields. */
import type { Chapter } from '../chapter.js';

export const account: readonly Chapter[] = [
  {
    title: 'Account payload (validate and stage)',
    rows: [
      {
        id: 'D31',
        says: 'One JSON object representing one account.',
        checks: ['C1', 'C3'],
        tests: [
          'C1 the body %s is 400: not an object',
          'Account > C3 refuses null, an array and a string in place of the object at "%s"',
        ],
      },
      {
        id: 'D32',
        says: 'Two variants appear: domestic (no account_type) …',
        checks: ['E4'],
        tests: [
          'E4 validate: a domestic account is 200 with the validated data, and nothing is stored',
          'a full payload is valid and is returned unchanged > E4 domestic account',
          'E4 accounts.validate, domestic',
        ],
      },
      {
        id: 'D33',
        says: '… and business (account_type with value BUSINESS).',
        checks: ['E4'],
        tests: [
          'E4 validate: a BUSINESS account is 200 with the validated data, and nothing is stored',
          'a full payload is valid and is returned unchanged > E4 BUSINESS account',
          'E4 accounts.validate, BUSINESS',
        ],
      },
      {
        id: 'D34',
        says: 'external_account_number: string, the caller’s account identifier',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at external_account_number',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D35',
        says: 'import_supplier: string, import supplier code',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at import_supplier',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D36',
        says: 'account_type: string, value BUSINESS for business accounts',
        checks: ['C3', 'E4', 'U7'],
        tests: [
          'Account > C3 refuses a wrong value at account_type',
          'U7 open: an undocumented value passes > account_type',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D37',
        says: 'business: object; business_type string, siret string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at business',
          'Account > C3 refuses a wrong value at business.business_type',
          'Account > C3 refuses a wrong value at business.siret',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D38',
        says: 'business.details: array of {key string, value string}',
        checks: ['C3', 'E4', 'U9'],
        tests: [
          'Account > C3 refuses a wrong value at business.details',
          'Account > C3 refuses a wrong value at business.details.0.key',
          'Account > C3 refuses a wrong value at business.details.0.value',
          'Account > U9 requires the fields that the rules or the shape require',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D39',
        says: 'business_contract_identifier: must equal business.business_contracts.identifier given at business creation, to link the account to the contract',
        checks: ['C3', 'E4', 'E5', 'U13'],
        tests: [
          'Account > C3 refuses a wrong value at business.business_contract_identifier',
          'E5 stage: a business_contract_identifier without such a contract is 400, with it 201 (U13)',
          'E4 validate: a business_contract_identifier without such a contract is 400, in the words of stage (U13)',
          'E5 stage: a contract of another supplier does not count (U13)',
        ],
      },
      {
        id: 'D40',
        says: 'unknown_occupier: boolean',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at unknown_occupier',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D41',
        says: 'billing_address1..billing_address4: string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at billing_address1',
          'Account > C3 refuses a wrong value at billing_address2',
          'Account > C3 refuses a wrong value at billing_address3',
          'Account > C3 refuses a wrong value at billing_address4',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D42',
        says: 'billing_address1..billing_address4: may be empty string',
        checks: ['E4'],
        tests: [
          'fields that may be empty > billing_address1 takes an empty string',
          'fields that may be empty > billing_address2 takes an empty string',
          'fields that may be empty > billing_address3 takes an empty string',
          'fields that may be empty > billing_address4 takes an empty string',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D43',
        says: 'billing_postcode: string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at billing_postcode',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D44',
        says: 'sales_channel, sales_subchannel: string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at sales_channel',
          'Account > C3 refuses a wrong value at sales_subchannel',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D45',
        says: 'last_billed_to_date: date',
        checks: ['C3', 'C5', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at last_billed_to_date',
          'C5 validate: %s %j is 400 %s',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D46',
        says: 'account_contracts: array of contract (business accounts)',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at account_contracts',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D47',
        says: 'customers: array of customer',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D48',
        says: 'supply_addresses: array of supply address',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D49',
        says: 'statements: array of {bill_period_from_date date, bill_period_to_date date, statement_path string, statement_id string}',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at statements',
          'Account > C3 refuses a wrong value at statements.0.bill_period_from_date',
          'Account > C3 refuses a wrong value at statements.0.bill_period_to_date',
          'Account > C3 refuses a wrong value at statements.0.statement_path',
          'Account > C3 refuses a wrong value at statements.0.statement_id',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D50',
        says: 'supplementary_ledgers: array of {ledger_code string, energy_cheques array}',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supplementary_ledgers',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.ledger_code',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D51',
        says: 'cheque: number string, protection_from date, protection_to date, source string, asp_remittance_ref string, amount integer, valid_to date, status string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.number',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.protection_from',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.protection_to',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.source',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.asp_remittance_ref',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.amount',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.valid_to',
          'Account > C3 refuses a wrong value at supplementary_ledgers.0.energy_cheques.0.status',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D52',
        says: 'notes: array of note',
        checks: ['C3', 'C4', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at notes',
          'C4 a note must contain at least one of body or document_paths > refuses',
          'C4 a note without body and document_paths is refused in every payload',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D53',
        says: 'account_campaigns: array of {slug string, campaign_note string}',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at account_campaigns',
          'Account > C3 refuses a wrong value at account_campaigns.0.slug',
          'Account > C3 refuses a wrong value at account_campaigns.0.campaign_note',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D54',
        says: 'metadata: array of {key string, value object}',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at metadata',
          'Account > C3 refuses a wrong value at metadata.0.key',
          'Account > C3 refuses a wrong value at metadata.0.value',
          'metadata takes any JSON object > refuses each of several',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
    ],
    notChecked: [],
  },
];
