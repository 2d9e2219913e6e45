/**
 * Exports `identityOf`: whose record it is, as one digest for each of its persons, its company, its business contracts and its supply
 * points. Fields that come or go, case, accents, spaces and signs, and the order of customers do not change them.
 */
import type { ImportRecord } from './import-record.js';
import { eachIn, finished, inText, numberIn } from './short-digests.js';

/**
 * What a digest is of. A name tells less than a name with a birth date, and is compared only with one that has none. A hint may be the same for
 * many: a single name, or an e-mail address. `company`: of an account, of which a company may have many; a business is its company.
 */
const OF = { supplyPoint: 0, certain: 1, nameBeside: 2, nameAlone: 3, hint: 4, contract: 5, company: 6 } as const;

/** 45 bits are of the value, and the three before them tell what it is. */
const OF_VALUE = 2 ** 45;

/** What the ledger holds of a record has an upper bound. */
const MOST = 1000;

const SEEDS = {
  ...{ person: 0x1b873593, company: 0x2545f491, siret: 0x6c078965, supplyPoint: 0x3c6ef372 },
  contract: 0x41c64e6d,
} as const;

/** Returns the digests, in no order. */
export function identityOf(record: ImportRecord | Readonly<Record<string, unknown>>): number[] {
  const found: number[] = [];
  const { account, business } = record as { account?: Unchecked; business?: Unchecked };
  if (account === undefined) addBusiness(found, business?.business);
  else addCompany(found, account?.business);
  for (const customer of listOf(account?.customers)) addPerson(found, customer);
  for (const address of listOf(account?.supply_addresses)) {
    for (const point of listOf(address?.supply_points)) addSupplyPoint(found, folded(point?.identifier));
  }
  return found.length > MOST ? found.sort((one, other) => one - other).slice(0, MOST) : found;
}

/** A part of a record before it is checked: each value may be of any type. One that is no object has no such fields. */
type Unchecked = { readonly [name in Fields]?: Unchecked } | null | undefined;

type Fields =
  | 'business'
  | 'siret'
  | 'company_name'
  | 'business_contracts'
  | 'business_contract_identifier'
  | 'customers'
  | 'given_name'
  | 'family_name'
  | 'date_of_birth'
  | 'email'
  | 'supply_addresses'
  | 'supply_points'
  | 'identifier';

function listOf(value: Unchecked): readonly Unchecked[] {
  return Array.isArray(value) ? value : NONE;
}

const NONE: readonly Unchecked[] = [];

function addBusiness(found: number[], business: Unchecked): void {
  const [siret, name] = [folded(business?.siret), folded(business?.company_name)];
  if (siret !== '') found.push(digestOf(OF.certain, siret, SEEDS.siret));
  if (name !== '') found.push(digestOf(siret === '' ? OF.nameAlone : OF.nameBeside, name, SEEDS.company));
  for (const contract of listOf(business?.business_contracts)) addContract(found, contract?.identifier);
}

function addCompany(found: number[], company: Unchecked): void {
  const [siret, name] = [folded(company?.siret), folded(company?.company_name)];
  if (siret !== '') found.push(digestOf(OF.company, siret, SEEDS.siret));
  if (name !== '') found.push(digestOf(OF.company, name, SEEDS.company));
  addContract(found, company?.business_contract_identifier);
}

/** Not folded: it links accounts to a business by each of its characters. */
function addContract(found: number[], identifier: unknown): void {
  if (typeof identifier === 'string' && identifier !== '')
    found.push(digestOf(OF.contract, identifier, SEEDS.contract));
}

function addPerson(found: number[], customer: Unchecked): void {
  const [given, family] = [folded(customer?.given_name), folded(customer?.family_name)];
  const names = given + family;
  if (names === '') return;
  // Exports swap the two names, or part them at another place: the order of the letters does not count.
  let seed: number = SEEDS.person;
  for (let index = 0; index < names.length; index++) seed = (seed + finished(names.charCodeAt(index) * 0x3779b1)) | 0;
  const born = folded(customer?.date_of_birth);
  if (born !== '') found.push(digestOf(OF.certain, born, seed));
  // Many have the same first name, or the same last name.
  const isSingle = given === '' || family === '';
  const email = isSingle ? folded(customer?.email) : '';
  found.push(digestOf(born === '' ? OF.nameAlone : OF.nameBeside, email, seed));
  if (!isSingle) return;
  found.push(digestOf(OF.hint, '', seed));
  if (email !== '') found.push(digestOf(OF.hint, email, SEEDS.person));
}

/** A prefix such as the one of the country, and leading zeros, come and go. */
const IS_PLAIN = /^[1-9]/;
const PREFIX = /^[A-Z]*0*(?=.{8})/;

function addSupplyPoint(found: number[], identifier: string): void {
  const plain = IS_PLAIN.test(identifier) ? identifier : identifier.replace(PREFIX, '');
  if (plain !== '') found.push(digestOf(OF.supplyPoint, plain, SEEDS.supplyPoint));
}

const OTHER_THAN_PLAIN = /[^0-9A-Z]/;

/** Returns the letters and digits, in capitals without accents: these can be written with fewer kinds of letters than small ones. */
function folded(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : '';
  const capitals = value.toUpperCase();
  if (!OTHER_THAN_PLAIN.test(capitals)) return capitals;
  const letters = capitals.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return letters.replaceAll('Œ', 'OE').replaceAll('Æ', 'AE');
}

function digestOf(what: number, text: string, seed: number): number {
  let [x, y] = [seed, ~seed];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    x = Math.imul(x ^ code, 0x01000193);
    y = Math.imul(y ^ code, 0x5bd1e995);
  }
  return what * OF_VALUE + finished(x) * 2 ** 13 + (finished(y) >>> 19);
}

/**
 * Returns at most two values that two records of one customer have in common in an input: a name, and the supply
 * point or what is certain. `company`: of an account, and of its contract.
 */
export function ownersOf(digests: readonly number[]): { owners: number[]; company: number | undefined } {
  const least = new Map<number, number>();
  for (const digest of digests) {
    const what = Math.floor(digest / OF_VALUE);
    const kind = what === OF.nameBeside || what === OF.hint ? OF.nameAlone : what === OF.contract ? OF.company : what;
    least.set(kind, Math.min(digest % OF_VALUE, least.get(kind) ?? Number.POSITIVE_INFINITY));
  }
  const owners = [least.get(OF.nameAlone), least.get(OF.supplyPoint) ?? least.get(OF.certain)];
  return { owners: owners.filter((owner) => owner !== undefined), company: least.get(OF.company) };
}

/** Returns the digests of both. */
export function bothIdentities(one: string, other: string): string {
  const digests = new Set([...eachIn(one), ...eachIn(other)].map(numberIn));
  return inText(new Float64Array([...digests].slice(0, MOST)).sort());
}

/** The digests of an identity. `customers`: of the persons of an account, or of the company that a business is. */
export interface Identity {
  supplyPoints: readonly string[];
  customers: readonly string[];
  /** Of the company of an account, which may have many accounts. */
  company: readonly string[];
  /** Of the contracts that a business declares, or of the one by which an account belongs to a business. */
  contracts: readonly string[];
  /** They do not tell that two are of one customer; only that they may be. */
  hints: readonly string[];
}

/** Returns the digests of an identity or, with `isSought`, those of which another one has at least one if both are of one customer. */
export function identityFrom(identity: string, isSought = false): Identity {
  const supplyPoints: string[] = [];
  const customers: string[] = [];
  const [company, contracts, hints]: [string[], string[], string[]] = [[], [], []];
  for (const digest of eachIn(identity)) {
    const number = numberIn(digest);
    const [what, value] = [Math.floor(number / OF_VALUE), number % OF_VALUE];
    const as = (other: number) => inText(Float64Array.of(other * OF_VALUE + value));
    if (what === OF.supplyPoint) supplyPoints.push(digest);
    else if (what === OF.hint) hints.push(digest);
    else if (what === OF.company) company.push(digest);
    else if (what === OF.contract) contracts.push(digest);
    else if (what === OF.nameAlone) customers.push(digest, ...(isSought ? [as(OF.nameBeside)] : []));
    else if (what === OF.certain || !isSought) customers.push(digest);
    else customers.push(as(OF.nameAlone));
  }
  return { supplyPoints, customers, company, contracts, hints };
}

/**
 * Returns whether they are known to be of different customers: they have persons, a company or supply points, and none in common. A company
 * or a contract that is the same has many accounts: they are of different ones if they have both persons and supply points, and none in common.
 */
export function areOfOtherCustomers(before: string, now: string): boolean {
  if (before === now) return false;
  const [former, current, sought] = [identityFrom(before), identityFrom(now), identityFrom(now, true)];
  const ofOne = ({ customers, supplyPoints, hints }: Identity) => [...customers, ...supplyPoints, ...hints];
  const ofMany = ({ company, contracts }: Identity) => [...company, ...contracts];
  const meet = (digestsIn: (identity: Identity) => string[]) => {
    const known = new Set(digestsIn(former));
    return digestsIn(sought).some((digest) => known.has(digest));
  };
  if (meet(ofOne)) return false;
  const haveBoth = (...what: (keyof Identity)[]) =>
    [former, current].every((identity) => what.some((name) => identity[name].length > 0));
  if (meet(ofMany)) return haveBoth('customers') && haveBoth('supplyPoints');
  return haveBoth('customers', 'company') || haveBoth('supplyPoints');
}
