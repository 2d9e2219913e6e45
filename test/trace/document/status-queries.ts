/** The four endpoints that are only asked. */
import type { Chapter } from '../chapter.js';

export const statusQueries: readonly Chapter[] = [
  {
    title: 'Status queries',
    rows: [
      {
        id: 'D205',
        says: 'GET account-transfer-status/<import-supplier-code>/<external-account-number>/',
        checks: ['C1', 'E11'],
        tests: [
          'E11 imports.status: UNKNOWN',
          'C1 POST on account-transfer-status/SANDBOX_SUPPLIER/A-1/ is 405 and Allow says GET (U1)',
          'path parameters > "%s" is sent as %s',
        ],
      },
      {
        id: 'D206',
        says: '200 {status, service_account_number}',
        checks: ['E11'],
        tests: ['E11 status: imported is PENDING with the number', 'E11 status is not there, or true in its place'],
      },
      {
        id: 'D207',
        says: 'service_account_number is an empty string when no account is created yet',
        checks: ['E11'],
        tests: ['E11 status: staged is UNKNOWN with an empty number', 'E11 imports.status: UNKNOWN'],
      },
      {
        id: 'D208',
        says: '404 when no import process exists for the supplier and account number',
        checks: ['E11'],
        tests: [
          'E11 status: never staged is 404, and validating is not staging',
          'E11 status: another supplier is 404',
        ],
      },
      {
        id: 'D209',
        says: 'GET all-account-import-processes/<import-supplier-code>/',
        checks: ['C1', 'E12'],
        tests: [
          'E12 imports.all',
          'C1 POST on all-account-import-processes/SANDBOX_SUPPLIER/ is 405 and Allow says GET (U1)',
        ],
      },
      {
        id: 'D210',
        says: '200 array of {external_account_number string, service_account_number string or null, account_created_at datetime or null}',
        checks: ['E12', 'U26'],
        tests: [
          "E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)",
          'an answer that violates the API specification is refused > E12 created is a string',
          "U26 with 'account-number' they are in the order of the numbers as strings, and the state is not",
        ],
      },
      {
        id: 'D211',
        says: 'covers staged (pending) and created accounts; pending entries have both null',
        checks: ['E12', 'I1'],
        tests: [
          "E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)",
          'I1 pending and imported are disjoint, and together they are all, at every step',
        ],
      },
      {
        id: 'D212',
        says: 'GET pending-account-import-processes/<import-supplier-code>/',
        checks: ['C1', 'E13'],
        tests: [
          'E13 imports.pending',
          'C1 POST on pending-account-import-processes/SANDBOX_SUPPLIER/ is 405 and Allow says GET (U1)',
        ],
      },
      {
        id: 'D213',
        says: '200 array of the same shape for staged accounts; service_account_number and account_created_at are always null',
        checks: ['E13'],
        tests: ['E13 pending: staged only, both null; an entry leaves when it is processed'],
      },
      {
        id: 'D214',
        says: 'GET imported-account-import-processes/<import-supplier-code>/',
        checks: ['C1', 'E14'],
        tests: [
          'E14 imports.imported: %s (U5)',
          'C1 POST on imported-account-import-processes/SANDBOX_SUPPLIER/ is 405 and Allow says GET (U1)',
        ],
      },
      {
        id: 'D215',
        says: '200 for accounts that have a platform account',
        checks: ['E14'],
        tests: [
          'E14 imported: imported only, with the same entries as in the list of all (U5)',
          'E14 imported: an account stays listed with every status of its switch',
        ],
      },
      {
        id: 'D216',
        says: 'response body of the list of imported accounts: not shown',
        checks: ['E14', 'U5'],
        tests: [
          'E14 imports.imported: %s (U5)',
          'E11 E14 204 is not a state, and not an answer about imported accounts (U5)',
          'U5 by default the entries are those of the list of all',
          "U5 with 'no-body' the list of imported accounts has no body, with entries or without, and no other list",
        ],
      },
      {
        id: 'D217',
        says: 'Behaviour when a supplier has no matching accounts, for the list endpoints: not shown.',
        checks: ['U4'],
        tests: [
          "U4 %s without a match is 200 with [] by default, and 404 with 'not-found'",
          "U4 with 'not-found' a list with an entry is 200",
          'answers of undocumented form > E12 an empty list (U4)',
          'E12 E13 204 is an empty list, and 200 without a body is none (U4)',
        ],
      },
    ],
    notChecked: [],
  },
];
