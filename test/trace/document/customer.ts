/** The account that is validated and staged: its customers. */
import type { Chapter } from '../chapter.js';

export const customer: readonly Chapter[] = [
  {
    title: 'Account payload (validate and stage): customers',
    rows: [
      {
        id: 'D55',
        says: 'Customer: title string, given_name string, family_name string, email string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.title',
          'Account > C3 refuses a wrong value at customers.0.given_name',
          'Account > C3 refuses a wrong value at customers.0.family_name',
          'Account > C3 refuses a wrong value at customers.0.email',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D56',
        says: 'mobile: string (international phone format)',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.mobile',
          'E4 telephone numbers > takes mobile',
          'E4 telephone numbers > refuses mobile',
        ],
      },
      {
        id: 'D57',
        says: 'landline: string (may be empty; validated as a phone number when given)',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.landline',
          'E4 telephone numbers > takes landline',
          'E4 telephone numbers > refuses landline',
          'E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline',
        ],
      },
      {
        id: 'D58',
        says: 'date_of_birth: date',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.date_of_birth',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D59',
        says: 'deceased: string (may be empty)',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.deceased',
          'fields that may be empty > customers.0.deceased takes an empty string',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D60',
        says: 'customer_preferences: object of booleans opted_into_updates, opted_into_sms, opted_into_offers, opted_into_recommended',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at customers.0.customer_preferences.opted_into_updates',
          'Account > C3 refuses a wrong value at customers.0.customer_preferences.opted_into_sms',
          'Account > C3 refuses a wrong value at customers.0.customer_preferences.opted_into_offers',
          'Account > C3 refuses a wrong value at customers.0.customer_preferences.opted_into_recommended',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
    ],
    notChecked: [],
  },
];
