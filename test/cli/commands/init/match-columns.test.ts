/** `matchColumns` finds the field of a column by its name and its content. */
import { describe, expect, test } from 'vitest';
import { matchColumns } from '../../../../src/cli/commands/init/match-columns.js';
import { headerRows, LANGUAGES } from './headers/rows.js';

const match = (...names: string[]) => matchColumns(names.map((name) => ({ name, values: [] })));

const fieldOf = (column: string) => match(column).matched[0]?.field.path;

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

test.each(['Solde', 'Remarque', 'Nominal', '', '€', 'Vertragsende', 'Nom du conjoint', 'Site Name', 'Numéro fiscal'])(
  '%s has no field',
  (column) => {
    expect(match(column).matched).toEqual([]);
  },
);

describe('exports in six languages', () => {
  test.each(LANGUAGES)('%s: of 30 rows of names, nine tenths are found and none is wrong', (language) => {
    const rows = headerRows(language);
    expect(rows).toHaveLength(30);
    const wrong: string[] = [];
    let [found, mappable] = [0, 0];
    for (const row of rows) {
      const { matched } = match(...row.map(({ name }) => name));
      for (const { name, path } of row) {
        const got = matched.find(({ column, house }) => column === name || house === name)?.field.path;
        if (path !== undefined) mappable++;
        if (got !== undefined && got !== path) wrong.push(`${name}: ${got}, and not ${path}`);
        else if (got !== undefined) found++;
      }
    }
    expect(wrong).toEqual([]);
    expect(mappable).toBeGreaterThan(300);
    expect(found / mappable).toBeGreaterThan(0.9);
  });
});

test.each([
  ['the more exact name', 'account number', 'id', 'account.external_account_number', ['id', 'account number']],
  ['one of those with the same words', 'Nom', 'NOM', 'account.customers.0.family_name', ['Nom', 'NOM']],
])(
  'of two columns for one field %s is taken, and the other one is listed with the field',
  (_, taken, column, candidate, columns) => {
    const { matched, candidates } = match(...columns);
    expect(matched.map(({ column }) => column)).toEqual([taken]);
    expect(candidates.get(column)).toBe(candidate);
  },
);

test.each(['N° contrat', 'N° de contrat', 'Numéro contrat', 'Contrat', 'Contract number', 'Contract', 'Vertragsnr.'])(
  'the column %s has the account numbers, if no other name fits better',
  (column) => {
    const { matched } = match(column, 'Nom');
    expect(matched[0]).toMatchObject({ column, field: { path: 'account.external_account_number' } });
    const better = match(column, 'Account number');
    expect(better.matched[0]).toMatchObject({ column: 'Account number' });
    expect(better.matched).toHaveLength(1);
  },
);

describe('telephone numbers', () => {
  const paths = (...names: string[]) =>
    match(...names).matched.map(({ column, field }) => [column, field.path.split('.').at(-1)]);

  test('a number of any kind is the landline beside a mobile number', () => {
    expect(paths('Telefon', 'Mobil')).toEqual([
      ['Mobil', 'mobile'],
      ['Telefon', 'landline'],
    ]);
  });

  test('a number of any kind is the mobile number beside a landline, or without another number', () => {
    expect(paths('Tel.', 'Festnetz')).toEqual([
      ['Tel.', 'mobile'],
      ['Festnetz', 'landline'],
    ]);
    expect(paths('Téléphone')).toEqual([['Téléphone', 'mobile']]);
  });
});

describe('the content of a column', () => {
  const path = (name: string, ...values: string[]) =>
    matchColumns([
      { name: 'Nom', values: [] },
      { name, values },
    ]).matched.find(({ column }) => column === name)?.field.path;
  const POINT = 'account.supply_addresses.0.supply_points.0.identifier';

  test.each([
    ['Zone 3', ['alix.arbois@example.com', 'b.cormier@example.com'], 'account.customers.0.email'],
    ['Zone 4', ['12345678901231', '12345678901232'], POINT],
    ['Zone 5', ['ES0021000000000001AB', 'ES0021000000000002CD0F'], POINT],
    ['Zone 6', ['IT001E12345678', 'IT 001 E 12345679'], POINT],
    ['Zone 7', ['871687140000000123', '541448820000000456'], POINT],
    ['Zone 8', ['DE0001234567890123456789012345678'], POINT],
    // The name of the point says electricity, and some are gas.
    ['Type', ['Elec', 'Gaz', 'Elec'], 'account.supply_addresses.0.supply_points.0.supply_type'],
  ])('the column %s with %j is found without its name', (name, values, expected) => {
    expect(path(name, ...values)).toBe(expected);
  });

  test.each([
    ...[
      'SIRET',
      'N° SIREN',
      'N° TVA',
      'USt-IdNr.',
      'MwSt-Nr',
      'Partita IVA',
      'N° facture',
      'Rechnungsnummer',
      'N° compteur',
    ],
    ...['Zählernummer', 'Meter serial number', 'Mandat SEPA', 'BIC', 'Téléphone bureau', 'Contrat cadre', 'Client bis'],
  ])('a column %s with the form of a supply point is none', (name) => {
    expect(path(name, '12345678901231', '12345678901232')).toBeUndefined();
  });

  test.each(['Contrat conseiller', 'Facture agence', 'Bemerkung Vertreter'])(
    'a column %s with e-mail addresses is not that of the customer',
    (name) => {
      expect(path(name, 'alix.arbois@example.com', 'b.cormier@example.com')).toBeUndefined();
    },
  );

  test.each(['Site X', 'Ref. X', 'Acheminement'])('a column %s with the form of a supply point may be one', (name) => {
    expect(path(name, '12345678901231', '12345678901232')).toBe(POINT);
  });

  test.each([
    ['N° de compte', ['FR7630006000011234567890189', 'FR76 3000 6000 0112 3456 7890 189']],
    ['E-mail', ['06 39 98 00 41', '06 39 98 00 42']],
    ['Téléphone', ['oui', 'non']],
    ['Né le', ['Lyon', 'Paris']],
    ['Code postal', ['12 rue des Lilas', '3 place du Marché']],
    ['PDL', ['oui', 'non']],
    ['Énergie', ['vert', 'gris', 'bleu']],
    ['Type', ['Gold', 'Gold']],
    ['Type', ['Elec', 'Gaz', 'Gas and water', 'none']],
    ['Zone 9', ['06 39 98 00 41', '06 39 98 00 42']],
    ['Zone 10', ['31/12/1980', '01/02/1990']],
  ])('the column %s with %j is left to the user', (name, values) => {
    expect(path(name, ...values)).toBeUndefined();
  });

  test('of two numbers, the one that each row has for itself is the account number', () => {
    const { matched, candidates } = matchColumns([
      { name: 'N° client', values: ['C-1', 'C-1', 'C-2'] },
      { name: 'N° contrat', values: ['K-1', 'K-2', 'K-3'] },
    ]);
    expect(matched.map(({ column }) => column)).toEqual(['N° contrat']);
    expect(candidates.get('N° client')).toBe('account.external_account_number');
  });
});

test('a point for electricity and one for gas in a row are two supply points', () => {
  const { matched, supplyType } = match('PCE', 'PDL');
  expect(matched.map(({ column, field }) => [column, field.path])).toEqual([
    ['PDL', 'account.supply_addresses.0.supply_points.0.identifier'],
    ['PCE', 'account.supply_addresses.0.supply_points.1.identifier'],
  ]);
  expect(supplyType).toBe('ELECTRICITY');
  expect(match('PCE').supplyType).toBe('GAS');
  expect(match('EAN').supplyType).toBeUndefined();
});

test('a house number belongs to the street, in the order of the file', () => {
  expect(match('Straße', 'Hausnummer', 'PLZ').matched[0]).toMatchObject({ column: 'Straße', house: 'Hausnummer' });
});
