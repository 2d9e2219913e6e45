/**
 * Exports `RecordLog`, which applies events to one record immediately, and stores several events as one version: the result of a call
 * and the intent of the next one are one write.
 */
import { channel } from 'node:diagnostics_channel';
import { type LedgerRecord, StaleRecordError } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import { withAnswer } from './events/late-answer.js';
import type { RecordEvent } from './events/record-event.js';
import { endsRecord } from './events/record-state.js';
import { isOver } from './is-over.js';
import { hasAny } from './items/item-states.js';
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
  /** Whether the intent is of a request of this process. */
  #isOwn = false;
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

  /** Returns the stored record. Rejects if the ledger fails; with a `StaleRecordError` if another process has written the record. */
  async store(): Promise<LedgerRecord> {
    if (this.#unstored.length === 0) return this.#stored;
    this.#current = { ...this.#current };
    this.#current.version = this.#stored.version + 1;
    try {
      await this.#write(this.#current, this.#unstored);
    } catch (error) {
      if (error instanceof StaleRecordError && this.#isOwn) await this.#keepAnswer();
      throw error;
    }
    this.#stored = this.#current;
    this.#isOwn = this.#stored.intent !== null && this.#unstored.some(({ type }) => type === 'stepStarted');
    this.#unstored = [];
    return this.#stored;
  }

  async #write(record: LedgerRecord, events: readonly RecordEvent[]): Promise<void> {
    const { ledger, onEvent } = this.#context;
    await ledger.write(record, this.#contracts, isOver(record));
    for (const event of events) {
      publishEnd(record, event);
      onEvent(record, event);
    }
  }

  /** Stores the answer to the request of the intent in the record as another process has written it. */
  async #keepAnswer(): Promise<void> {
    const [answer, next] = this.#unstored;
    if (answer === undefined || answer.type === 'stepStarted') return;
    const at = isoText(this.#context.now());
    for (let version = this.#stored.version; ; ) {
      const now = await this.#context.ledger.find(this.#stored);
      if (now === undefined || now.version === version) return;
      version = now.version;
      const kept = withAnswer(now, this.#stored, answer, at);
      if (kept === undefined) return;
      const isLast = next?.type === 'ended' && kept.intent === null && kept.outcome === null;
      const ends = isLast && !hasAny(kept.items, ['waiting']);
      const record = { ...(ends ? applyEvent(kept, next, at) : kept), version: version + 1 };
      try {
        return await this.#write(record, ends ? [answer, next] : [answer]);
      } catch (error) {
        if (!(error instanceof StaleRecordError)) throw error;
      }
    }
  }
}

let last = { ms: Number.NaN, text: '' };

/** Caches the text of the last millisecond: to format a date takes longer than everything else about an event. */
function isoText(moment: Date): string {
  const ms = moment.getTime();
  if (ms !== last.ms) last = { ms, text: moment.toISOString() };
  return last.text;
}
