/** `phone_e164` of a query and `parsePhone` of a mapping give the same for 10,000 numbers of 30 countries, written in many ways. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCountryCallingCode, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { afterAll, expect, test } from 'vitest';
import { openInput } from '../../src/migration/index.js';
import { parsePhone } from '../../src/migration/input/csv/mapping/index.js';
import { newFolder } from '../helpers/folder.js';
import { seed } from '../helpers/seed.js';

const COUNTRIES = [
  ...([
    'FR',
    'DE',
    'ES',
    'IT',
    'NL',
    'BE',
    'GB',
    'IE',
    'AT',
    'CH',
    'LU',
    'PT',
    'PL',
    'CZ',
    'SK',
    'HU',
    'RO',
    'BG',
    'GR',
    'HR',
  ] as const),
  ...(['SI', 'DK', 'SE', 'NO', 'FI', 'EE', 'LV', 'LT', 'MT', 'CY'] as const),
];
const folder = newFolder('phones-', afterAll);

/** A small generator, so that the numbers follow from the seed. */
let state = seed >>> 0;
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

/** A number of the country, often with other digits at its end, and now and then too short or too long. */
function numberOf(country: (typeof COUNTRIES)[number]): string {
  const national = getExampleNumber(country, examples)?.nationalNumber ?? '';
  const kept = national.slice(0, 1 + random(national.length));
  const digits = kept + Array.from({ length: national.length - kept.length }, () => random(10)).join('');
  const length = [
    digits.length,
    digits.length,
    digits.length,
    digits.length - 1 - random(5),
    digits.length + 1 + random(4),
  ][random(5)];
  return digits.padEnd(length ?? 0, '7').slice(0, length);
}

const FORMS: readonly ((number: string, code: string) => string)[] = [
  (number, code) => `+${code}${number}`,
  (number, code) => `00${code} ${number}`,
  (number, code) => `+${code} 0${number}`,
  (number, code) => `+${code} (0)${number}`,
  (number) => `0${number}`,
  (number) => number,
  (number) => `0${number}`.replace(/(..)/g, '$1 ').trim(),
  (number) => `0${number}`.replace(/(...)/g, '$1.'),
  (number) => `+999${number}`,
  (number, code) => `${code}${number}`,
  (number, code) => `(+${code}) ${number.slice(0, 2)}-${number.slice(2)}`,
];

test('all of them', async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => {
    const country = COUNTRIES[at % COUNTRIES.length] ?? 'FR';
    const text = FORMS[random(FORMS.length)]?.(numberOf(country), getCountryCallingCode(country)) ?? '';
    return { number: `A-${String(at).padStart(5, '0')}`, country, text };
  });
  writeFileSync(
    join(folder, 'p.csv'),
    `n;c;t\n${rows.map(({ number, country, text }) => `${number};${country};${text}`).join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'p.sql'),
    '-- source p: p.csv\nSELECT { external_account_number: n, mobile: phone_e164(t, c) } AS account FROM p',
  );
  const given: unknown[] = [];
  const input = await openInput([join(folder, 'p.sql')]);
  for await (const line of input) given.push(JSON.parse(line.text).account.mobile);
  await input.close();
  const mapped = rows.map(({ text, country }) => {
    try {
      return parsePhone(text, country);
    } catch {
      return `⁇${text}`;
    }
  });
  expect(given).toEqual(mapped);
  expect(given.filter((text) => String(text).startsWith('+')).length).toBeGreaterThan(3000);
  // No number has the zero that is dialled within a country after its code, and each is one that exists.
  const converted = given.filter((text): text is string => String(text).startsWith('+'));
  expect(converted.filter((text) => parsePhoneNumberFromString(text)?.number !== text)).toEqual([]);
});
