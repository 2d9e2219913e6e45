/** Exports `RenumberedError`, with the records that would be created a second time. */
import type { RecordKey, RecordKind } from '../ledger/ledger.js';
import { ofAnyCopy } from '../shared/error-of-any-copy.js';
import { counted } from '../shared/format.js';
import { placeInWords } from '../shared/place.js';

/** Items of a line that the service has at another record of the run, whose line no longer has them. */
export interface MovedItems {
  /** Path of the first of them in the line. */
  attr: string;
  /** How many they are. */
  count: number;
  /** Kind of the other record. */
  kind: RecordKind;
  /** File of the other record. */
  source: string;
  /** Its line, counted from 1. */
  line: number;
}

/**
 * A new record that seems to be a record of the run whose line is no longer in the input, or is now that of another customer; or the line of
 * that other customer; or a line with items that the service has at another record.
 */
export interface RenumberedRecord extends RecordKey {
  /** The number in the run. */
  formerNumber: string;
  /** The import supplier in the run. */
  formerSupplier: string;
  /**
   * What tells it. `content`: they differ in nothing but their numbers. `number`: in zeros, case or signs of the number, or the number is the
   * same and the supplier another one. `supplyPoints`: they have one in common. `customers`: so they have a person, by name and birth date.
   * `company`: so they have the company, by SIRET or name. `contracts`: so they have a business contract. An account has company and contract
   * in common with many: they tell it only if no other account has them. `otherCustomer`: it is no new record: the line with the number of a record has items that were not sent, and
   * another customer than the record. `items`: see `moved`.
   */
  by: 'content' | 'number' | 'supplyPoints' | 'customers' | 'company' | 'contracts' | 'otherCustomer' | 'items';
  /** Only by `items`: what the former record was sent with. */
  moved?: MovedItems;
  /** File of the new record. */
  source: string;
  /** Its line, counted from 1. */
  line: number;
}

/** The input has renumbered records. Nothing was sent. */
export class RenumberedError extends Error {
  /** Discriminates this class. */
  override readonly name = 'RenumberedError';
  /** The records. */
  readonly records: readonly RenumberedRecord[];
  /** @internal */
  constructor(records: readonly RenumberedRecord[]) {
    super(
      `${renumberedInWords(records)} Nothing was sent. Restore the numbers; or, if they are right, accept them with --changed-sources (changedSources of runMigration).`,
    );
    this.records = records;
  }
}
ofAnyCopy(RenumberedError, 'RenumberedError');

const MOST_NAMED = 3;

const HOW: Readonly<Record<Exclude<RenumberedRecord['by'], 'otherCustomer' | 'items'>, string>> = {
  content: 'nothing else differs',
  number: 'the number differs in zeros, case or signs only',
  supplyPoints: 'a supply point is the same',
  customers: 'a customer is the same',
  company: 'the company is the same',
  contracts: 'a business contract is the same',
};

/** Returns whether two numbers that differ look the same: in spaces, in signs without width, or in the form of accents. */
function isLikeness(one: string, other: string): boolean {
  const seen = (text: string) => text.normalize('NFKC').replace(/[\p{Z}\p{C}]/gu, '');
  return one !== other && seen(one) === seen(other);
}

/** Returns the number in quotes, with the code of each sign that is not ASCII. */
function spelled(number: string): string {
  const code = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(number).replace(/[^ -~]/g, code);
}

/** Returns those that would be created a second time, the lines of other customers, and those with items that would be sent a second time. */
export function renumberedByRisk(records: readonly RenumberedRecord[]) {
  const others = records.filter(({ by }) => by === 'otherCustomer');
  const moved = records.filter(({ by }) => by === 'items');
  return { twice: records.filter(({ by }) => by !== 'otherCustomer' && by !== 'items'), others, moved };
}

/** Returns sentences with the first of them. */
export function renumberedInWords(records: readonly RenumberedRecord[]): string {
  const { twice, others, moved } = renumberedByRisk(records);
  const sentences: string[] = [];
  if (twice.length > 0) {
    sentences.push(
      `${counted(twice.length, 'new record seems', 'new records seem')} to exist already under another number or supplier, which the input no longer has or gives to others: ${firstOf(twice)}. ${twice.length === 1 ? 'It' : 'They'} would be created a second time.`,
    );
  }
  if (others.length > 0) {
    sentences.push(
      `${counted(others.length, 'line has', 'lines have')} the number of a record that exists, and another customer: ${firstOf(others)}. Items of ${others.length === 1 ? 'it' : 'them'} would be booked on the account of the former customer.`,
    );
  }
  if (moved.length > 0) {
    sentences.push(
      `${counted(moved.length, 'line has', 'lines have')} what another record was sent with and no longer has: ${firstOf(moved)}. The service has it at the former record: it would have it twice.`,
    );
  }
  return sentences.join(' ');
}

function firstOf(records: readonly RenumberedRecord[]): string {
  return records.slice(0, MOST_NAMED).map(inWords).join('; ') + (records.length > MOST_NAMED ? '; …' : '');
}

function inWords(record: RenumberedRecord): string {
  const { supplier, kind, number, formerNumber, formerSupplier, by, moved, ...place } = record;
  if (by === 'otherCustomer' || by === 'items') {
    return `${placeInWords(place)} ${kind} ${number}${moved === undefined ? '' : movedInWords(moved, formerNumber)}`;
  }
  const [now, before] = supplier === formerSupplier ? ['', ''] : [` of ${supplier}`, ` of ${formerSupplier}`];
  const spell = isLikeness(number, formerNumber) ? spelled : String;
  const how = by === 'number' && number === formerNumber ? 'the number is the same' : HOW[by];
  return `${placeInWords(place)} ${kind} ${spell(number)}${now}, formerly ${spell(formerNumber)}${before} (${how})`;
}

function movedInWords({ attr, count, kind, ...place }: MovedItems, number: string): string {
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  return ` (${attr}${more}), formerly in ${kind} ${number} (${placeInWords(place)})`;
}
