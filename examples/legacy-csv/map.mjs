// Migrates the export of ../legacy-sql/generate.mjs: one account for each row of customers.csv, with its meters and transactions from
// the other two files in this folder, and each business before the first of its accounts.
// data-import-sdk run customers.csv --map map.mjs --encoding windows-1252 --sandbox
import {
  groupRows,
  keepInvalid,
  omitEmpty,
  parseDate,
  parseDecimal,
  parsePhone,
  readCsv,
} from 'data-import-sdk/mapping';

const read = (file) => readCsv(new URL(file, import.meta.url), { encoding: 'windows-1252' });
const metersOf = await groupRows(read('meters.csv'), 'numero');
const transactionsOf = await groupRows(read('transactions.csv'), 'numero');
const accountsOf = await groupRows(read('customers.csv'), 'siret');

// A wrong value stays in its field with a mark: the check then names it by account and field.
const date = (text) => keepInvalid(parseDate)(text, 'DD/MM/YYYY');
const decimal = (text) => keepInvalid(parseDecimal)(text, ',');

const TYPES = { ELEC: 'ELECTRICITY', GAZ: 'GAS', FACTURE: 'CHARGE', AVOIR: 'CREDIT' };
const REASONS = { FACTURE: 'IMPORTED_CHARGE', AVOIR: 'IMPORTED_CREDIT' };

/** @type {import('data-import-sdk/migration').RowMap} */
export default function map(row) {
  const { numero, siret, adresse, ville } = row;
  const customer = { title: row.civilite, given_name: row.prenom, family_name: row.nom, email: row.courriel };
  const place = { supply_address1: adresse, supply_address3: ville, supply_postcode: row.code_postal };
  const supply_points = metersOf.get(numero)?.map(({ point, energie, debut }) => {
    return { identifier: point, supply_type: TYPES[energie] ?? `⁇${energie}`, supply_start_date: date(debut) };
  });
  const account = {
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: numero,
    unknown_occupier: false,
    billing_address1: adresse,
    billing_address3: ville,
    billing_postcode: row.code_postal,
    customers: [{ ...customer, mobile: keepInvalid(parsePhone)(row.mobile, 'FR'), date_of_birth: date(row.naissance) }],
    supply_addresses: [{ ...place, supply_points }],
  };
  const transactions = transactionsOf.get(numero)?.map(({ id, type, libelle, ...rest }) => {
    const values = { transaction_date: date(rest.date), amount: decimal(rest.montant), display_note: libelle };
    return { transaction_id: id, type: TYPES[type] ?? `⁇${type}`, reason: REASONS[type] ?? `⁇${type}`, ...values };
  });
  if (row.type !== 'PRO') return omitEmpty({ account, transactions });
  const business = { business_type: 'COMPANY', siret, business_contract_identifier: row.contrat };
  const record = { account: { ...account, account_type: 'BUSINESS', business }, transactions };
  const accounts = accountsOf.get(siret) ?? [];
  return omitEmpty(accounts[0]?.numero === numero ? [businessOf(siret, accounts), record] : [record]);
}

function businessOf(siret, accounts) {
  const signed = new Map(accounts.map(({ contrat, signature }) => [contrat, date(signature)]));
  const business_contracts = [...signed].sort().map(([identifier, signed_at_date]) => ({ identifier, signed_at_date }));
  const business = { business_type: 'COMPANY', company_name: accounts[0].raison_sociale, siret, business_contracts };
  return { business: { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: siret, business } };
}
