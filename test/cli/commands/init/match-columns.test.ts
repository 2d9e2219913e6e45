/** `matchColumns` finds the field of a column by its name. */
import { expect, test } from 'vitest';
import { matchColumns } from '../../../../src/cli/commands/init/match-columns.js';

const fieldOf = (column: string) => matchColumns([column]).matched[0]?.field.path;

test.each([
  ['N° client', 'account.external_account_number'],
  ['Account Number', 'account.external_account_number'],
  ['accountNumber', 'account.external_account_number'],
  ['external_account_number', 'account.external_account_number'],
  ['Kundennummer', 'account.external_account_number'],
  ['KdNr', 'account.external_account_number'],
  ['Contract no', 'account.external_account_number'],
  ['Civilité', 'account.customers.0.title'],
  ['Prénom', 'account.customers.0.given_name'],
  ['FIRST_NAME', 'account.customers.0.given_name'],
  ['Nom', 'account.customers.0.family_name'],
  ['Courriel', 'account.customers.0.email'],
  ['E-Mail', 'account.customers.0.email'],
  ['Téléphone', 'account.customers.0.mobile'],
  ['Né(e) le', 'account.customers.0.date_of_birth'],
  ['DOB', 'account.customers.0.date_of_birth'],
  ['Adresse', 'account.billing_address1'],
  ['Straße', 'account.billing_address1'],
  ['Ville', 'account.billing_address3'],
  ['Code postal', 'account.billing_postcode'],
  ['PLZ', 'account.billing_postcode'],
  ['Adresse de livraison', 'account.supply_addresses.0.supply_address1'],
  ['PDL', 'account.supply_addresses.0.supply_points.0.identifier'],
  ['Énergie', 'account.supply_addresses.0.supply_points.0.supply_type'],
  ['Date de début', 'account.supply_addresses.0.supply_points.0.supply_start_date'],
])('%s is %s', (column, path) => {
  expect(fieldOf(column)).toBe(path);
});

test.each(['Solde', 'Remarque', 'Nominal', ''])('%s has no field', (column) => {
  expect(matchColumns([column])).toEqual({ matched: [], unmatched: [column] });
});

test('of two columns for one field the more exact name is taken, and the other one is listed', () => {
  const { matched, unmatched } = matchColumns(['id', 'account number']);
  expect(matched.map(({ column }) => column)).toEqual(['account number']);
  expect(unmatched).toEqual(['id']);
});

test('two columns whose names have the same words are listed both, one of them as matched', () => {
  const { matched, unmatched } = matchColumns(['Nom', 'NOM']);
  expect(matched).toHaveLength(1);
  expect([...matched.map(({ column }) => column), ...unmatched].sort()).toEqual(['NOM', 'Nom']);
});

test.each([
  'N° contrat',
  'N° de contrat',
  'Numéro contrat',
  'Contrat',
  'Contract number',
  'Contract',
  'N° de compte',
  'Vertragsnr.',
])('the column %s has the account numbers, if no other name fits better', (column) => {
  const { matched } = matchColumns([column, 'Nom']);
  expect(matched[0]).toMatchObject({ column, field: { path: 'account.external_account_number' } });
  const better = matchColumns([column, 'Account number']);
  expect(better.matched[0]).toMatchObject({ column: 'Account number' });
  expect(better.unmatched).toEqual([column]);
});
