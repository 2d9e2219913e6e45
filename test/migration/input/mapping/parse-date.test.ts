/** parseDate: 200 spellings of dates in real exports, and the calls that are wrong. */
import { describe, expect, test } from 'vitest';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { type ParseDateOptions, parseDate } from '../../../../src/migration/input/csv/mapping/parse-date.js';
import { spellingsOf } from './spellings.js';

/** The text has another form, or the day does not exist. */
const ERROR = 'error';
type Spelling = [text: string, form: string, expected: string, latestYear?: number];

function parsed(text: string, form: string, options?: ParseDateOptions): string | undefined {
  try {
    return parseDate(text, form, options);
  } catch (error) {
    if (error instanceof MappingError && error.value === text) return ERROR;
    throw error;
  }
}

const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = {
  'day, month and year with slashes': spellingsOf(`
    DD/MM/YYYY → 31/12/2024 = 2024-12-31 | 01/01/2000 = 2000-01-01 | 09/07/1983 = 1983-07-09 | 28/02/2023 = 2023-02-28
    DD/MM/YYYY → 29/02/2024 = 2024-02-29 | 30/04/2024 = 2024-04-30 | 05/11/1899 = 1899-11-05 | 31/12/9999 = 9999-12-31
    DD/MM/YYYY → 1/2/2024 | 1/02/2024 | 31/12/24 | 31-12-2024 | 31.12.2024 | 31 12 2024 | 31122024 | 2024/12/31 = error
    DD/MM/YYYY → 12/31/2024 | 31//12/2024 | 31/12/2024/ | 31/12/02024 = error
  `),
  'one or two digits': spellingsOf(`
    D/M/YYYY → 1/2/2024 | 01/02/2024 | 1/02/2024 = 2024-02-01 | 31/12/2024 = 2024-12-31 | 9/10/1999 = 1999-10-09
    D/M/YYYY → 10/9/1999 = 1999-09-10
    D.M.YYYY → 3.5.2021 | 03.05.2021 = 2021-05-03 | 29.2.2020 = 2020-02-29
    D-M-YYYY → 7-8-2019 = 2019-08-07
    M/D/YYYY → 7/12/2019 = 2019-07-12 | 07/4/2019 = 2019-07-04
    YYYY-M-D → 2019-7-4 = 2019-07-04 | 2019-12-04 = 2019-12-04
    D/M/YYYY → 1/2/24 | 001/2/2024 | 0/2/2024 | 1/0/2024 | 1/13/2024 | /2/2024 = error
  `),
  'dots, hyphens and spaces': spellingsOf(`
    DD.MM.YYYY → 31.12.2024 = 2024-12-31 | 01.03.1970 = 1970-03-01
    DD-MM-YYYY → 31-12-2024 = 2024-12-31 | 17-11-1961 = 1961-11-17
    DD MM YYYY → 31 12 2024 | 31  12  2024 | 31\u00a012\u00a02024 = 2024-12-31
    DD. MM. YYYY → 31. 12. 2024 = 2024-12-31
    D. M. YYYY → 1. 2. 2024 = 2024-02-01
    DD_MM_YYYY → 31_12_2024 = 2024-12-31
    DD,MM,YYYY → 31,12,2024 = 2024-12-31
    [DD/MM/YYYY] → [31/12/2024] = 2024-12-31
    DD.MM.YYYY. → 31.12.2024. = 2024-12-31
    DD.MM.YYYY → 31x12x2024 | 31.12.2024. | 31. 12. 2024 = error
    DD-MM-YYYY → 31\u201312\u20132024 = error
    DD.MM.YYYY → 31 12 2024 = error
  `),
  'year first': spellingsOf(`
    YYYY-MM-DD → 2024-12-31 = 2024-12-31 | 1999-01-09 = 1999-01-09 | 2000-02-29 = 2000-02-29
    YYYY/MM/DD → 2024/12/31 = 2024-12-31
    YYYY.MM.DD → 2024.12.31 = 2024-12-31
    YYYY. MM. DD. → 2024. 12. 31. = 2024-12-31
    YYYY-MM-DD → 0001-01-01 = 0001-01-01 | 0044-03-15 = 0044-03-15
    YYYY-DD-MM → 2024-31-12 = 2024-12-31
    YYYY-MM-DD → 0000-01-01 | 0000-00-00 | 1900-02-29 | 2024-12-32 | 2024-13-01 | 24-12-31 | 2024-12 = error
    YYYY-MM-DD → 2024-W52-2 | 2024-366 = error
  `),
  'month first': spellingsOf(`
    MM/DD/YYYY → 12/31/2024 = 2024-12-31 | 02/29/2024 = 2024-02-29 | 07/04/1976 = 1976-07-04
    M/D/YYYY → 4/7/1976 = 1976-04-07
    MM-DD-YYYY → 12-31-2024 = 2024-12-31
    MM.DD.YYYY → 12.31.2024 = 2024-12-31
    MM/DD/YYYY → 31/12/2024 | 13/01/2024 | 02/30/2024 = error
    M/D/YYYY → 2/29/2023 = error
  `),
  'no separators': spellingsOf(`
    YYYYMMDD → 20241231 = 2024-12-31 | 19830704 = 1983-07-04 | 20000229 = 2000-02-29
    DDMMYYYY → 31122024 = 2024-12-31 | 04071983 = 1983-07-04
    MMDDYYYY → 12312024 = 2024-12-31
    DMMYYYY → 4071983 = 1983-07-04 | 14071983 = 1983-07-14
    DDMMYYYY → 4071983 = error
    YYYYMMDD → 2024123 | 202412310 | 20241301 | 20240230 | 00000000 | 99999999 | 2024-12-31 | 45657 | 1735603200 = error
  `),
  'years of two digits': [
    ['31/12/24', 'DD/MM/YY', '2024-12-31', 2026],
    ['31/12/26', 'DD/MM/YY', '2026-12-31', 2026],
    ['01/01/27', 'DD/MM/YY', '1927-01-01', 2026],
    ['01/01/80', 'DD/MM/YY', '1980-01-01', 2026],
    ['01/01/99', 'DD/MM/YY', '1999-01-01', 2026],
    ['01/01/00', 'DD/MM/YY', '2000-01-01', 2026],
    ['01/01/45', 'DD/MM/YY', '1945-01-01', 2026],
    ['01/01/45', 'DD/MM/YY', '2045-01-01', 2050],
    ['01/01/51', 'DD/MM/YY', '1951-01-01', 2050],
    ['01/01/99', 'DD/MM/YY', '1999-01-01', 1999],
    ['01/01/00', 'DD/MM/YY', '1900-01-01', 1999],
    ['29/02/00', 'DD/MM/YY', ERROR, 1999],
    ['29/02/00', 'DD/MM/YY', '2000-02-29', 2026],
    ['29/02/23', 'DD/MM/YY', ERROR, 2026],
    ['1.2.80', 'D.M.YY', '1980-02-01', 2026],
    ['31.12.05', 'D.M.YY', '2005-12-31', 2026],
    ['241231', 'YYMMDD', '2024-12-31', 2026],
    ['311224', 'DDMMYY', '2024-12-31', 2026],
    ['12/31/24', 'MM/DD/YY', '2024-12-31', 2026],
    ['24-12-31', 'YY-MM-DD', '2024-12-31', 2026],
    ['31/12/2024', 'DD/MM/YY', ERROR, 2026],
    ["31/12/'24", 'DD/MM/YY', ERROR, 2026],
    ['31/12/4', 'DD/MM/YY', ERROR, 2026],
  ],
  'a time, which is dropped': spellingsOf(`
    DD/MM/YYYY HH:mm → 31/12/2024 00:00 | 31/12/2024 23:59 = 2024-12-31
    DD/MM/YYYY HH:mm:ss → 31/12/2024 08:30:15 = 2024-12-31
    DD/MM/YYYY H:mm → 31/12/2024 8:30 | 31/12/2024 18:30 = 2024-12-31
    DD/MM/YYYY HH:mm → 31/12/2024  08:30 = 2024-12-31
    MM/DD/YYYY HH:mm → 12/31/2024 08:30 = 2024-12-31
    MM/DD/YYYY h:mm A → 12/31/2024 8:30 AM | 12/31/2024 12:00 PM = 2024-12-31
    MM/DD/YYYY hh:mm A → 12/31/2024 08:30 p.m. = 2024-12-31
    YYYY-MM-DDTHH:mm:ss → 2024-12-31T08:30:00 = 2024-12-31
    YYYY-MM-DDTHH:mm:ssZ → 2024-12-31T23:30:00Z = 2024-12-31
    YYYY-MM-DDTHH:mm:ss.SSSZ → 2024-12-31T08:30:00.000Z = 2024-12-31
    YYYY-MM-DD HH:mm:ss.SSS → 2024-12-31 08:30:00.123 | 2024-12-31 08:30:00.1234567 = 2024-12-31
    YYYY-MM-DDTHH:mm:ssZ → 2024-12-31T23:30:00+02:00 | 2024-12-31T23:30:00-0500 | 2024-12-31T23:30:00+01 = 2024-12-31
    YYYY-MM-DD HH:mm:ss Z → 2024-12-31 23:30:00 UTC | 2024-12-31 23:30:00 +02:00 = 2024-12-31
    YYYY-MM-DDTHH:mm:ssZ → 2024-12-31T23:30:00 | 2024-12-31T23:30:00+2 | 2024-12-31T23:30:00CET = error
    YYYYMMDDHHmmss → 20241231083000 = 2024-12-31
    YYYYMMDDTHHmmss → 20241231T083000 = 2024-12-31
    DD.MM.YYYY, HH:mm → 31.12.2024, 08:30 = 2024-12-31
    HH:mm DD/MM/YYYY → 08:30 31/12/2024 = 2024-12-31
    DD/MM/YYYY HH:mm → 31/12/2024 = error
    DD/MM/YYYY → 31/12/2024 00:00 = error
    DD/MM/YYYY HH:mm → 31/12/2024 24:00 | 31/12/2024 08:60 = error
    DD/MM/YYYY HH:mm:ss → 31/12/2024 08:30:61 = error
    DD/MM/YYYY HH:mm → 31/12/2024 8:30 = error
    DD/MM/YYYY hh:mm A → 31/12/2024 13:30 PM | 31/12/2024 00:30 AM = error
    DD/MM/YYYY HH:mm → 31/12/2024 08h30 = error
    YYYY-MM-DDTHH:mm:ss → 2024-12-31T08:30:00+01:00 | 2024-12-31t08:30:00 | 2024-12-31 08:30:00 = error
  `),
  'days that do not exist': spellingsOf(`
    DD/MM/YYYY → 31/02/1980 | 30/02/2024 | 29/02/2023 | 29/02/2100 | 31/04/2024 | 31/06/2024 | 31/09/2024 = error
    DD/MM/YYYY → 31/11/2024 | 32/01/2024 | 00/01/2024 | 01/00/2024 | 01/13/2024 | 00/00/0000 | 99/99/9999 = error
  `),
  'blanks around the date': [
    [' 31/12/2024', 'DD/MM/YYYY', '2024-12-31'],
    ['31/12/2024 ', 'DD/MM/YYYY', '2024-12-31'],
    ['\t31/12/2024\r', 'DD/MM/YYYY', '2024-12-31'],
    ['\u00a031/12/2024\u00a0', 'DD/MM/YYYY', '2024-12-31'],
    ['\ufeff31/12/2024', 'DD/MM/YYYY', '2024-12-31'],
    ['31/12/ 2024', 'DD/MM/YYYY', ERROR],
    ['31 /12/2024', 'DD/MM/YYYY', ERROR],
    ['31/12/20 24', 'DD/MM/YYYY', ERROR],
  ],
  'what is no date': spellingsOf(`
    DD/MM/YYYY → - | N/A | NULL | null | inconnue | ? | 0 | 1980 | 12/1980 | 31 décembre 2024 | 31 Dec 2024 = error
    DD/MM/YYYY → 31-DEC-24 | Dec 31, 2024 | 31/12/2024 ou 01/01/2025 | né le 31/12/2024 | 31/12/2024? = error
    DD/MM/YYYY → 31/12/2O24 | l1/12/2024 | \u0663\u0661/12/2024 | \uff13\uff11/12/2024 | #VALUE! | ######## = error
    DD/MM/YYYY → 45657,35 | 1.735.603.200 = error
  `),
};

describe.each(Object.entries(SPELLINGS))('%s', (_, spellings) => {
  test.each<Spelling>(spellings)('%j as %s: %s', (text, form, expected, latestYear) => {
    expect(parsed(text, form, { latestYear })).toBe(expected);
  });
});

test('there are 200 spellings', () => {
  expect(Object.values(SPELLINGS).flat().length).toBeGreaterThanOrEqual(200);
});

test.each([undefined, '', ' ', '\t', '\u00a0', '\r\n'])('no text, %j, is no date', (text) => {
  expect(parseDate(text, 'DD/MM/YYYY')).toBeUndefined();
});

describe('a wrong call', () => {
  const invalid = (form: string, why: string) =>
    `parseDate: the form ${JSON.stringify(form)} is invalid: ${why}. Expected one of DD and D, of MM and M, and of YYYY and YY, such as DD/MM/YYYY.`;

  test.each([
    ['dd/MM/yyyy', 'it has "d"'],
    ['DD/MMM/YYYY', 'it has "MMM"'],
    ['JJ/MM/AAAA', 'it has "J"'],
    ['YYY-MM-DD', 'it has "YYY"'],
    ['DD/mm/YYYY', 'it has no month'],
    ['DD/MM', 'it has no year'],
    ['MM/YYYY', 'it has no day'],
    ['', 'it has no day'],
    ['DD/MM/YYYY DD', 'it has "DD" twice'],
    ['DD/MM/YYYY YY', 'it has more than one year'],
    ['DMYYYY', 'the lengths of its parts are not clear'],
  ])('the form %j is refused, also without a text', (form, why) => {
    expect(() => parseDate('31/12/2024', form)).toThrow(new MappingError(invalid(form, why)));
    expect(() => parseDate('', form)).toThrow(invalid(form, why));
  });

  test.each([undefined, 26, 2026.5, Number.NaN])(
    'a year of two digits with the latest year %s is refused',
    (latestYear) => {
      expect(() => parseDate('31/12/24', 'DD/MM/YY', { latestYear })).toThrow(
        'parseDate: the form DD/MM/YY has a year of two digits. Give the last year that it can mean, such as { latestYear: 2026 }.',
      );
    },
  );
});

test('the message has the form and an example, and not the text', () => {
  expect(() => parseDate('31/02/1980', 'DD/MM/YYYY')).toThrow(
    new MappingError('parseDate: expected a day of the calendar in the form DD/MM/YYYY, such as 31/12/2024.'),
  );
  expect(() => parseDate('31/02/1980', 'M/D/YY h:mm A', { latestYear: 2026 })).toThrow(
    'parseDate: expected a day of the calendar in the form M/D/YY h:mm A, such as 12/31/24 8:30 AM.',
  );
});
