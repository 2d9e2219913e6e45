/** parseDate: 200 spellings of dates in real exports, and the calls that are wrong. */
import { describe, expect, test } from 'vitest';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { type ParseDateOptions, parseDate } from '../../../../src/migration/input/csv/mapping/parse-date.js';

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
  'day, month and year with slashes': [
    ['31/12/2024', 'DD/MM/YYYY', '2024-12-31'],
    ['01/01/2000', 'DD/MM/YYYY', '2000-01-01'],
    ['09/07/1983', 'DD/MM/YYYY', '1983-07-09'],
    ['28/02/2023', 'DD/MM/YYYY', '2023-02-28'],
    ['29/02/2024', 'DD/MM/YYYY', '2024-02-29'],
    ['30/04/2024', 'DD/MM/YYYY', '2024-04-30'],
    ['05/11/1899', 'DD/MM/YYYY', '1899-11-05'],
    ['31/12/9999', 'DD/MM/YYYY', '9999-12-31'],
    ['1/2/2024', 'DD/MM/YYYY', ERROR],
    ['1/02/2024', 'DD/MM/YYYY', ERROR],
    ['31/12/24', 'DD/MM/YYYY', ERROR],
    ['31-12-2024', 'DD/MM/YYYY', ERROR],
    ['31.12.2024', 'DD/MM/YYYY', ERROR],
    ['31 12 2024', 'DD/MM/YYYY', ERROR],
    ['31122024', 'DD/MM/YYYY', ERROR],
    ['2024/12/31', 'DD/MM/YYYY', ERROR],
    ['12/31/2024', 'DD/MM/YYYY', ERROR],
    ['31//12/2024', 'DD/MM/YYYY', ERROR],
    ['31/12/2024/', 'DD/MM/YYYY', ERROR],
    ['31/12/02024', 'DD/MM/YYYY', ERROR],
  ],
  'one or two digits': [
    ['1/2/2024', 'D/M/YYYY', '2024-02-01'],
    ['01/02/2024', 'D/M/YYYY', '2024-02-01'],
    ['1/02/2024', 'D/M/YYYY', '2024-02-01'],
    ['31/12/2024', 'D/M/YYYY', '2024-12-31'],
    ['9/10/1999', 'D/M/YYYY', '1999-10-09'],
    ['10/9/1999', 'D/M/YYYY', '1999-09-10'],
    ['3.5.2021', 'D.M.YYYY', '2021-05-03'],
    ['03.05.2021', 'D.M.YYYY', '2021-05-03'],
    ['29.2.2020', 'D.M.YYYY', '2020-02-29'],
    ['7-8-2019', 'D-M-YYYY', '2019-08-07'],
    ['7/12/2019', 'M/D/YYYY', '2019-07-12'],
    ['07/4/2019', 'M/D/YYYY', '2019-07-04'],
    ['2019-7-4', 'YYYY-M-D', '2019-07-04'],
    ['2019-12-04', 'YYYY-M-D', '2019-12-04'],
    ['1/2/24', 'D/M/YYYY', ERROR],
    ['001/2/2024', 'D/M/YYYY', ERROR],
    ['0/2/2024', 'D/M/YYYY', ERROR],
    ['1/0/2024', 'D/M/YYYY', ERROR],
    ['1/13/2024', 'D/M/YYYY', ERROR],
    ['/2/2024', 'D/M/YYYY', ERROR],
  ],
  'dots, hyphens and spaces': [
    ['31.12.2024', 'DD.MM.YYYY', '2024-12-31'],
    ['01.03.1970', 'DD.MM.YYYY', '1970-03-01'],
    ['31-12-2024', 'DD-MM-YYYY', '2024-12-31'],
    ['17-11-1961', 'DD-MM-YYYY', '1961-11-17'],
    ['31 12 2024', 'DD MM YYYY', '2024-12-31'],
    ['31  12  2024', 'DD MM YYYY', '2024-12-31'],
    ['31\u00a012\u00a02024', 'DD MM YYYY', '2024-12-31'],
    ['31. 12. 2024', 'DD. MM. YYYY', '2024-12-31'],
    ['1. 2. 2024', 'D. M. YYYY', '2024-02-01'],
    ['31_12_2024', 'DD_MM_YYYY', '2024-12-31'],
    ['31,12,2024', 'DD,MM,YYYY', '2024-12-31'],
    ['[31/12/2024]', '[DD/MM/YYYY]', '2024-12-31'],
    ['31.12.2024.', 'DD.MM.YYYY.', '2024-12-31'],
    ['31x12x2024', 'DD.MM.YYYY', ERROR],
    ['31.12.2024.', 'DD.MM.YYYY', ERROR],
    ['31. 12. 2024', 'DD.MM.YYYY', ERROR],
    ['31\u201312\u20132024', 'DD-MM-YYYY', ERROR],
    ['31 12 2024', 'DD.MM.YYYY', ERROR],
  ],
  'year first': [
    ['2024-12-31', 'YYYY-MM-DD', '2024-12-31'],
    ['1999-01-09', 'YYYY-MM-DD', '1999-01-09'],
    ['2000-02-29', 'YYYY-MM-DD', '2000-02-29'],
    ['2024/12/31', 'YYYY/MM/DD', '2024-12-31'],
    ['2024.12.31', 'YYYY.MM.DD', '2024-12-31'],
    ['2024. 12. 31.', 'YYYY. MM. DD.', '2024-12-31'],
    ['0001-01-01', 'YYYY-MM-DD', '0001-01-01'],
    ['0044-03-15', 'YYYY-MM-DD', '0044-03-15'],
    ['2024-31-12', 'YYYY-DD-MM', '2024-12-31'],
    ['0000-01-01', 'YYYY-MM-DD', ERROR],
    ['0000-00-00', 'YYYY-MM-DD', ERROR],
    ['1900-02-29', 'YYYY-MM-DD', ERROR],
    ['2024-12-32', 'YYYY-MM-DD', ERROR],
    ['2024-13-01', 'YYYY-MM-DD', ERROR],
    ['24-12-31', 'YYYY-MM-DD', ERROR],
    ['2024-12', 'YYYY-MM-DD', ERROR],
    ['2024-W52-2', 'YYYY-MM-DD', ERROR],
    ['2024-366', 'YYYY-MM-DD', ERROR],
  ],
  'month first': [
    ['12/31/2024', 'MM/DD/YYYY', '2024-12-31'],
    ['02/29/2024', 'MM/DD/YYYY', '2024-02-29'],
    ['07/04/1976', 'MM/DD/YYYY', '1976-07-04'],
    ['4/7/1976', 'M/D/YYYY', '1976-04-07'],
    ['12-31-2024', 'MM-DD-YYYY', '2024-12-31'],
    ['12.31.2024', 'MM.DD.YYYY', '2024-12-31'],
    ['31/12/2024', 'MM/DD/YYYY', ERROR],
    ['13/01/2024', 'MM/DD/YYYY', ERROR],
    ['02/30/2024', 'MM/DD/YYYY', ERROR],
    ['2/29/2023', 'M/D/YYYY', ERROR],
  ],
  'no separators': [
    ['20241231', 'YYYYMMDD', '2024-12-31'],
    ['19830704', 'YYYYMMDD', '1983-07-04'],
    ['20000229', 'YYYYMMDD', '2000-02-29'],
    ['31122024', 'DDMMYYYY', '2024-12-31'],
    ['04071983', 'DDMMYYYY', '1983-07-04'],
    ['12312024', 'MMDDYYYY', '2024-12-31'],
    ['4071983', 'DMMYYYY', '1983-07-04'],
    ['14071983', 'DMMYYYY', '1983-07-14'],
    ['4071983', 'DDMMYYYY', ERROR],
    ['2024123', 'YYYYMMDD', ERROR],
    ['202412310', 'YYYYMMDD', ERROR],
    ['20241301', 'YYYYMMDD', ERROR],
    ['20240230', 'YYYYMMDD', ERROR],
    ['00000000', 'YYYYMMDD', ERROR],
    ['99999999', 'YYYYMMDD', ERROR],
    ['2024-12-31', 'YYYYMMDD', ERROR],
    ['45657', 'YYYYMMDD', ERROR],
    ['1735603200', 'YYYYMMDD', ERROR],
  ],
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
  'a time, which is dropped': [
    ['31/12/2024 00:00', 'DD/MM/YYYY HH:mm', '2024-12-31'],
    ['31/12/2024 23:59', 'DD/MM/YYYY HH:mm', '2024-12-31'],
    ['31/12/2024 08:30:15', 'DD/MM/YYYY HH:mm:ss', '2024-12-31'],
    ['31/12/2024 8:30', 'DD/MM/YYYY H:mm', '2024-12-31'],
    ['31/12/2024 18:30', 'DD/MM/YYYY H:mm', '2024-12-31'],
    ['31/12/2024  08:30', 'DD/MM/YYYY HH:mm', '2024-12-31'],
    ['12/31/2024 08:30', 'MM/DD/YYYY HH:mm', '2024-12-31'],
    ['12/31/2024 8:30 AM', 'MM/DD/YYYY h:mm A', '2024-12-31'],
    ['12/31/2024 12:00 PM', 'MM/DD/YYYY h:mm A', '2024-12-31'],
    ['12/31/2024 08:30 p.m.', 'MM/DD/YYYY hh:mm A', '2024-12-31'],
    ['2024-12-31T08:30:00', 'YYYY-MM-DDTHH:mm:ss', '2024-12-31'],
    ['2024-12-31T23:30:00Z', 'YYYY-MM-DDTHH:mm:ssZ', '2024-12-31'],
    ['2024-12-31T08:30:00.000Z', 'YYYY-MM-DDTHH:mm:ss.SSSZ', '2024-12-31'],
    ['2024-12-31 08:30:00.123', 'YYYY-MM-DD HH:mm:ss.SSS', '2024-12-31'],
    ['20241231083000', 'YYYYMMDDHHmmss', '2024-12-31'],
    ['20241231T083000', 'YYYYMMDDTHHmmss', '2024-12-31'],
    ['31.12.2024, 08:30', 'DD.MM.YYYY, HH:mm', '2024-12-31'],
    ['08:30 31/12/2024', 'HH:mm DD/MM/YYYY', '2024-12-31'],
    ['31/12/2024', 'DD/MM/YYYY HH:mm', ERROR],
    ['31/12/2024 00:00', 'DD/MM/YYYY', ERROR],
    ['31/12/2024 24:00', 'DD/MM/YYYY HH:mm', ERROR],
    ['31/12/2024 08:60', 'DD/MM/YYYY HH:mm', ERROR],
    ['31/12/2024 08:30:61', 'DD/MM/YYYY HH:mm:ss', ERROR],
    ['31/12/2024 8:30', 'DD/MM/YYYY HH:mm', ERROR],
    ['31/12/2024 13:30 PM', 'DD/MM/YYYY hh:mm A', ERROR],
    ['31/12/2024 00:30 AM', 'DD/MM/YYYY hh:mm A', ERROR],
    ['31/12/2024 08h30', 'DD/MM/YYYY HH:mm', ERROR],
    ['2024-12-31T08:30:00+01:00', 'YYYY-MM-DDTHH:mm:ss', ERROR],
    ['2024-12-31t08:30:00', 'YYYY-MM-DDTHH:mm:ss', ERROR],
    ['2024-12-31 08:30:00', 'YYYY-MM-DDTHH:mm:ss', ERROR],
  ],
  'days that do not exist': [
    ['31/02/1980', 'DD/MM/YYYY', ERROR],
    ['30/02/2024', 'DD/MM/YYYY', ERROR],
    ['29/02/2023', 'DD/MM/YYYY', ERROR],
    ['29/02/2100', 'DD/MM/YYYY', ERROR],
    ['31/04/2024', 'DD/MM/YYYY', ERROR],
    ['31/06/2024', 'DD/MM/YYYY', ERROR],
    ['31/09/2024', 'DD/MM/YYYY', ERROR],
    ['31/11/2024', 'DD/MM/YYYY', ERROR],
    ['32/01/2024', 'DD/MM/YYYY', ERROR],
    ['00/01/2024', 'DD/MM/YYYY', ERROR],
    ['01/00/2024', 'DD/MM/YYYY', ERROR],
    ['01/13/2024', 'DD/MM/YYYY', ERROR],
    ['00/00/0000', 'DD/MM/YYYY', ERROR],
    ['99/99/9999', 'DD/MM/YYYY', ERROR],
  ],
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
  'what is no date': [
    ['-', 'DD/MM/YYYY', ERROR],
    ['N/A', 'DD/MM/YYYY', ERROR],
    ['NULL', 'DD/MM/YYYY', ERROR],
    ['null', 'DD/MM/YYYY', ERROR],
    ['inconnue', 'DD/MM/YYYY', ERROR],
    ['?', 'DD/MM/YYYY', ERROR],
    ['0', 'DD/MM/YYYY', ERROR],
    ['1980', 'DD/MM/YYYY', ERROR],
    ['12/1980', 'DD/MM/YYYY', ERROR],
    ['31 décembre 2024', 'DD/MM/YYYY', ERROR],
    ['31 Dec 2024', 'DD/MM/YYYY', ERROR],
    ['31-DEC-24', 'DD/MM/YYYY', ERROR],
    ['Dec 31, 2024', 'DD/MM/YYYY', ERROR],
    ['31/12/2024 ou 01/01/2025', 'DD/MM/YYYY', ERROR],
    ['né le 31/12/2024', 'DD/MM/YYYY', ERROR],
    ['31/12/2024?', 'DD/MM/YYYY', ERROR],
    ['31/12/2O24', 'DD/MM/YYYY', ERROR],
    ['l1/12/2024', 'DD/MM/YYYY', ERROR],
    ['\u0663\u0661/12/2024', 'DD/MM/YYYY', ERROR],
    ['\uff13\uff11/12/2024', 'DD/MM/YYYY', ERROR],
    ['#VALUE!', 'DD/MM/YYYY', ERROR],
    ['########', 'DD/MM/YYYY', ERROR],
    ['45657,35', 'DD/MM/YYYY', ERROR],
    ['1.735.603.200', 'DD/MM/YYYY', ERROR],
  ],
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
