// Turns one row of legacy/accounts.csv into one record. It only translates: it does not correct wrong values, and the
// check reports them by line. A column that the file does not have throws; row.get('…') reads an optional column.
// On the command line: data-import-sdk run accounts.csv --map map.mjs
import { keepInvalid, omitEmpty, parseDate, parseDecimal, parsePhone } from 'data-import-sdk/mapping';
/** @import { Account, Transaction } from 'data-import-sdk' */
/** @import { CsvRow, ImportRecord } from 'data-import-sdk/migration' */

/** @param {CsvRow} row @returns {ImportRecord} */
export default function map(row) {
  const number = `LEG-${row['N° client']}`;
  const balance = parseDecimal(row['Solde'], ',') ?? 0;
  /** @type {Account} */
  const account = {
    external_account_number: number,
    import_supplier: 'SANDBOX_SUPPLIER',
    billing_address1: row['Adresse'],
    billing_postcode: row['Code postal'],
    customers: [
      {
        title: row['Civilité'],
        given_name: row['Prénom'],
        family_name: row['Nom'],
        date_of_birth: keepInvalid(parseDate)(row['Né(e) le'], 'DD/MM/YYYY'),
        mobile: keepInvalid(parsePhone)(row['Téléphone'], 'FR'),
        email: row.get('Courriel'),
      },
    ],
    supply_addresses: [
      {
        supply_address1: row['Adresse'],
        supply_postcode: row['Code postal'],
        supply_points: [{ identifier: row['PDL'], supply_type: 'ELECTRICITY' }],
      },
    ],
  };
  // A debt of the customer is a charge, a balance in favour of the customer is a credit. The service recognises a
  // repeated transaction by its id.
  /** @type {Transaction} */
  const opening = {
    type: balance < 0 ? 'CHARGE' : 'CREDIT',
    reason: balance < 0 ? 'IMPORTED_CHARGE' : 'IMPORTED_CREDIT',
    transaction_id: `${number}-OPENING`,
    transaction_date: '2026-01-10',
    amount: Math.abs(balance),
  };
  return omitEmpty({ account, transactions: balance === 0 ? [] : [opening] });
}
