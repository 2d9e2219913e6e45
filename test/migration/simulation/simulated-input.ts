/** The input of a simulated migration: small payloads of every kind, and every kind of mistake. All of it follows from the seed. */
import type { InputLine } from '../../../src/migration/input/source.js';
import { itemsOf } from '../rehearsal.js';

/** mulberry32 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface SimulatedInput {
  items: readonly InputLine[];
  /** The same input after its owner has corrected some of the accounts. */
  corrected: readonly InputLine[];
  /** Numbers of the accounts that differ between the two. */
  changed: ReadonlySet<string>;
}

type Line = Record<string, unknown> & { account?: Record<string, unknown> };

/** `changes`: share of the accounts that get another payload; `repeats`: share of the lines that come twice. */
export function makeInput(seed: number, accounts: number, changes: number, repeats: number): SimulatedInput {
  const random = randomNumbers(seed);
  const lines: Line[] = [
    ...businesses(),
    ...Array.from({ length: accounts }, (_, index) => accountOf(index + 1, random)),
  ];
  const repeated = lines.flatMap((line) => (random() < repeats ? [line, repeatOf(line, random)] : [line]));
  const changed = new Set<string>();
  const corrected = repeated.map((line) => {
    // Rejected records stay rejected, so that the end is the same.
    const { account } = line;
    if (account === undefined || account['customers'] !== undefined || random() >= changes) return line;
    changed.add(String(account['external_account_number']));
    return { ...line, account: { ...account, customers: [{ given_name: 'Corrected' }] } };
  });
  const items = itemsOf(repeated);
  return { items, corrected: changed.size === 0 ? items : itemsOf(corrected), changed };
}

/** The last one is refused, and its accounts wait. */
function businesses(): Line[] {
  return [1, 2, 3, 4].map((number) => ({
    business: {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: `B-${number}`,
      business: { siret: number === 4 ? 5 : `${number}`, business_contracts: [{ identifier: `C-${number}` }] },
    },
  }));
}

function accountOf(number: number, random: () => number): Line {
  const chance = (share: number) => random() < share;
  const kind = random();
  const contract = kind > 0.9 ? `C-${Math.ceil(random() * 4)}` : kind > 0.87 ? 'C-unknown' : undefined;
  return {
    account: {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: `A-${number}`,
      ...(kind < 0.05 && { customers: [{ landline: 'x' }] }),
      ...(kind > 0.9 && { account_type: 'BUSINESS' }),
      ...(contract !== undefined && { business: { business_contract_identifier: contract } }),
    },
    ...(chance(0.3) && {
      payment_instruction: { vendor: 'V', reference: chance(0.1) ? 'sbx-vendor-persistent' : `R-${number}` },
    }),
    ...(chance(0.3) && { statements: [{ statement_id: `S-${number}` }] }),
    ...(chance(0.3) && { transactions: [{ transaction_id: `T-${number}`, type: 'CREDIT', amount: 1 }] }),
    ...(chance(0.3) && { notes: [noteOf(`A-${number}`)] }),
  };
}

/** One that the service does not recognise when it comes again: of every fourth account. */
export function hasNoteWithoutBody(number: string): boolean {
  return Number(number.slice('A-'.length)) % 4 === 0;
}

function noteOf(number: string) {
  return hasNoteWithoutBody(number)
    ? { document_paths: [{ document_path: `letter-${number}.pdf` }] }
    : { body: `note of ${number}` };
}

/** The same line again, or another payload under the same number. */
function repeatOf(line: Line, random: () => number): Line {
  if (line.account === undefined || random() < 0.5) return line;
  return { ...line, account: { ...line.account, customers: [{ given_name: 'Twin' }] } };
}
