/** The bodies and the statuses of answers. */
import type { Chapter } from '../chapter.js';

export const errors: readonly Chapter[] = [
  {
    title: 'Validation error body (400)',
    rows: [
      {
        id: 'D225',
        says: 'detail: string, human-readable summary; wording may change, do not parse it',
        checks: ['C3'],
        tests: [
          'C3 detail is not parsed: %s with only the detail "%s" is a ValidationError',
          'C3 detail is not there, or true in its place',
          'C3 validate: one error for each offending field, unknown keys included',
        ],
      },
      {
        id: 'D226',
        says: 'code: string, machine-readable and stable; example account_failed_validation',
        checks: ['C3', 'E4'],
        tests: [
          'E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline',
          'C3 code is not there, or true in its place',
          'hasCode: code of the whole answer, or of any error; unknown codes are unchanged',
        ],
      },
      {
        id: 'D227',
        says: 'errors: array, items with detail string, code string (stable; example invalid_phone_number), attr string',
        checks: ['C3', 'E4'],
        tests: [
          'E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline',
          'C3 errors is not there, or true in its place',
          'C3 item attr is not there, or true in its place',
          'C3 bodies of 400 > the documented one',
        ],
      },
      {
        id: 'D228',
        says: 'attr is a dot-delimited path to the offending input: string parts are field names, numeric parts are zero-based array indexes (for example a path into the landline of the first customer).',
        checks: ['C3', 'E4'],
        tests: [
          'C3 validate: one error for each offending field, unknown keys included',
          'E4 a wrong landline of the first customer has the documented attr',
          'at: exactly this path',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Status codes',
    rows: [
      {
        id: 'D229',
        says: '200: validated account; staged data updated; status queries and lists',
        checks: ['E4', 'E5', 'E11', 'E12'],
        tests: [
          'E4 validate: a domestic account is 200 with the validated data, and nothing is stored',
          'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
          'E11 status: staged is UNKNOWN with an empty number',
          "E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)",
          '$id $name > takes the documented request and gives the documented answers',
        ],
      },
      {
        id: 'D230',
        says: '201: resource or batch created, or post-import data accepted',
        checks: ['E1', 'E2', 'E7', 'E8'],
        tests: [
          'E1 populate: valid gives 201 with a batch_id',
          'E2 business: 201 with an integer service_business_id and the identifier',
          'E7 notes: 201 with one item a note, in the order of the request',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
          '$id $name > takes the documented request and gives the documented answers',
        ],
      },
      {
        id: 'D231',
        says: '400: validation errors; account already imported; import supplier Paused or Complete; dry run that would succeed; persistent upstream payment vendor failure; first failing transaction (TRANSACTION_IMPORT_ERROR)',
        checks: ['C1', 'C3'],
        tests: [
          'C3 bodies of 400 > the documented one',
          'C1 400 is never asked for again: %s',
          '$id $name > knows the refusals that the document states, beside 401 and 500',
        ],
      },
      {
        id: 'D232',
        says: '401: authorization token missing or invalid (business payment instruction)',
        checks: ['C2'],
        tests: [
          'C2 POST business-payment-instruction/create/ without a token is 401 (U2)',
          'C2 a wrong token gives AuthenticationError',
        ],
      },
      {
        id: 'D233',
        says: '404: account or import process not found (notes, status)',
        checks: ['E7', 'E11'],
        tests: [
          'E7 notes: an account that is only staged is 404',
          'E11 status: never staged is 404, and validating is not staging',
          'E7 a note for an account that is only staged is not found',
        ],
      },
      {
        id: 'D234',
        says: '429: concurrency limit on account processing exceeded (when enabled)',
        checks: ['E6'],
        tests: [
          'E6 process: over the limit is 429, nothing changed, and it succeeds after another has finished',
          '%s: 429 once, from a real server, and then its answer',
        ],
      },
      {
        id: 'D235',
        says: '500: unexpected error; intermittent upstream vendor failure (retry as-is)',
        checks: ['E5', 'E10'],
        tests: [
          'E5 500 twice and then 201 is a success of three attempts',
          '%s: 500 without end is a ServerError after 1 + maxRetries attempts',
          'E10 payment instruction: a vendor that fails once is 500 once for each instruction, then 201, stored once',
        ],
      },
      {
        id: 'D236',
        says: 'Error codes other than the examples above: not shown.',
        checks: ['U12'],
        tests: [
          'U12 a code has the other name that it is given, in the body and in its items',
          "U12 by default, or 'documented', errors are {detail, code, errors}",
          "U12 with 'nested' each error is at the path of its field",
        ],
      },
    ],
    notChecked: [],
  },
];
