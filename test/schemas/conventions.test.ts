/** The kinds of value that the document's conventions define: dates, datetimes, telephone numbers, open names. */
import { describe, expect, it } from 'vitest';
import { accountSchema, dateSchema, datetimeSchema } from '../../schemas/index.js';
import { domesticAccount } from '../examples/account.js';
import { attrsAndCodes, withValue } from './change.js';

describe('C5 dates are real calendar dates, YYYY-MM-DD', () => {
  it.each(['2024-02-29', '2000-02-29', '2023-02-28', '2024-12-31', '2024-01-01', '1931-04-30', '9999-12-31'])(
    'takes %s',
    (date) => {
      expect(dateSchema.parse(date)).toBe(date);
    },
  );

  it.each([
    ['2023-02-29', 'no leap year'],
    ['1900-02-29', 'a century that is no leap year'],
    ['2024-02-30', 'no such day'],
    ['2024-04-31', 'no such day'],
    ['2024-13-01', 'no such month'],
    ['2024-00-01', 'no such month'],
    ['2024-01-00', 'no such day'],
    ['2024-01-32', 'no such day'],
    ['20240101', 'no hyphens'],
    ['2024-1-1', 'single digits'],
    ['24-01-01', 'a short year'],
    ['2024/01/01', 'slashes'],
    ['01-01-2024', 'the day first'],
    ['2024-01', 'no day'],
    ['2024-W01-1', 'a week date'],
    ['2024-001', 'a day of the year'],
    ['2024-01-01T00:00:00Z', 'a datetime'],
    [' 2024-01-01', 'a space before'],
    ['2024-01-01\n', 'a line end after'],
    ['+002024-01-01', 'a long year'],
    ['', 'nothing'],
  ])('refuses %j: %s', (date) => {
    expect(attrsAndCodes(dateSchema, date)).toEqual([{ attr: '', code: 'invalid_date' }]);
  });
});

describe('C5 datetimes have seconds, and end in Z or in an offset', () => {
  it.each([
    ...['2024-01-01T10:00:00Z', '2024-02-29T23:59:59Z', '2024-01-01T10:00:00+02:00', '2024-01-01T10:00:00-11:30'],
    ...['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.123456+01:00'],
  ])('takes %s', (datetime) => {
    expect(datetimeSchema.parse(datetime)).toBe(datetime);
  });

  it.each([
    ['2024-01-01T10:00:00', 'no offset'],
    ['2024-01-01T10:00Z', 'no seconds'],
    ['2024-01-01T10:00+02:00', 'no seconds'],
    ['2024-01-01', 'a date'],
    ['2023-02-29T10:00:00Z', 'no such day'],
    ['2024-13-01T10:00:00Z', 'no such month'],
    ['2024-01-01T24:00:00Z', 'no such hour'],
    ['2024-01-01T10:60:00Z', 'no such minute'],
    ['2024-01-01T10:00:60Z', 'no such second'],
    ['2024-01-01T10:00:00+0200', 'an offset without colon'],
    ['2024-01-01T10:00:00+02', 'an offset without minutes'],
    ['2024-01-01T10:00:00+24:00', 'no such offset'],
    ['2024-01-01 10:00:00Z', 'a space for the T'],
    ['20240101T100000Z', 'the basic form'],
    ['2024-01-01T10:00:00.Z', 'a point without digits'],
    ['', 'nothing'],
  ])('refuses %j: %s', (datetime) => {
    expect(attrsAndCodes(datetimeSchema, datetime)).toEqual([{ attr: '', code: 'invalid_datetime' }]);
  });
});

describe('E4 telephone numbers', () => {
  it('Zod itself prints it in a sentence, as the message of an issue', () => {
    const { error } = accountSchema.safeParse(withValue(domesticAccount, 'customers.0.landline', 'none'));
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'Expected a telephone number, best in international form such as +33612345678.',
    ]);
  });

  const withLandline = (landline: unknown) => withValue(domesticAccount, 'customers.0.landline', landline);
  const withMobile = (mobile: unknown) => withValue(domesticAccount, 'customers.0.mobile', mobile);

  it.each([
    ['', 'may be empty'],
    ['0412345678', 'national'],
    ['04 12 34 56 78', 'with spaces'],
    ['04.12.34.56.78', 'with points'],
    ['04-12-34-56-78', 'with hyphens'],
    ['(0)4 12 34 56 78', 'with brackets'],
    ['+33412345678', 'international'],
    ['+33 (0)4 12 34 56 78', 'international with the national 0'],
    ['+1 212-555-0100', 'of another country'],
    ['+33612345678', 'of a mobile range'],
    ['01\u00a023\u00a045\u00a067\u00a089', 'with spaces that do not break'],
    ['\t0123456789 ', 'with spaces around it'],
    ['01–23–45–67–89', 'with dashes'],
    ['+33 1 23 45 67 89 ext. 12', 'with an extension'],
    ['0123456789x12', 'with an extension'],
    ['0123456789 #12', 'with an extension'],
    ['＋33123456789', 'with a wide plus sign'],
    ['3631', 'a short number'],
  ])('takes landline %j: %s', (landline) => {
    expect(attrsAndCodes(accountSchema, withLandline(landline))).toEqual([]);
  });

  it.each([
    ['none', 'letters'],
    ['04123456 or later', 'letters after the digits'],
    ['123', 'too short'],
    ['0123456789 ext', 'no extension'],
    ['0123456789 ext. twelve', 'letters'],
    ['+331234567890123456', 'too long'],
    ['++33412345678', 'two signs'],
    ['+0612345678', 'no country code begins with 0'],
    ['＋06 12 34 56 78', 'the same with a wide plus sign and spaces'],
    ['+33412', 'international, and too short'],
    [' ', 'blank'],
    ['-', 'no digit'],
  ])('refuses landline %j: %s', (landline) => {
    expect(attrsAndCodes(accountSchema, withLandline(landline))).toEqual([
      { attr: 'customers.0.landline', code: 'invalid_phone_number' },
    ]);
  });

  it.each([
    ['+33612345678', 'a mobile range'],
    ['+33412345678', 'a range of fixed lines'],
    ['+33 6 12 34 56 78', 'with spaces'],
    ['+33 (0)6.12.34.56.78', 'with brackets and points'],
    ['+447700900123', 'another country'],
    ['+123456789012345', 'the longest'],
    ['0033612345678', 'as it is dialled'],
    ['+33\u00a06\u00a012\u00a034\u00a056\u00a078', 'with spaces that do not break'],
    [' ＋33 6–12–34–56–78 ', 'with dashes, a wide plus sign and spaces around it'],
    ['+33612345678 x4', 'with an extension'],
  ])('takes mobile %j: %s', (mobile) => {
    expect(attrsAndCodes(accountSchema, withMobile(mobile))).toEqual([]);
  });

  it.each([
    ['', 'may not be empty'],
    ['0612345678', 'national'],
    ['000612345678', 'no country code begins with 0'],
    ['33612345678', 'no plus sign'],
    ['+0612345678', 'no country code begins with 0'],
    ['+33', 'too short'],
    ['+1234567890123456', 'too long'],
    ['+33six12345678', 'letters'],
    ['call me', 'words'],
  ])('refuses mobile %j: %s', (mobile) => {
    expect(attrsAndCodes(accountSchema, withMobile(mobile))).toEqual([
      { attr: 'customers.0.mobile', code: 'invalid_phone_number' },
    ]);
  });

  it('E4 a wrong landline of the first customer has the documented attr', () => {
    expect(attrsAndCodes(accountSchema, withLandline('12'))).toEqual([
      { attr: 'customers.0.landline', code: 'invalid_phone_number' },
    ]);
  });
});

describe('fields that may be empty', () => {
  it.each([
    ...['billing_address1', 'billing_address2', 'billing_address3', 'billing_address4', 'customers.0.landline'],
    ...['customers.0.deceased'],
  ])('%s takes an empty string', (attr) => {
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, ''))).toEqual([]);
  });
});

it('an undocumented consent passes: consent_data is an object of consent names and booleans', () => {
  const attr = 'supply_addresses.0.supply_points.0.consent_data.ELEC_MAX_POWER';

  expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, true))).toEqual([]);
  expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, 'yes'))).toEqual([
    { attr, code: 'invalid_type' },
  ]);
});
