/**
 * Exports `RecordLog`, which applies events to one record immediately, and stores several events as one version: the result of a call
 * and the intent of the next one are one write.
 */
import { channel } from 'node:diagnostics_channel';
import type { LedgerRecord } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import type { RecordEvent } from './events/record-event.js';
import { endsRecord } from './events/record-state.js';
import { isOver } from './is-over.js';
import type { RecordContext } from './record-context.js';

/** Publishes each record that has ended, for metrics: kind and outcome. */
const ends = channel('data-import:record');

function publishEnd(record: LedgerRecord, event: RecordEvent): void {
  const { kind, outcome } = record;
  if (!ends.hasSubscribers || outcome === null || !endsRecord(record, event)) return;
  ends.publish({ kind, outcome });
}

export class RecordLog {
  #stored: LedgerRecord;
  #current: LedgerRecord;
  #unstored: RecordEvent[] = [];
  readonly #contracts: readonly string[];
  readonly #context: Pick<RecordContext, 'ledger' | 'now' | 'onEvent'>;

  /** `contracts`: those of the record, which the ledger stores with it. */
  constructor(
    record: LedgerRecord,
    contracts: readonly string[],
    context: Pick<RecordContext, 'ledger' | 'now' | 'onEvent'>,
  ) {
    this.#stored = record;
    this.#current = record;
    this.#contracts = contracts;
    this.#context = context;
  }

  /** The record with all events, stored or not. */
  get record(): LedgerRecord {
    return this.#current;
  }

  /** Throws for an event that is impossible in the state of the record. */
  append(event: RecordEvent): void {
    this.#current = applyEvent(this.#current, event, isoText(this.#context.now()));
    this.#unstored.push(event);
  }

  /** Returns the stored record. Rejects if the ledger fails. */
  async store(): Promise<LedgerRecord> {
    if (this.#unstored.length === 0) return this.#stored;
    this.#current = { ...this.#current };
    this.#current.version = this.#stored.version + 1;
    await this.#context.ledger.write(this.#current, this.#contracts, isOver(this.#current));
    this.#stored = this.#current;
    for (const event of this.#unstored) {
      publishEnd(this.#stored, event);
      this.#context.onEvent(this.#stored, event);
    }
    this.#unstored = [];
    return this.#stored;
  }
}

let last = { ms: Number.NaN, text: '' };

/** Caches the text of the last millisecond: to format a date takes longer than everything else about an event. */
function isoText(moment: Date): string {
  const ms = moment.getTime();
  if (ms !== last.ms) last = { ms, text: moment.toISOString() };
  return last.text;
}
