/** A migration of two accounts that looks at no answer. */
const { DATA_IMPORT_BASE_URL, DATA_IMPORT_TOKEN, DATA_IMPORT_TEAM, DATA_IMPORT_SUPPLIER } = process.env;

async function call(path, payload) {
  await fetch(`${DATA_IMPORT_BASE_URL}/v1/data-import/account-import-process/${path}`, {
    method: 'POST',
    headers: { Authorization: `Token ${DATA_IMPORT_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  });
}

for (const external_account_number of ['A-1', 'A-2']) {
  await call('create-or-update/', { external_account_number, import_supplier: DATA_IMPORT_SUPPLIER });
  await call('process/', {
    external_account_number,
    import_supplier_code: DATA_IMPORT_SUPPLIER,
    operations_team_name: DATA_IMPORT_TEAM,
  });
}
