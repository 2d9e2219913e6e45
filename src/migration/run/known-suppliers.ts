/**
 * Exports `knownSuppliers`, which stores the import suppliers of a run in its ledger, and `expectSharedSupplier`, which rejects an input
 * that has none of them: it belongs to another run.
 */
import * as z from 'zod';
import type { Input } from '../input/source.js';
import type { Ledger } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { keyedRecord } from '../record/record-key.js';
import { RunTargetError } from './expect-target.js';

/** Name of the ledger fact. An empty text counts as no value. */
const SUPPLIERS = 'suppliers';

/** Maximum number of stored suppliers. An input with more probably has a wrong mapping, so its suppliers are not compared. */
const MOST_SUPPLIERS = 1000;
const MOST_NAMED = 5;

export async function knownSuppliers(ledger: Ledger) {
  const known = await suppliersIn(ledger);
  let writing: Promise<void> = Promise.resolve();
  return {
    /** Resolves when the supplier is stored; undefined if it is known. */
    add(supplier: string): Promise<void> | undefined {
      if (known.has(supplier) || known.size >= MOST_SUPPLIERS) return undefined;
      known.add(supplier);
      writing = writing.then(() => ledger.setFact(SUPPLIERS, JSON.stringify([...known].sort())));
      return writing;
    },
  };
}

/**
 * Rejects with a `RunTargetError` if the ledger has records and the input has none of their suppliers: it is the input of another
 * run. Reads the input up to the first record of a known supplier, usually the first record.
 */
export async function expectSharedSupplier(ledger: Ledger, input: Input, folder: string): Promise<void> {
  // The run could not read it again.
  if (input.isReadOnce === true) return;
  const known = await suppliersIn(ledger);
  if (known.size === 0 || known.size >= MOST_SUPPLIERS) return;
  const found = new Set<string>();
  for await (const item of input) {
    const { supplier = '' } = keyedRecord(item)?.key ?? {};
    // Supply points have no import supplier.
    if (supplier === '') continue;
    if (known.has(supplier)) return;
    if (found.size <= MOST_NAMED) found.add(supplier);
  }
  if (found.size === 0) return;
  throw new RunTargetError(
    `target: the run in ${folder} has records of import supplier ${listed(known)}, and this input has only ${listed(found)}. ` +
      'Give another folder with --run <folder>, or the input of that run; it may have further suppliers.',
  );
}

async function suppliersIn(ledger: Ledger): Promise<Set<string>> {
  return new Set(await jsonFact(ledger, SUPPLIERS, fits(z.array(z.string()))));
}

function listed(suppliers: ReadonlySet<string>): string {
  const named = [...suppliers].slice(0, MOST_NAMED).join(', ');
  return suppliers.size > MOST_NAMED ? `${named}, …` : named;
}
