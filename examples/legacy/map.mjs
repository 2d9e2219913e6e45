// Turns one row of legacy/accounts.csv into one record. It only translates: what is wrong stays wrong, and the check
// says so, by line. A column that the file does not have throws; row.get('…') reads one that may be missing.
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
        // Leave out what there is none of: an empty e-mail address is none.
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
  // What the customer owes is a charge, what we owe is a credit; the id makes it the same one if it is sent again.
  const opening = {
    type: balance < 0 ? 'CHARGE' : 'CREDIT',
    reason: balance < 0 ? 'IMPORTED_CHARGE' : 'IMPORTED_CREDIT',
    transaction_id: `${number}-OPENING`,
    transaction_date: '2026-01-10',
    amount: Math.abs(balance),
  };
  return { account, transactions: [opening] };
}
