/** The endpoints that add historical statements and payment instructions to an imported account. */
import type { Chapter } from '../chapter.js';

export const addingStatements: readonly Chapter[] = [
  {
    title: 'Post-import (account): historical statements',
    rows: [
      {
        id: 'D194',
        says: 'POST historical-statements/create/',
        checks: ['C1', 'E9'],
        tests: [
          'E9 historicalStatements.create takes %i (U3)',
          'C1 GET on historical-statements/create/ is 405 and Allow says POST (U1)',
        ],
      },
      {
        id: 'D195',
        says: 'import_supplier, external_account_number, statements array of Historical statement',
        checks: ['C3', 'E9'],
        tests: [
          'HistoricalStatementsPayload > C3 refuses a wrong value at import_supplier',
          'HistoricalStatementsPayload > C3 refuses a wrong value at external_account_number',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements',
          'E9 historical statements are returned as they were sent',
        ],
      },
      {
        id: 'D196',
        says: 'historical-statements/create/: success with the validated data as body',
        checks: ['E9'],
        tests: [
          'E9 statements: 201 with the validated data, stored (U3)',
          'E9 historical statements are returned as they were sent',
        ],
      },
      {
        id: 'D197',
        says: 'historical-statements/create/: 400',
        checks: ['E9', 'U14'],
        tests: [
          'E9 statements: invalid is 400 with its attr, and none of the request is stored',
          'E9 statements: an account that is unknown or only staged is 400 (U14)',
        ],
      },
      {
        id: 'D198',
        says: 'The success heading says 201 Created while its text says 200 OK with the validated data as body. Exact success status code: not shown.',
        checks: ['E9', 'U3'],
        tests: [
          'E9 historicalStatements.create takes %i (U3)',
          'E9 historicalStatements.create: %s with %i is a success',
          'E9 historicalStatements.create: %j is none',
          'U3 with %s statements are accepted with %i',
          'E9 statements: with the setting 200 the status is 200, the body the same (U3)',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Post-import (account): payment instructions',
    rows: [
      {
        id: 'D199',
        says: 'POST payment-instruction/create/',
        checks: ['C1', 'E10'],
        tests: [
          'E10 paymentInstructions.create',
          'C1 GET on payment-instruction/create/ is 405 and Allow says POST (U1)',
        ],
      },
      {
        id: 'D200',
        says: 'import_supplier, external_account_number, vendor, reference, type',
        checks: ['C3', 'E10'],
        tests: [
          'PaymentInstruction > C3 refuses a wrong value at import_supplier',
          'PaymentInstruction > C3 refuses a wrong value at external_account_number',
          'PaymentInstruction > C3 refuses a wrong value at vendor',
          'PaymentInstruction > C3 refuses a wrong value at reference',
          'PaymentInstruction > C3 refuses a wrong value at type',
          'E10 payment instruction: 201 with the account number and the reference, stored',
        ],
      },
      {
        id: 'D201',
        says: '201 {service_account_number, reference}',
        checks: ['E10'],
        tests: [
          'E10 payment instruction: 201 with the account number and the reference, stored',
          'E10 number is not there, or true in its place',
          'E10 reference is not there, or true in its place',
        ],
      },
      {
        id: 'D202',
        says: 'payment-instruction/create/: 400 …',
        checks: ['E10', 'U14'],
        tests: [
          'E10 payment instruction: a missing field is 400',
          'E10 payment instruction: an account that is unknown or only staged is 400 (U14)',
          'U14 payment-instruction/create/: with 404 it is 404, as is one of an unknown supplier',
        ],
      },
      {
        id: 'D203',
        says: '… also on persistent failure to reach the upstream payment vendor (do not retry unchanged) …',
        checks: ['E10', 'C1', 'U22'],
        tests: [
          'E10 payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
          'C1 400 is never asked for again: %s',
          "U22 with 'error_detail' they hold the identifiers of the call and the reference",
        ],
      },
      {
        id: 'D204',
        says: '… 500 on unexpected error including intermittent vendor failure (retry as-is).',
        checks: ['E10', 'U22'],
        tests: [
          'E10 payment instruction: a vendor that fails once is 500 once for each instruction, then 201, stored once',
          'E10 a payment instruction is added; a vendor that fails twice is asked again',
          "U22 by default, or 'documented', the bodies are as of other errors",
        ],
      },
    ],
    notChecked: [],
  },
];
