/** The endpoints for what comes before the accounts: supply points and businesses. */
import type { Chapter } from '../chapter.js';

export const beforeAccounts: readonly Chapter[] = [
  {
    title: 'Endpoints',
    rows: [
      {
        id: 'D130',
        says: 'All paths begin with {base_url}/v1/data-import/.',
        checks: ['C1', 'U1'],
        tests: [
          'C1 the table has exactly the fourteen endpoints',
          '$id $name > C1 is ',
          'C1 %s %s without its trailing slash is 404 (U1)',
          "U1 with 'redirect' %s %s is 301 to the path with it",
        ],
      },
      {
        id: 'D131',
        says: 'All require the Authorization header.',
        checks: ['C2', 'U2'],
        tests: [
          'C2 %s %s without a token is 401 (U2)',
          'every call > %s: headers',
          'U2 with %s a list and a business payment instruction without a token are %j',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Pre-population',
    rows: [
      {
        id: 'D132',
        says: 'POST supply-point/populate/',
        checks: ['C1', 'E1'],
        tests: ['E1 supplyPoints.populate', 'C1 GET on supply-point/populate/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D133',
        says: 'prm_ids array of string (electricity point ids); pce_ids array of string (gas point ids)',
        checks: ['C3', 'E1', 'U24'],
        tests: [
          'PopulatePayload > C3 refuses a wrong value at prm_ids',
          'PopulatePayload > C3 refuses a wrong value at prm_ids.1',
          'PopulatePayload > C3 refuses a wrong value at pce_ids',
          'PopulatePayload > C3 refuses a wrong value at pce_ids.0',
          'E1 populate: a wrong type is 400 with its attr (U24)',
          "U24 by default, or 'accept', no supply point is taken: %j",
          'U24 with %s the lookups of points that come twice are %j',
        ],
      },
      {
        id: 'D134',
        says: 'customer_category string (a category label; allowed values not shown)',
        checks: ['C3', 'E1'],
        tests: [
          'PopulatePayload > C3 refuses a wrong value at customer_category',
          'E1 populate: valid gives 201 with a batch_id',
        ],
      },
      {
        id: 'D135',
        says: '201 {batch_id string}',
        checks: ['E1', 'U24'],
        tests: [
          'E1 populate: valid gives 201 with a batch_id',
          'E1 batch_id is not there, or true in its place',
          'U24 with %s a batch id has the form %s, each its own',
        ],
      },
      {
        id: 'D136',
        says: '400 validation errors',
        checks: ['E1'],
        tests: ['E1 populate: a wrong type is 400 with its attr (U24)'],
      },
      {
        id: 'D137',
        says: 'The lookups run asynchronously; the outgoing request rate to the registries is throttled through configuration in the operator support site.',
        checks: ['E1'],
        tests: [
          'E1 populate: the lookups are queued and complete at the throttled rate, by the clock',
          'E1 populate: once the queue has run empty, a new batch starts at the clock',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Business',
    rows: [
      {
        id: 'D138',
        says: 'POST business/',
        checks: ['C1', 'E2'],
        tests: ['E2 businesses.create', 'C1 GET on business/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D139',
        says: 'Business payload; 201 {service_business_id integer, external_business_identifier string}',
        checks: ['E2'],
        tests: [
          'E2 business: 201 with an integer service_business_id and the identifier',
          'an answer that violates the API specification is refused > E2 the id is an integer',
        ],
      },
      {
        id: 'D140',
        says: 'business/: 400',
        checks: ['E2'],
        tests: ['E2 business: an invalid one is 400 with the path of the invalid field'],
      },
      {
        id: 'D141',
        says: 'POST business-payment-instruction/create/',
        checks: ['C1', 'E3'],
        tests: [
          'E3 businesses.createPaymentInstruction',
          'C1 GET on business-payment-instruction/create/ is 405 and Allow says POST (U1)',
        ],
      },
      {
        id: 'D142',
        says: 'import_supplier_code, external_business_identifier, vendor, reference, type',
        checks: ['C3', 'E3'],
        tests: [
          'BusinessPaymentInstruction > C3 refuses a wrong value at import_supplier_code',
          'BusinessPaymentInstruction > C3 refuses a wrong value at external_business_identifier',
          'BusinessPaymentInstruction > C3 refuses a wrong value at vendor',
          'BusinessPaymentInstruction > C3 refuses a wrong value at reference',
          'BusinessPaymentInstruction > C3 refuses a wrong value at type',
          'E3 a payment instruction is added to a business',
        ],
      },
      {
        id: 'D143',
        says: 'accounts array of {external_account_number string}',
        checks: ['C3', 'E3', 'U21'],
        tests: [
          'BusinessPaymentInstruction > C3 refuses a wrong value at accounts',
          'BusinessPaymentInstruction > C3 refuses a wrong value at accounts.0.external_account_number',
          'E3 business payment instruction: an account that is unknown is 400 (U21)',
          'E3 business payment instruction: an account that is only staged is known: 201, stored with it (U21)',
          "U21 with 'refuse' it is not found, and the detail says what is to be done",
          "U21 by default, or 'optional', accounts may be left out: %j",
          "U21 with 'required' at least one account must be named: %j",
        ],
      },
      {
        id: 'D144',
        says: '201 {reference string, external_business_identifier string}',
        checks: ['E3'],
        tests: [
          'E3 business payment instruction: 201 with reference and identifier, stored once',
          'E3 reference is not there, or true in its place',
        ],
      },
      {
        id: 'D145',
        says: 'business-payment-instruction/create/: 400',
        checks: ['E3', 'U21'],
        tests: [
          'E3 business payment instruction: an unknown supplier or a missing reference is 400',
          'E3 business payment instruction: an unknown business is 400 (U21)',
          'U21 by default, or 400, an unknown %s is 400 %s',
          'U21 with 404 an unknown %s is 404 %s',
        ],
      },
      {
        id: 'D146',
        says: '400 is also returned on persistent failure to reach the upstream payment vendor (do not retry unchanged).',
        checks: ['E3', 'C1', 'U22'],
        tests: [
          'E3 business payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
          'C1 400 is never asked for again: %s',
          "U22 with 'error_detail' those of a business hold its identifiers",
        ],
      },
      {
        id: 'D147',
        says: '401 is returned when the authorization token is missing or invalid.',
        checks: ['C2', 'U2'],
        tests: [
          'C2 POST business-payment-instruction/create/ without a token is 401 (U2)',
          'C2 POST business-payment-instruction/create/ with an invalid token is 401 (U2)',
          'C2 a wrong token gives AuthenticationError',
        ],
      },
      {
        id: 'D148',
        says: '500 is returned on an unexpected error, including intermittent vendor failure (retry as-is).',
        checks: ['E3', 'E10', 'U22'],
        tests: [
          'E3 business payment instruction: a vendor that fails twice is 500 twice, then the same body is stored once',
          "500 in the service's own words is an answer: it may be asked again (E3, E10)",
          "U22 by default, or 'documented', the bodies are as of other errors",
        ],
      },
    ],
    notChecked: [],
  },
];
