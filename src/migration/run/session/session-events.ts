/**
 * Exports `SessionEvents`, which receives the events of a session: those of its records, answers to its requests, and events of other
 * workers. It passes them to the session log and to the caller, and stores why calls failed.
 */
import type { ResponseEvent } from '../../../http/call/observe.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { causeOf, isFailure, type NotAccepted, type RecordEvent } from '../../record/events/record-event.js';
import {
  type failureInWords,
  failureOfEvent,
  failureOfResponse,
  NOT_UNDERSTOOD,
} from '../../shared/connection-failure.js';
import { type CompactEvent, type FailedCall, failedStep, textOf } from '../../throttle/compact-event.js';
import type { OpenSession } from './open-session.js';

export class SessionEvents {
  /** What the service does not accept, by the first refusal. */
  notAccepted: NotAccepted | undefined;
  /** The last call that failed. */
  lastFailure: (Parameters<typeof failureInWords>[0] & Partial<Pick<FailedCall, 'isRefusal' | 'detail'>>) | undefined;
  readonly #session: OpenSession;
  readonly #storeInFlight: () => void;
  readonly #stops: ((() => void) | undefined)[];

  /** Listens until `stop`. `storeInFlight`: called after each answer to a process request. */
  constructor(session: OpenSession, storeInFlight: () => void) {
    const { options, distributed, listener, log } = session;
    this.#session = session;
    this.#storeInFlight = storeInFlight;
    this.#stops = [
      options.client.on({ onRequest: () => log.request(), onResponse: (answer) => this.#onResponse(answer) }),
      distributed?.throttle.onOthers((event) => this.#onOther(event)),
    ];
    listener.onEvent = (record, event) => this.#onEvent(record, event);
  }

  /** Call it with each event of a record of this process, after it is stored. */
  onEvent(record: LedgerRecord, event: RecordEvent, before: LedgerRecord | undefined): void {
    const { refusedSuppliers, throttle } = this.#session;
    const isOfSupplier = event.type === 'stepFailed' && event.of === 'supplier';
    if (isOfSupplier && refusedSuppliers !== undefined) refusedSuppliers.add(record.supplier, event.code ?? '');
    else throttle.onEvent(record, event);
    this.#onEvent(record, event, before);
  }

  stop(): void {
    for (const stop of this.#stops) stop?.();
  }

  #onEvent(record: LedgerRecord, event: RecordEvent, before?: LedgerRecord): void {
    const { log, options } = this.#session;
    log.event(record, event);
    if (isFailure(event)) {
      this.notAccepted ??= causeOf(event).of;
      // A delayed or aborted call has no code.
      if (event.code !== undefined) {
        const text = event.type === 'stepFailed' ? textOf(event.errors) : {};
        this.lastFailure = { ...event, ...text, supplier: record.supplier };
      }
      if (event.code === NOT_UNDERSTOOD) log.failed(event);
    }
    options.onEvent?.(record, event, before);
  }

  #onResponse({ operation, status, durationMs, reason }: ResponseEvent): void {
    const { log, signal, distributed, throttle } = this.#session;
    const failure = failureOfResponse({ status, reason });
    if (failure !== undefined && !signal.aborted) log.failed(failure);
    if (operation === 'accounts.process' && status !== undefined) this.#storeInFlight();
    // A process of a distributed run watches its own client.
    if (distributed === undefined) throttle.onResponse({ operation, status, latencyMs: durationMs });
  }

  #onOther(event: CompactEvent): void {
    const { log, options } = this.#session;
    if (event.type === 'ended') log.ended();
    if (event.type === 'failed' && event.code !== undefined) this.lastFailure = failedStep(event);
    const failure = failureOfEvent(event);
    if (failure !== undefined) log.failed(failure);
    options.onOthers?.(event);
  }
}
