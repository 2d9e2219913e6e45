/** parsePhone: 200 spellings of telephone numbers in real exports, and the calls that are wrong. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { loadPhoneLibrary, parsePhone } from '../../../../src/migration/input/csv/mapping/parse-phone.js';
import { MissingPackageError } from '../../../../src/migration/shared/missing-package.js';
import { spellingsOf } from './spellings.js';

const ERROR = 'error';
type Spelling = readonly [text: string, region: string, expected: string];

function parsed(text: string, region: string): string | undefined {
  try {
    return parsePhone(text, region);
  } catch (error) {
    if (error instanceof MappingError && error.value === text) return ERROR;
    throw error;
  }
}

// Numbers that regulators reserve for invented persons, and numbers of digits in a row.
const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = {
  'French mobile numbers': spellingsOf(`
    FR → 06 39 98 12 34 | 06.39.98.12.34 | 06-39-98-12-34 | 06/39/98/12/34 | 0639981234 | 06 39981234 = +33639981234
    FR → 0639 98 12 34 | 06 399 812 34 | 06  39  98  12  34 | 0 6 3 9 9 8 1 2 3 4 = +33639981234
    FR → 06\u00a039\u00a098\u00a012\u00a034 | 06\u202f39\u202f98\u202f12\u202f34 = +33639981234
    FR → 06\u201339\u201398\u201312\u201334 | (06) 39 98 12 34 | (0)6 39 98 12 34 | (06 39 98 12 34) = +33639981234
    FR → 639981234 | 6 39 98 12 34 = +33639981234 | 07 12 34 56 78 = error | 07 61 23 45 67 = +33761234567
    FR → 06 12 34 56 78 = +33612345678 | ０６ ３９ ９８ １２ ３４ = +33639981234 | 06 39 98 12 | 06 39 98 12 3 = error
    FR → 06 39 98 12 34 5 | 06 12 | 06 = error
  `),
  'French landlines': spellingsOf(`
    FR → 01 99 00 12 34 = +33199001234 | 02 61 91 12 34 = +33261911234 | 03.53.01.12.34 = +33353011234
    FR → 0465711234 = +33465711234 | 05-36-49-12-34 = +33536491234 | 09 70 12 34 56 = +33970123456
    FR → 0800 123 456 | 0 800 123 456 = +33800123456 | 0 892 123 456 = +33892123456 | (01) 99.00.12.34 = +33199001234
    FR → 199001234 = +33199001234 | 99 00 12 34 | 3949 | 39 49 | 112 | 17 = error
  `),
  'French numbers with their country code': spellingsOf(`
    FR → +33639981234 | +33 6 39 98 12 34 | +33.6.39.98.12.34 | +33-6-39-98-12-34 | +33 (0)6 39 98 12 34 = +33639981234
    FR → +33(0)639981234 | +33 (0) 6 39 98 12 34 | +33 06 39 98 12 34 | (+33) 6 39 98 12 34 = +33639981234
    FR → (+33)639981234 | + 33 6 39 98 12 34 | ＋33 6 39 98 12 34 | 0033639981234 | 00 33 6 39 98 12 34 = +33639981234
    FR → 0033 (0)6 39 98 12 34 | 00.33.6.39.98.12.34 | 33 6 39 98 12 34 | 33639981234 = +33639981234
    DE → +33 6 39 98 12 34 | 0033 6 39 98 12 34 = +33639981234
    GB → +33 1 99 00 12 34 = +33199001234
    FR → +33 6 39 98 12 | +33 6 39 98 12 34 5 | +33 | + | ++33 6 39 98 12 34 | +33 +33 6 39 98 12 34 = error
  `),
  'numbers of overseas departments, which have other country codes': spellingsOf(`
    FR → 0692 12 34 56 = error
    RE → 0692 12 34 56 = +262692123456
    FR → +262 692 12 34 56 = +262692123456 | 0590 27 12 34 = error
    GP → 0590 27 12 34 = +590590271234
    FR → +590 590 27 12 34 = +590590271234 | 0596 50 12 34 = error
    MQ → 0596 50 12 34 = +596596501234
    FR → 0694 20 12 34 = error
    GF → 0694 20 12 34 = +594694201234
    FR → +33 692 12 34 56 | +33 596 50 12 34 = error | 05 95 12 34 56 = +33595123456
  `),
  'other countries, as they are dialled there': spellingsOf(`
    DE → 0171 3920012 | 0171/3920012 | 0171-39 200 12 = +491713920012 | (030) 23125 123 | 030/23125-123 = +493023125123
    DE → 030 23125123 = +493023125123
    GB → 07700 900123 | 07700900123 = +447700900123 | 020 7946 0123 | (020) 7946 0123 = +442079460123
    GB → 0117 496 0123 = +441174960123
    BE → 0470 12 34 56 | 0470/12.34.56 = +32470123456 | 02 512 34 56 | 02/512.34.56 = +3225123456
    NL → 06 12345678 | 06-12345678 = +31612345678 | 020 123 4567 | (020) 123 45 67 = +31201234567
    ES → 612 34 56 78 | 612-345-678 = +34612345678 | 91 123 45 67 = +34911234567
    PT → 912 345 678 = +351912345678 | 21 234 56 78 = +351212345678
    ES → 912 345 678 = +34912345678
    IT → 312 345 6789 = +393123456789 | 06 1234 5678 = +390612345678 | 02 1234567 = +39021234567
    CH → 079 123 45 67 = +41791234567 | 044 123 45 67 = +41441234567
    AT → 0664 1234567 = +436641234567 | 01 12345678 = error | 01 5123456 = +4315123456
    LU → 621 123 456 = +352621123456 | 26 12 34 56 = +35226123456
    PL → 512 345 678 = +48512345678 | 22 123 45 67 = +48221234567
    IE → 085 123 4567 = +353851234567 | 01 234 5678 = +35312345678
    SE → 070-123 45 67 = +46701234567
    DK → 20 12 34 56 = +4520123456
    NO → 412 34 567 = +4741234567
    FI → 041 2345678 = +358412345678
    CZ → 601 123 456 = +420601123456
    US → (212) 555-0123 | 212-555-0123 | 212.555.0123 | 1 212 555 0123 | 1-212-555-0123 = +12125550123
    CA → (514) 555-0123 = +15145550123
    MA → 0612-345678 = +212612345678
    TN → 20 123 456 = +21620123456
  `),
  'other countries, with their country codes': spellingsOf(`
    FR → +49 171 3920012 | +49 (0)171 3920012 = +491713920012 | +49 (0)30 23125 123 = +493023125123
    FR → 0049 171 3920012 = +491713920012 | +44 7700 900123 | +44 (0)7700 900123 = +447700900123
    FR → +44 (0)20 7946 0123 | 0044 20 7946 0123 = +442079460123 | +32 470 12 34 56 | +32 (0)470/12.34.56 = +32470123456
    FR → +39 06 1234 5678 | +39 (0)6 1234 5678 = +390612345678 | +39 6 1234 5678 = error
    FR → +34 612 34 56 78 = +34612345678 | +41 79 123 45 67 = +41791234567 | +352 621 123 456 = +352621123456
    FR → +1 212 555 0123 | +1 (212) 555-0123 | 001 212 555 0123 = +12125550123
    US → 011 33 6 39 98 12 34 = +33639981234
    FR → +212 612-345678 = +212612345678 | +999 123 456 789 | +0 123 456 789 = error
  `),
  'country codes without +, as a spreadsheet leaves them: never another number': spellingsOf(`
    // 0491 711234567 can exist in Leer.
    DE → 491711234567 | 4915112345678 | 49 171 1234567 | (49) 171 1234567 | ４９ 171 1234567 | 49 (0)171 1234567 = error
    DE → 4901711234567 = error | +491711234567 | 00491711234567 | 0171 1234567 | 1711234567 = +491711234567
    // With its zero, and where no number with the code can exist, it is one of the country.
    DE → 0491 711234567 = +49491711234567 | 491 711234 = +49491711234 | 493012345678 = +493012345678
    AT → 43 664 1234567 = +436641234567 | 4315123456 = +4315123456
    CH → 41791234567 = +41791234567 | 41441234567 = +41441234567
    GB → 447700900123 = +447700900123 | 442079460123 = +442079460123
    ES → 34612345678 = +34612345678
    BE → 32470123456 = +32470123456
    NL → 31612345678 = +31612345678
    PL → 48512345678 = +48512345678
    IT → 393123456789 = +393123456789 | 3906123456 = error | 393 123 4567 = +393931234567
    FI → 358412345678 = +358412345678
    US → 12125550123 = +12125550123
  `),
  'blanks around the number': [
    [' 06 39 98 12 34', 'FR', '+33639981234'],
    ['06 39 98 12 34 ', 'FR', '+33639981234'],
    ['\t06 39 98 12 34\r', 'FR', '+33639981234'],
    ['\u00a006 39 98 12 34\u00a0', 'FR', '+33639981234'],
  ],
  'extensions, which E.164 does not have': spellingsOf(`
    FR → 01 99 00 12 34 ext 12 | 01 99 00 12 34 ext. 12 | 01 99 00 12 34 x12 | 01 99 00 12 34 #12 = error
    FR → 01 99 00 12 34 poste 12 | +33199001234;ext=12 = error
    DE → 030 23125-123 Durchwahl 4 = error
  `),
  'more than one number': spellingsOf(`
    FR → 06 39 98 12 34 / 01 99 00 12 34 | 06 39 98 12 34 ou 01 99 00 12 34 | 06 39 98 12 34, 01 99 00 12 34 = error
    FR → 06 39 98 12 34;01 99 00 12 34 | 06 39 98 12 34 - 01 99 00 12 34 | 06 39 98 12 34 01 99 00 12 34 = error
    FR → 06399812340199001234 | 06 39 98 12 34/35 = error
  `),
  'texts with a number': spellingsOf(`
    FR → Tél. 06 39 98 12 34 | tel:+33639981234 | 06 39 98 12 34 (bureau) | 06 39 98 12 34 après 18h = error
    FR → Mme 06 39 98 12 34 | 06 39 98 12 34 ? | '06 39 98 12 34 | ="0639981234" | 06 39 98 12 34 * = error
  `),
  'what is no number': spellingsOf(`
    FR → - | 0 | N/A | NULL | néant | aucun | voir dossier | see file | inconnu | liste rouge | ? = error
    FR → 00 00 00 00 00 | 0000000000 | 9999999999 | 06 XX XX XX XX | 06 39 98 12 3O | O6 39 98 12 34 = error
    FR → 6,39981E+08 | 6.4E+08 | client.1@example.com | 31/12/1980 | 69003 = error
    US → 1-800-FLOWERS = error
    FR → #REF! = error
  `),
};

describe.each(Object.entries(SPELLINGS))('%s', (_, spellings) => {
  test.each(spellings)('%j in %s: %s', (text, region, expected) => {
    expect(parsed(text, region)).toBe(expected);
  });
});

test('there are 200 spellings', () => {
  expect(Object.values(SPELLINGS).flat().length).toBeGreaterThanOrEqual(200);
});

test.each([undefined, '', ' ', '\t', '\u00a0', '\r\n'])('no text, %j, is no number', (text) => {
  expect(parsePhone(text, 'FR')).toBeUndefined();
});

test('the message has the region and an example, and not the text', () => {
  expect(() => parsePhone('see file', 'FR')).toThrow(
    new MappingError(
      'parsePhone: expected one telephone number of FR, or one with + and its country code, such as +33612345678.',
    ),
  );
});

test.each(['fr', 'UK', 'France', '', 'toString', undefined])(
  'the region %j is refused, also without a text',
  (region) => {
    expect(() => parsePhone('', region as string)).toThrow(
      `parsePhone: the region ${JSON.stringify(region)} is unknown; expected a country code of two capital letters, such as FR.`,
    );
  },
);

test('without the package, the message has the command that installs it', () => {
  const load = () => loadPhoneLibrary(join(tmpdir(), 'no-such-folder', 'mapping.js'));
  expect(load).toThrow(MissingPackageError);
  expect(load).toThrow(
    'parsePhone: it needs the package libphonenumber-js, which is not installed. Install it with "npm install libphonenumber-js@1".',
  );
});
