// Turns one row of legacy/accounts.csv into one record. It only translates: it does not correct wrong values, and the
// check reports them by line. A column that the file does not have throws; row.get('…') reads an optional column.
// On the command line: data-import run accounts.csv --map map.mjs

/** @type {import('data-import-sdk/migration').RowMap} */
export default function map(row) {
  const number = `LEG-${row['N° client']}`;
  const email = row.get('Courriel');
  const balance = Number(row['Solde'].replace(/\s/g, '').replace(',', '.'));
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
        date_of_birth: row['Né(e) le'].split('/').reverse().join('-'),
        mobile: row['Téléphone'].replace(/\s/g, '').replace(/^0/, '+33'),
        // Leave out an empty e-mail address: it would be rejected.
        ...(email && { email }),
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
  if (balance === 0) return { account };
  // A debt of the customer is a charge, a balance in favour of the customer is a credit. The service recognises a
  // repeated transaction by its id.
  const opening = {
    type: balance < 0 ? 'CHARGE' : 'CREDIT',
    reason: balance < 0 ? 'IMPORTED_CHARGE' : 'IMPORTED_CREDIT',
    transaction_id: `${number}-OPENING`,
    transaction_date: '2026-01-10',
    amount: Math.abs(balance),
  };
  return { account, transactions: [opening] };
}
