/** Exports `matchColumns`, which finds the field of a record for each column of an export, by the name and the content of the column. */
import { contentOf, fits, type ValueKind } from './column-content.js';
import vocabulary from './vocabulary.json' with { type: 'json' };

/**
 * The words of column names in exports of energy suppliers, in English, French, German, Spanish, Italian and Dutch, and of some programs (SAP,
 * Salesforce, HubSpot). `ARTICLES`: words without a meaning here. `WORDS`: words that mean the same, by the word that stands for them in
 * `NAMES`: lower case, without accents; several words for one meaning are separated by commas, and may have spaces. `COMPOUNDS`: beginnings and
 * ends of compound words, as they are in German and Dutch. `NAMES`: what a column is, with its names in the words above; the first names
 * fit best. `FILLERS`: words added to the name of a person or an address: whose it is. `PLACES`: patterns of
 * words in lower case without accents, and where in a record the data of such a column belong.
 */
const { ARTICLES, COMPOUNDS, FILLERS, NAMES, PLACES, WORDS } = vocabulary;

interface FieldOfExport {
  /** Path in the record, such as `account.customers.0.email`. */
  path: string;
  kind: ValueKind;
}

const CUSTOMER = 'account.customers.0';
export const ADDRESSES = 'account.supply_addresses';
const ADDRESS = `${ADDRESSES}.0`;
export const POINTS = `${ADDRESS}.supply_points`;
export const POINT = `${POINTS}.0`;
/** The gas point of an export with an electricity point in the same row. */
export const SECOND_POINT = `${POINTS}.1`;

const SECOND_IDENTIFIER = `${SECOND_POINT}.identifier`;

/** The fields that `init` maps, in the order of the payload, with what their columns are in `NAMES`. */
const FIELDS = [
  ['account.external_account_number', 'number', 'number'],
  [`${CUSTOMER}.title`, 'title', 'text'],
  [`${CUSTOMER}.given_name`, 'given', 'name'],
  [`${CUSTOMER}.family_name`, 'family', 'name'],
  [`${CUSTOMER}.email`, 'email', 'email'],
  [`${CUSTOMER}.mobile`, 'mobile', 'phone'],
  [`${CUSTOMER}.landline`, 'landline', 'phone'],
  [`${CUSTOMER}.date_of_birth`, 'birth', 'date'],
  ['account.billing_address1', 'line1', 'address'],
  ['account.billing_address2', 'line2', 'address'],
  ['account.billing_address3', 'city', 'address'],
  ['account.billing_postcode', 'zip', 'postcode'],
  ['account.last_billed_to_date', 'billed', 'date'],
  [`${ADDRESS}.supply_address1`, 'supply line1', 'address'],
  [`${ADDRESS}.supply_address2`, 'supply line2', 'address'],
  [`${ADDRESS}.supply_address3`, 'supply city', 'address'],
  [`${ADDRESS}.supply_postcode`, 'supply zip', 'postcode'],
  [`${ADDRESS}.customer_at_supply_address_from_date`, 'moveIn', 'date'],
  [`${POINT}.identifier`, 'point', 'point'],
  [`${POINT}.supply_type`, 'supplyType', 'supplyType'],
  [`${POINT}.supply_start_date`, 'start', 'date'],
  [`${SECOND_POINT}.identifier`, 'second point', 'point'],
  [`${SECOND_POINT}.supply_type`, 'second type', 'supplyType'],
  [`${SECOND_POINT}.supply_start_date`, 'second start', 'date'],
] as const;

/** The same part of the billing address and of the supply address. */
export const SAME_ADDRESS: readonly (readonly [billing: string, supply: string])[] = [
  ['account.billing_address1', `${ADDRESS}.supply_address1`],
  ['account.billing_address2', `${ADDRESS}.supply_address2`],
  ['account.billing_address3', `${ADDRESS}.supply_address3`],
  ['account.billing_postcode', `${ADDRESS}.supply_postcode`],
];

/** The paths of these fields, in the order of the payload. */
export const PATHS = FIELDS.map(([path]) => path);

type Meaning = keyof typeof NAMES;

/** Parts of an address: of the billing address, or of the supply address by a word such as `livraison`. */
const OF_ADDRESS: ReadonlySet<Meaning> = new Set(['line1', 'line2', 'house', 'city', 'zip']);

export interface MatchedColumn {
  column: string;
  field: FieldOfExport;
  /** The column of the house number, which belongs to the same line of an address. */
  house?: string | undefined;
  /** What the user should check. */
  question?: string | undefined;
}

export type ColumnMatches = ReturnType<typeof matchColumns>;

export interface NamedColumn {
  name: string;
  /** The cells that are not empty. */
  values: readonly string[];
}

interface Candidate {
  column: NamedColumn;
  meaning: string;
  /** The smaller, the better the name fits. */
  rank: number;
}

/** Returns the column of each field. A column is used once. What is not certain is left to the user, with the field that it may be for. */
export function matchColumns(columns: readonly NamedColumn[]) {
  const named = columns.flatMap((column) => {
    const found = meaningOf(column.name);
    return found === undefined ? [] : [{ column, ...found }];
  });
  const candidates = withPoints(withPhones(withHouses(withNames(withContent(columns, named)), columns)));
  const fitting = candidates.filter(({ column, meaning }) => fits(kindOf(meaning), column.values));
  const best = (meaning: string) =>
    fitting
      .filter((one) => one.meaning === meaning)
      .sort((one, other) => Number(isRepeated(one)) - Number(isRepeated(other)) || one.rank - other.rank)[0];
  const matched: MatchedColumn[] = [];
  for (const [path, meaning, kind] of FIELDS) {
    const found = best(meaning);
    if (found === undefined) continue;
    const house = meaning.endsWith('line1') ? best(meaning.replace('line1', 'house')) : undefined;
    matched.push({
      column: found.column.name,
      field: { path, kind },
      ...(house !== undefined && { house: house.column.name }),
      ...(found.rank >= BY_CONTENT && { question: 'found by its content: check it' }),
    });
  }
  return {
    /** In the order of `PATHS`. */
    matched: matched as readonly MatchedColumn[],
    /** By column: the field that it may be for, whether it is matched or not. */
    candidates: new Map(candidates.map((one) => [one.column.name, pathOf(one)])),
    /** What the column of the supply point says about the energy. */
    supplyType: matched.some(({ field }) => field.path === SECOND_IDENTIFIER)
      ? 'ELECTRICITY'
      : typeOfPoint(named, best('point')?.column),
    /** Whether the names of columns are known: otherwise the first row may be no header. */
    isHeaderKnown: named.length > 0,
  };
}

/** Two accounts cannot have one number: a column with each number once fits better. */
function isRepeated({ meaning, column: { values } }: Candidate): boolean {
  return meaning === 'number' && new Set(values).size < values.length;
}

/** Returns whether two names have the same words. */
export function isSameName(one: string, other: string): boolean {
  return plainWords(one).join(' ') === plainWords(other).join(' ');
}

/** Returns whether a name says that an address is the one of bills. */
export function namesBilling(name: string): boolean {
  return wordsOf(name).split(' ').includes('billing');
}

function kindOf(meaning: string): ValueKind {
  return FIELDS.find(([, name]) => name === meaning)?.[2] ?? 'text';
}

function pathOf(candidate: Candidate): string | undefined {
  return FIELDS.find(([, meaning]) => meaning === candidate.meaning)?.[0];
}

/** Rank of a column whose name says nothing. */
const BY_CONTENT = 1e6;

/** Known words that the name of a column may have that only its content shows; another one says that it is something else. */
const MAY_HAVE = {
  email: 'email addr nr id name client holder',
  point: 'meterpoint elecpoint gaspoint mprn supply elec gas nr id ref code',
  // No other field has the names of both energies.
  supplyType: undefined,
} as const;

/** Adds a column that only its content shows, if it is the only one. */
function withContent(columns: readonly NamedColumn[], named: readonly Candidate[]): Candidate[] {
  const unnamed = columns.filter(
    (column) => placeOf(column.name) === undefined && !named.some((one) => one.column === column),
  );
  const added = (Object.keys(MAY_HAVE) as (keyof typeof MAY_HAVE)[]).flatMap((meaning) => {
    const words = MAY_HAVE[meaning]?.split(' ');
    const mayBe = (name: string) =>
      wordsOf(name)
        .split(' ')
        .every((word) => !known.has(word) || words?.includes(word) !== false);
    const found = unnamed.filter(({ name, values }) => contentOf(values) === meaning && mayBe(name));
    const [column] = found;
    if (column === undefined || found.length > 1) return [];
    return named.some((one) => one.meaning.toLowerCase().includes(meaning.toLowerCase()))
      ? []
      : { column, meaning, rank: BY_CONTENT };
  });
  return [...named, ...added];
}

/** Returns where in a record the data of a column belong whose name means something that `init` does not map; undefined if it means nothing known. */
export function placeOf(name: string): string | undefined {
  const text = plainWords(name).join(' ');
  return PLACES.find(([words = '']) => new RegExp(words).test(text))?.[1];
}

/** A word for any name is a family name beside a given name, and otherwise perhaps a whole name. */
function withNames(candidates: readonly Candidate[]): Candidate[] {
  if (candidates.some(({ meaning }) => meaning === 'given')) return [...candidates];
  return candidates.map((one) => (one.meaning === 'family' && isGeneric(one) ? { ...one, meaning: 'name' } : one));
}

const isGeneric = ({ rank }: Candidate) => rank % AFTER_ALL >= GROUP;

/** A number in the column after a street is that of the house. */
function withHouses(candidates: readonly Candidate[], columns: readonly NamedColumn[]): Candidate[] {
  return candidates.map((one) => {
    if (!one.meaning.endsWith(BARE)) return one;
    const before = columns[columns.indexOf(one.column) - 1];
    const street = candidates.find(({ column }) => column === before)?.meaning;
    if (street?.endsWith('line1')) return { ...one, meaning: street.replace('line1', 'house') };
    return one.meaning === BARE ? { ...one, meaning: 'number' } : one;
  });
}

/** `N°` without another word. */
const BARE = 'bare number';

/** A telephone number without a word for its kind is the landline beside a mobile number, and otherwise the mobile number. */
function withPhones(candidates: readonly Candidate[]): Candidate[] {
  const meaning = candidates.some((one) => one.meaning === 'mobile') ? 'landline' : 'mobile';
  return candidates.map((one) => (one.meaning === 'phone' ? { ...one, meaning, rank: one.rank + 1 } : one));
}

/**
 * One point of a row is the first, also a gas point. The second one is then gas. An MPRN is gas in Great Britain, and electricity in Ireland,
 * where a GPRN is gas.
 */
function withPoints(candidates: readonly Candidate[]): Candidate[] {
  const mprn = candidates.some(({ meaning }) => meaning === 'gasPoint') ? 'elecPoint' : 'gasPoint';
  const points = candidates.map((one) => (one.meaning === 'mprn' ? { ...one, meaning: mprn } : one));
  const has = (...meanings: string[]) => points.some(({ meaning }) => meanings.includes(meaning));
  const hasBoth = has('gasPoint') && has('elecPoint', 'point');
  return points.map((one) => {
    if (one.meaning === 'gasPoint') return { ...one, meaning: hasBoth ? 'second point' : 'point' };
    // The name of the energy fits better than a word for any point.
    return one.meaning === 'elecPoint' ? { ...one, meaning: 'point', rank: one.rank - GROUP } : one;
  });
}

function typeOfPoint(named: readonly Candidate[], point: NamedColumn | undefined): 'ELECTRICITY' | 'GAS' | undefined {
  const meaning = named.find(({ column }) => column === point)?.meaning;
  return meaning === 'elecPoint' ? 'ELECTRICITY' : meaning === 'gasPoint' || meaning === 'mprn' ? 'GAS' : undefined;
}

/** Returns what the name of a column means; undefined if it has a word that is not known. */
function meaningOf(name: string): { meaning: string; rank: number } | undefined {
  // What is in brackets may be the form of the values.
  const withoutBrackets = name.replace(/\([^()]*\)/g, ' ');
  for (const [index, text] of [name, withoutBrackets].entries()) {
    const found = meaningOfWords(wordsOf(text).split(' '));
    if (found !== undefined) return { ...found, rank: found.rank + index * AFTER_ALL };
  }
  return undefined;
}

/** Distance of the ranks of two groups of names, and of names with and without their brackets. */
const GROUP = 100;
const AFTER_ALL = 1000;

function meaningOfWords(words: readonly string[]): { meaning: string; rank: number } | undefined {
  const isSupply = words.includes('supply') || words.includes('meterpoint');
  const places = ['supply', 'billing', 'meterpoint'];
  // The words that are left out, and whether only parts of addresses are then meant.
  const attempts: [leftOut: readonly string[], isAddress: boolean][] = [
    [[], false],
    [FILLERS, false],
    [places, true],
    [[...places, ...FILLERS], true],
    [[...places, 'addr'], true],
    [[...places, ...FILLERS, 'addr'], true],
  ];
  for (const [attempt, [leftOut, isAddress]] of attempts.entries()) {
    const left = words.filter((word) => !leftOut.includes(word));
    const rest = left.filter((word, at) => word !== left[at - 1]).join(' ');
    const found = MEANINGS.get(rest);
    if (rest === 'nr') return { meaning: isAddress ? `placed ${BARE}` : BARE, rank: 3 * GROUP };
    if (found === undefined || (isAddress && !OF_ADDRESS.has(found.meaning))) continue;
    const { meaning } = found;
    const place = OF_ADDRESS.has(meaning) && isSupply ? 'supply ' : '';
    return { meaning: `${place}${meaning}`, rank: found.rank + attempt * 10 };
  }
  return undefined;
}

const articles = new Set(ARTICLES.split(' '));
/** The word that stands for a word, or for several that follow each other. */
const standIns = new Map<string, string>();
for (const [word, same] of Object.entries(WORDS)) {
  for (const one of same.split(',')) standIns.set(plainWords(one).join(' '), word);
}
/** The words that stand for others. */
const known = new Set(Object.keys(WORDS).flatMap((word) => word.split(' ')));
const compounds = {
  first: COMPOUNDS.first.split(',').map((word) => word.trim()),
  last: COMPOUNDS.last.split(',').map((word) => word.trim()),
};
const MOST_WORDS = 5;
const lengths = Array.from({ length: MOST_WORDS }, (_, index) => MOST_WORDS - index);

const MEANINGS = new Map<string, { meaning: Meaning; rank: number }>();
for (const [meaning, groups] of Object.entries(NAMES) as [Meaning, readonly string[]][]) {
  for (const [group, names] of groups.entries()) {
    for (const name of names.split(',')) {
      const words = wordsOf(name);
      if (!MEANINGS.has(words)) MEANINGS.set(words, { meaning, rank: group * GROUP });
    }
  }
}

/** Returns the words in lower case, without accents and articles. A word ends where a capital letter or a digit begins. */
function plainWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[&+]/g, ' and ')
    .replace(/([a-z])([0-9])/g, '$1 $2')
    .replace(/([0-9])([a-z])/g, '$1 $2')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !articles.has(word));
}

/** Returns the words that stand for those of a name: `nr client` for `N° client`. */
function wordsOf(name: string): string {
  const words = plainWords(name).flatMap(partsOf);
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const length = lengths.find((count) => textIn(words.slice(at, at + count)) !== undefined) ?? 1;
    const some = words.slice(at, at + length);
    const text = textIn(some) ?? some.join(' ');
    for (const word of (standIns.get(text) ?? text).split(' ')) if (word !== found.at(-1)) found.push(word);
    at += length;
  }
  return found.join(' ');
}

/** Returns the known text of some words: `name first`, or one word that was written as several, such as `Vor Name`. */
function textIn(words: readonly string[]): string | undefined {
  return [words.join(' '), words.join('')].find((text) => standIns.has(text));
}

/** Returns the parts of a compound word. */
function partsOf(word: string): string[] {
  if (standIns.has(word)) return [word];
  const last = compounds.last.find((part) => word.endsWith(part) && word.length > part.length + 1);
  const before = last === undefined ? undefined : word.slice(0, -last.length);
  if (last !== undefined && before !== undefined && (standIns.has(before) || compounds.first.includes(before)))
    return [...partsOf(before), last];
  const first = compounds.first.find((part) => word.startsWith(part) && standIns.has(word.slice(part.length)));
  return first === undefined ? [word] : [first, word.slice(first.length)];
}
