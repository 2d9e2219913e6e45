/** Exports `parsePhone`, which converts telephone numbers of an export to E.164, with the optional package libphonenumber-js. */
import { createRequire } from 'node:module';
import { MissingPackageError } from '../../../shared/missing-package.js';
import { errorAtCallOf, isBlank } from './mapping-error.js';

type PhoneNumber = import('libphonenumber-js/max').PhoneNumber;
type CountryCode = import('libphonenumber-js/max').CountryCode;
type PhoneLibrary = Pick<
  typeof import('libphonenumber-js/max'),
  'parsePhoneNumberFromString' | 'isSupportedCountry' | 'getCountryCallingCode'
>;

/**
 * Returns the number in E.164, such as `+33612345678`; undefined if the text is empty, blank or undefined. Needs the package
 * `libphonenumber-js`.
 *
 * `region` is the country in which a number without a country code is dialled, as ISO 3166-1: `FR`. The whole text must be one number
 * that can exist there, or in the country of its code. Therefore 0692 12 34 56 is an error in `FR`: it is a number of La Réunion, whose
 * code is +262. Numbers with an extension are errors too, because E.164 has none. So is 491711234567 in `DE`, as a spreadsheet leaves
 * +491711234567: it may also be 0491 711234567.
 *
 * Throws a `MappingError` for any other text and for an unknown region, and a `MissingPackageError` if the package is not installed.
 *
 * @example
 * parsePhone('06 12 34 56 78', 'FR'); // '+33612345678'
 * parsePhone('+49 (0)30 123456', 'FR'); // '+4930123456'
 */
export function parsePhone(text: string | undefined, region: string): string | undefined {
  if (!loadPhoneLibrary().isSupportedCountry(region)) {
    throw errorAtCallOf(
      parsePhone,
      `parsePhone: the region ${JSON.stringify(region)} is unknown; expected a country code of two capital letters, such as FR.`,
    );
  }
  if (isBlank(parsePhone, 'parsePhone', text)) return undefined;
  const number = e164Of(text, region);
  if (number !== undefined) return number;
  throw errorAtCallOf(
    parsePhone,
    `parsePhone: expected one telephone number of ${region}, or one with + and its country code, such as +33612345678.`,
    text,
  );
}

/**
 * Returns the number in E.164; undefined if the text is not one number that can exist, or may be two. `region`: undefined or a supported
 * country.
 */
export function e164Of(text: string, region: string | undefined): string | undefined {
  const country = region as CountryCode | undefined;
  const number = usableNumber(plain(text), country);
  if (number === undefined || country === undefined) return number;
  // The package takes a country code without + for the beginning of a national number, if such a number can exist.
  const digits = text.normalize('NFKC').replace(/\D/g, '');
  if (!digits.startsWith(loadPhoneLibrary().getCountryCallingCode(country))) return number;
  const withCode = usableNumber(`+${digits}`, country);
  return withCode === undefined || withCode === number ? number : undefined;
}

function usableNumber(text: string, country: CountryCode | undefined): string | undefined {
  const options = { defaultCountry: country, extract: false };
  const number = loadPhoneLibrary().parsePhoneNumberFromString(
    text,
    options as Parameters<PhoneLibrary['parsePhoneNumberFromString']>[1],
  );
  return number !== undefined && number.ext === undefined && isUsable(number) ? number.number : undefined;
}

/** Removes what the package does not read: a narrow no-break space, and brackets around the country code. */
function plain(text: string): string {
  return text
    .trim()
    .replace(/\s/g, ' ')
    .replace(/^\(([+0-9 ]+)\)/, (brackets, code: string) => (/^(?:\+|00)/.test(code) ? code : brackets));
}

/** Mobile numbers that the French and the British regulator reserve for invented persons: examples and tests use them. */
const INVENTED = /^\+(?:3363998\d{4}|447700900\d{3})$/;

/** Landlines of Martinique, whose code is +596: the package takes them for French ones, unlike those of other departments overseas. */
const MARTINIQUE = /^\+33596/;

function isUsable(number: PhoneNumber): boolean {
  return (number.isValid() && !MARTINIQUE.test(number.number)) || INVENTED.test(number.number);
}

let phoneLibrary: PhoneLibrary | undefined;

/**
 * Loads the package. `max` has the digits of each kind of number. `min` has only their count for most countries, and would give a number
 * of another country without a word. `from`: the file from which Node looks for it. Throws a `MissingPackageError`.
 */
export function loadPhoneLibrary(from?: string): PhoneLibrary {
  if (phoneLibrary !== undefined && from === undefined) return phoneLibrary;
  try {
    // Not `import()`: a mapping cannot wait for a promise.
    const loaded = createRequire(from ?? import.meta.url)('libphonenumber-js/max') as PhoneLibrary;
    if (from === undefined) phoneLibrary = loaded;
    return loaded;
  } catch (error) {
    throw new MissingPackageError(
      'parsePhone: it needs the package libphonenumber-js, which is not installed. Install it with "npm install libphonenumber-js@1".',
      { cause: error },
    );
  }
}
