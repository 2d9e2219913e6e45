/** Exports `RenumberedError`, with the records that would be created a second time. */
import type { RecordKey } from '../ledger/ledger.js';
import { counted } from '../shared/format.js';
import { placeInWords } from '../shared/place.js';

/** A new record that seems to be a record of the run whose line is no longer in the input, or is now that of another customer. */
export interface RenumberedRecord extends RecordKey {
  /** The number in the run. */
  formerNumber: string;
  /** The import supplier in the run. */
  formerSupplier: string;
  /** `content`: they differ in nothing but their numbers. `number`: in zeros, case or signs of the number, or the number is the same and the supplier another one. `supplyPoints`: they have the same. `customers`: so they have customers and addresses, or company name and SIRET. */
  by: 'content' | 'number' | 'supplyPoints' | 'customers';
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
      `${renumberedInWords(records)} Nothing was sent. Restore the numbers; or, if they are other customers, accept them with --changed-sources (changedSources of runMigration).`,
    );
    this.records = records;
  }
}

const MOST_NAMED = 3;

const HOW: Readonly<Record<RenumberedRecord['by'], string>> = {
  content: 'nothing else differs',
  number: 'the number differs in zeros, case or signs only',
  supplyPoints: 'the supply points are the same',
  customers: 'the customers and their addresses are the same',
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

/** Returns a sentence with the first of them. */
export function renumberedInWords(records: readonly RenumberedRecord[]): string {
  const named = records
    .slice(0, MOST_NAMED)
    .map(({ supplier, kind, number, formerNumber, formerSupplier, by, ...place }) => {
      const [now, before] = supplier === formerSupplier ? ['', ''] : [` of ${supplier}`, ` of ${formerSupplier}`];
      const spell = isLikeness(number, formerNumber) ? spelled : String;
      const numbers = [spell(number), spell(formerNumber)] as const;
      const isCompany = kind === 'business' && by === 'customers';
      const how = isCompany
        ? 'the company is the same'
        : by === 'number' && number === formerNumber
          ? 'the number is the same'
          : HOW[by];
      return `${placeInWords(place)} ${kind} ${numbers[0]}${now}, formerly ${numbers[1]}${before} (${how})`;
    });
  const rest = records.length > MOST_NAMED ? '; …' : '';
  return `${counted(records.length, 'new record seems', 'new records seem')} to exist already under another number or supplier, which the input no longer has or gives to others: ${named.join('; ')}${rest}. ${records.length === 1 ? 'It' : 'They'} would be created a second time.`;
}
