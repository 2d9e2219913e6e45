/** The conventions that all payloads and answers keep. */
import type { Chapter } from '../chapter.js';

export const conventions: readonly Chapter[] = [
  {
    title: 'Conventions',
    rows: [
      {
        id: 'D16',
        says: 'Dates: ISO 8601, form YYYY-MM-DD.',
        checks: ['C5'],
        tests: [
          'C5 dates are real calendar dates, YYYY-MM-DD > takes',
          'C5 dates are real calendar dates, YYYY-MM-DD > refuses',
          'C5 validate: %s %j is 400 %s',
        ],
      },
      {
        id: 'D17',
        says: 'Datetimes: ISO 8601, form YYYY-MM-DDTHH:MM:SSZ …',
        checks: ['C5'],
        tests: [
          'C5 datetimes have seconds, and end in Z or in an offset > takes',
          'C5 datetimes have seconds, and end in Z or in an offset > refuses',
          'C5 validate: the datetime 2025-12-01T10:00:00Z is 200',
        ],
      },
      {
        id: 'D18',
        says: '… an offset form such as +02:00 is also used for agreed_at.',
        checks: ['C5', 'E4'],
        tests: [
          'C5 datetimes have seconds, and end in Z or in an offset > takes 2024-01-01T10:00:00+02:00',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D19',
        says: 'An optional field that is not wanted is omitted from the payload entirely.',
        checks: ['C9', 'U9'],
        tests: [
          'C9 undefined is left out and never becomes null; null is refused',
          'C9 an optional field that is not wanted is not in the JSON > leaves undefined out at every level',
          'U9 without a profile only the fields of the rules are required',
        ],
      },
      {
        id: 'D20',
        says: 'If an optional object or array is provided, the fields inside it that are required must be provided …',
        checks: ['U9'],
        tests: [
          'Account > U9 requires the fields that the rules or the shape require',
          'BusinessPayload > U9 requires the fields that the rules or the shape require',
        ],
      },
      {
        id: 'D21',
        says: '… and everything provided must satisfy its validation rules, including nested ones.',
        checks: ['C3'],
        tests: [
          'C3 validate: one error for each offending field, unknown keys included',
          'C3 one finding for each offending field, in their own words',
        ],
      },
      {
        id: 'D22',
        says: 'Only documented fields may be sent; undocumented fields may gain meaning later.',
        checks: ['C3', 'U6'],
        tests: [
          '$name > C3 refuses each undocumented field in the object at "%s" with its own finding',
          "U6 by default, or 'refuse', each such field is an error at its attr",
          "U6 with 'drop' they are neither answered with nor stored",
          "U6 with 'keep' they are answered with and stored",
        ],
      },
      {
        id: 'D23',
        says: 'The import supplier code is sent as import_supplier in most payloads …',
        checks: ['C3'],
        tests: [
          'Account > C3 refuses a wrong value at import_supplier',
          'NotesPayload > C3 refuses a wrong value at import_supplier',
          'TransactionsPayload > C3 refuses a wrong value at import_supplier',
          'HistoricalStatementsPayload > C3 refuses a wrong value at import_supplier',
          'PaymentInstruction > C3 refuses a wrong value at import_supplier',
        ],
      },
      {
        id: 'D24',
        says: '… and as import_supplier_code in the create-account, create-business and business payment instruction payloads.',
        checks: ['C3', 'E6'],
        tests: [
          'E6 process: the keys are import_supplier_code and operations_team_name',
          'BusinessPayload > C3 refuses a wrong value at import_supplier_code',
          'BusinessPaymentInstruction > C3 refuses a wrong value at import_supplier_code',
        ],
      },
      {
        id: 'D25',
        says: 'The path parameter is <import-supplier-code>.',
        checks: ['E11', 'E12', 'E13', 'E14'],
        tests: [
          'E11 imports.status > names the parameters of its path, in their order',
          'E12 imports.all > names the parameters of its path, in their order',
          'E13 imports.pending > names the parameters of its path, in their order',
          'E14 imports.imported > names the parameters of its path, in their order',
        ],
      },
      {
        id: 'D26',
        says: 'A field that references a stored document (document_path, statement_path) holds a path relative to a root location configured per import supplier.',
        checks: ['C7'],
        tests: [
          'C7 each import supplier has its own root',
          'C7 the documents of a staged account resolve to bucket, root and path, and are replaced with the payload',
          'C7 documents of notes and statements after the import are added; those of a note that exists are not',
        ],
      },
      {
        id: 'D27',
        says: 'The document is expected at <storage_bucket>/<configured_root><path>.',
        checks: ['C7', 'U19'],
        tests: [
          'C7 the documents of a staged account resolve to bucket, root and path, and are replaced with the payload',
          'C7 without options the bucket is sandbox-bucket and the root empty',
          "U19 with 'refuse' %s names each path",
          "U19 with 'refuse' notes and statements of an imported account name each path",
        ],
      },
      {
        id: 'D28',
        says: 'The service stores no files; it only references objects already placed in object storage.',
        checks: ['C7', 'U19'],
        tests: [
          'C7 the documents of a staged account resolve to bucket, root and path, and are replaced with the payload',
          "U19 by default, or with 'accept', a missing document is accepted",
        ],
      },
      {
        id: 'D29',
        says: 'Required or optional status of each field of the account, business and transaction payloads: not shown beyond the rules stated in this document.',
        checks: ['U9'],
        tests: [
          'U9 without a profile only the fields of the rules are required',
          'U9 a profile is demanded, each finding at its attr',
          '$name > U9 does not require %s',
        ],
      },
      {
        id: 'D30',
        says: 'Allowed values of enumerated fields beyond those listed here: not shown.',
        checks: ['U7'],
        tests: [
          'U7 open: an undocumented value passes',
          'U7 by default a value not listed at %s is taken, and the log marks it',
          "U7 with 'refuse' it is invalid_choice at %s; listed is %s",
        ],
      },
    ],
    notChecked: [],
  },
];
