/** The endpoints that validate, stage and process an account. */
import type { Chapter } from '../chapter.js';

export const accountImport: readonly Chapter[] = [
  {
    title: 'Account import',
    rows: [
      {
        id: 'D149',
        says: 'POST validate-account/',
        checks: ['C1', 'E4'],
        tests: ['E4 accounts.validate, domestic', 'C1 GET on validate-account/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D150',
        says: '200 the validated data',
        checks: ['E4'],
        tests: [
          'E4 validate: a domestic account is 200 with the validated data, and nothing is stored',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D151',
        says: 'validate-account/: 400 validation errors',
        checks: ['E4'],
        tests: [
          'E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline',
          'E4 a bad landline, sent unchecked, is refused at its path',
        ],
      },
      {
        id: 'D152',
        says: 'POST account-import-process/create-or-update/',
        checks: ['C1', 'E5'],
        tests: [
          'E5 accounts.stage: %i is %s',
          'C1 GET on account-import-process/create-or-update/ is 405 and Allow says POST (U1)',
        ],
      },
      {
        id: 'D153',
        says: 'Account payload (validated by the same rules first)',
        checks: ['E4', 'E5', 'U13'],
        tests: [
          'E5 stage: an invalid payload is 400 by the same rules as validate, and the staged data stay',
          'E4 validate: a business_contract_identifier without such a contract is 400, in the words of stage (U13)',
          "E4 validate: with '%s' a missing contract is no error, as it is none at stage (U13)",
        ],
      },
      {
        id: 'D154',
        says: '200 (update of previously staged) or 201 (first staging), body {import_supplier, external_account_number}',
        checks: ['E5'],
        tests: [
          'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
          'E5 accounts.stage: 201 is created',
          'E5 accounts.stage: 200 is updated',
        ],
      },
      {
        id: 'D155',
        says: 'POST account-import-process/process/',
        checks: ['C1', 'E6'],
        tests: ['E6 accounts.process', 'C1 GET on account-import-process/process/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D156',
        says: 'external_account_number string, import_supplier_code string, operations_team_name string',
        checks: ['C3', 'E6'],
        tests: [
          'ProcessPayload > C3 refuses a wrong value at external_account_number',
          'ProcessPayload > C3 refuses a wrong value at import_supplier_code',
          'ProcessPayload > C3 refuses a wrong value at operations_team_name',
          'E6 process: the keys are import_supplier_code and operations_team_name',
        ],
      },
      {
        id: 'D157',
        says: 'dry_run boolean (optional)',
        checks: ['C3', 'E6', 'U9'],
        tests: [
          'ProcessPayload > C3 refuses a wrong value at dry_run',
          'ProcessPayload > U9 does not require dry_run',
          'E6 process: a dry run uses up no number',
        ],
      },
      {
        id: 'D158',
        says: '201 {service_account_number string}',
        checks: ['E6', 'U25'],
        tests: [
          'E6 process: 201 with the service_account_number, and staged becomes imported',
          'an answer that violates the API specification is refused > E6 the number is a string',
          'U25 with %s a number has the form %s, and stays what it is',
        ],
      },
      {
        id: 'D159',
        says: 'Stage 400 causes: invalid payload',
        checks: ['E5'],
        tests: ['E5 stage: an invalid payload is 400 by the same rules as validate, and the staged data stay'],
      },
      {
        id: 'D160',
        says: 'Stage 400 causes: account already imported …',
        checks: ['E5'],
        tests: ['E5 stage: an account that was imported is 400'],
      },
      {
        id: 'D161',
        says: '… or marked to skip',
        checks: ['E5', 'U23'],
        tests: [
          'E5 stage: an account that is marked to skip is 400, staged before or not (U23)',
          'U23 an account is marked to skip, and the mark is removed',
          "U23 with 'hidden' it leaves them while it is marked; what is imported stays",
        ],
      },
      {
        id: 'D162',
        says: 'Stage 400 causes: import supplier Paused or Complete',
        checks: ['E5', 'U10'],
        tests: ['E5 stage: a supplier that is %s is 400 (U10)', 'U10 a supplier that is %s > U10 with %s'],
      },
      {
        id: 'D163',
        says: 'Process rules: the staged data must already exist …',
        checks: ['E6', 'U11'],
        tests: [
          'E6 process: nothing staged is 400',
          'E6 process: staged accounts of another supplier do not count',
          'E6 process: the order of the checks is imported, supplier, staged, team, dry run (U11)',
        ],
      },
      {
        id: 'D164',
        says: '… and the named team must already exist.',
        checks: ['E6'],
        tests: [
          'E6 process: an unknown team is 400, and the detail lists the known ones and how to add one',
          'a team can be added and removed; process accepts it accordingly (E6)',
        ],
      },
      {
        id: 'D165',
        says: 'When the account was already imported, the 400 body additionally carries external_account_number and service_account_number.',
        checks: ['E6', 'U12'],
        tests: [
          'E6 process: an account that was imported is 400, and the body also carries both numbers',
          'E6 already imported, recognised by %s: both numbers, with their leading zeros',
          'E6 dry run, process, and process again',
          'U12 an account that is imported: with documented bodies only process returns both numbers',
        ],
      },
      {
        id: 'D166',
        says: 'When dry_run is true and the import would succeed, the response is 400 with the message: Account would successfully import. Rolled back due to Dry Run.',
        checks: ['E6', 'U12'],
        tests: [
          'E6 process: a dry run that would succeed answers 400 with the message and creates nothing',
          'E6 the dry-run message is that of the document',
          'E6 accounts.dryRun',
          'U12 with %s the body is %j',
          'U12 the message in %s resolves',
        ],
      },
      {
        id: 'D167',
        says: 'No account is created.',
        checks: ['E6', 'I3'],
        tests: [
          'E6 process: a dry run that would succeed answers 400 with the message and creates nothing',
          'E6 process: a dry run uses up no number',
          'I3 validate and dry run change nothing, with any answer',
        ],
      },
      {
        id: 'D168',
        says: '429 is returned when an optional concurrency limit on simultaneous processing is enabled and exceeded …',
        checks: ['E6', 'U29'],
        tests: [
          'E6 process: over the limit is 429, nothing changed, and it succeeds after another has finished',
          'E6 process: as many as the limit run at the same time',
          'U29 with %s a dry run beyond the limit is %i',
        ],
      },
      {
        id: 'D169',
        says: '… retry after other accounts finish.',
        checks: ['E6', 'U28'],
        tests: [
          'E6 process: over the limit is 429, nothing changed, and it succeeds after another has finished',
          'in exact times > without Retry-After our own waits grow, with full jitter',
          'E6 process: with the setting %j the 429 says Retry-After %j (U28)',
        ],
      },
    ],
    notChecked: [],
  },
];
