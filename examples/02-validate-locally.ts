/** Finds mistakes in an export before anything is sent; this program makes no request. */
import { defineProfile, validateAccount } from 'data-import-sdk';

const row: unknown = JSON.parse(`{
  "external_account_number": "A-1",
  "import_supplier": "SANDBOX_SUPPLIER",
  "biling_postcode": "75011",
  "account_type": "BUSINESS",
  "business": { "siret": "73282932000075" },
  "customers": [{ "given_name": "Alix", "landline": "ask at the desk", "date_of_birth": "1990-02-30" }]
}`);

const { ok, findings } = validateAccount(row);
console.log(ok ? 'may be sent' : 'would be refused');
console.table(findings.map(({ severity, attr, code, detail }) => ({ severity, attr, code, detail })));

// The stricter rules of one deployment go into a profile: data that defineProfile checks.
const profile = defineProfile({
  required: { Account: ['billing_postcode', 'customers.*.email'] },
  lengths: { Account: { 'customers.*.given_name': 255 } },
  fields: { Account: { energy_region: 'string' } },
});
const strict = validateAccount(row, { profile, warnings: false });
console.table(strict.findings.map(({ attr, code }) => ({ attr, code })));
