/** `dateForm` and others find the form of the values of a column. */
import { describe, expect, test } from 'vitest';
import {
  areInternational,
  dateForm,
  supplyTypeOf,
  supplyTypes,
} from '../../../../src/cli/commands/init/value-forms.js';
import { parseDate } from '../../../../src/migration/input/csv/mapping/parse-date.js';

describe('dates', () => {
  const CENTURY = 'years of two digits: check the century';
  const ZONE = 'the day is that of the time zone in the text: check it';
  const UNCLEAR = 'the form of these dates is not clear: check it';

  test.each<[values: string[], form: string, remark?: string]>([
    [['2024-12-31', '2024-01-02'], 'YYYY-MM-DD'],
    [['31/12/2024', '01/02/2024'], 'DD/MM/YYYY'],
    [['31/12/2024', '1/2/2024'], 'D/M/YYYY'],
    [['31/12/2024', '11/2/2024'], 'D/M/YYYY'],
    [['12/31/2024', '1/2/2024'], 'M/D/YYYY'],
    [['2024/12/31', '2024/1/2'], 'YYYY/M/D'],
    [['12/31/2024', '01/02/2024'], 'MM/DD/YYYY'],
    [['31.12.2024'], 'DD.MM.YYYY'],
    [['31-12-2024'], 'DD-MM-YYYY'],
    [['20241231'], 'YYYYMMDD'],
    [['2024/12/31'], 'YYYY/MM/DD'],
    [['31/12/24'], 'DD/MM/YY', CENTURY],
    [['31.12.24', '1.2.24'], 'D.M.YY', CENTURY],
    [['4/3/26', '4/13/26'], 'M/D/YY', CENTURY],
    [['31-12-24', '01-02-24'], 'DD-MM-YY', CENTURY],
    [['01/02/2024', '03/04/2024'], 'DD/MM/YYYY', 'day or month first? The dates fit both: check it'],
    [['2024-12-31T00:00:00Z'], 'YYYY-MM-DDTH:mm:ssZ'],
    [['1980-03-02T23:30:00Z', '1980-03-31T00:30:00+02:00'], 'YYYY-MM-DDTH:mm:ssZ', ZONE],
    [['2024-12-31 08:30:00.123'], 'YYYY-MM-DD H:mm:ss.SSS'],
    [['2024-12-31 08:30:00.1234567 +00:00', '2024-12-01 08:30:00.0 -05:00'], 'YYYY-MM-DD H:mm:ss.SSS Z', ZONE],
    [['2024-12-31 00:00:00+00'], 'YYYY-MM-DD H:mm:ssZ'],
    [['31.12.2024 08:30', '01.02.2024 8:30'], 'DD.MM.YYYY H:mm'],
    [['12/31/2024 8:30 AM', '1/2/2024 12:00 pm'], 'M/D/YYYY h:mm A'],
    // Without a form that nearly all have, it is that of most of them.
    [['12/31/2024', '12/30/2024', '31.12.2024'], 'MM/DD/YYYY', UNCLEAR],
    [[], 'DD/MM/YYYY', UNCLEAR],
    [['soon', 'later'], 'DD/MM/YYYY', UNCLEAR],
  ])('%j have the form %s, with the remark: %s', (values, form, remark) => {
    expect(dateForm(values)).toEqual({ form, remark });
  });

  const WITH_TIME = ['2024-12-31T08:30:00.1Z', '2024-1-2 8:30', '31.12.2024 08:30:00 +02:00', '1/2/2024 8:30:00 p.m.'];

  test('each form is one that parseDate reads', () => {
    for (const text of [
      '2024/12/31',
      '20241231',
      '31/12/2024',
      '31.1.2024',
      '31-12-2024',
      '31/12/24',
      '1.2.24',
      ...WITH_TIME,
    ]) {
      expect(parseDate(text, dateForm([text]).form, { latestYear: 2026 })).toMatch(/^2024-/);
    }
  });

  test('one wrong value of twelve does not change the form', () => {
    expect(dateForm([...Array(11).fill('31/12/2024'), 'unknown']).form).toBe('DD/MM/YYYY');
  });
});

test('telephone numbers are international if they begin with + and have only digits', () => {
  expect(areInternational(['+33639981234', '+4915112345678'])).toBe(true);
  expect(areInternational(['06 39 98 12 34'])).toBe(false);
  expect(areInternational([])).toBe(false);
});

describe('what is supplied', () => {
  test('known words in four languages', () => {
    expect([...supplyTypes(['ELEC', 'Électricité', 'Strom', 'E', 'GAZ', 'Gas', 'Holz'])]).toEqual([
      ['E', 'ELECTRICITY'],
      ['ELEC', 'ELECTRICITY'],
      ['GAZ', 'GAS'],
      ['Gas', 'GAS'],
      ['Holz', undefined],
      ['Strom', 'ELECTRICITY'],
      ['Électricité', 'ELECTRICITY'],
    ]);
  });

  test.each([
    ...[
      'Elec + gaz',
      'Gaz + elec',
      'Strom/Gas',
      'Gas und Strom',
      'Luz y gas',
      'luce e gas',
      'Gas e luce',
      'gas & power',
    ],
    ...['E/G', 'G/E', 'E+G', 'EG', 'GE', 'elec_gaz', 'gaz2elec', 'GazElec', 'Gas-Strom', 'El gas', 'gas, electricity'],
    // Words for the other energy that are not known, and words for several.
    ...['Gaz + courant', 'gas and light', 'gaz et lumière', 'Dual', 'Gas (dual)', 'Elec mixte', 'Gas Kombi'],
    // Names of electricity that begin as a name of gas does.
    ...['Grünstrom', 'Green electricity', 'groene stroom'],
  ])('%s is not decided', (value) => {
    expect(supplyTypeOf(value)).toBeUndefined();
  });

  test.each([
    ['E', 'ELECTRICITY'],
    ['Elec.', 'ELECTRICITY'],
    ['energia elettrica', 'ELECTRICITY'],
    ['Stroom 1', 'ELECTRICITY'],
    ['G', 'GAS'],
    ['G2', 'GAS'],
    ['GN', 'GAS'],
    ['Gaz naturel', 'GAS'],
    ['gas_natural', 'GAS'],
  ])('%s is %s', (value, type) => {
    expect(supplyTypeOf(value)).toBe(type);
  });

  test('a column with many different values is something else: none of them is copied into the code', () => {
    expect(supplyTypes(Array.from({ length: 11 }, (_, index) => `Person ${index}`)).size).toBe(0);
  });
});
