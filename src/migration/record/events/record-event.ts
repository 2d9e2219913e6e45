/**
 * Exports `RecordEvent`, all events of a record. `applyEvent` returns the next version of a record after an event; `onEvent`
 * receives each event after it is stored.
 */
import type { RecordItems } from '../../ledger/items.js';
import type { Difference, ItemStep, LedgerError, LedgerWarning, Step } from '../../ledger/ledger.js';
import type { ItemOutcomes } from '../items/item-outcomes.js';

/** The outcomes of the items in the request of the intent. */
export interface ItemStepEvent {
  /**
   * Items that it does not name were added. Without it, all were added after `stepSucceeded`, refused after `stepRejected`, and are
   * unknown after `outcomeUnknown`.
   */
  items?: ItemOutcomes;
}

/** Why a call has no usable answer. */
export interface FailureCause {
  /** The error code of the service, or the reason of the connection if there was no answer. */
  code?: string;
  /** The host that was called. */
  host?: string;
  /** HTTP status of the answer; missing without an answer. */
  status?: number;
  /** No further call of this client can be sent, such as after `close()`. */
  isFinal?: true;
}

/**
 * What the service does not accept, so that no record can continue. The records themselves are not refused. `address`: the path of the
 * address is not that of the service.
 */
export type NotAccepted = 'address' | 'token' | 'supplier' | 'team';

/** An event of a record. `onEvent` receives it after the ledger has stored it. */
export type RecordEvent =
  /** The payload in the input differs from the one of an earlier pass. The record starts from the first step. */
  | {
      type: 'lineChanged';
      hash: string;
      contentHash: string;
      /** Of a corrected line. */
      correctedFrom?: string | null;
      source: string;
      line: number;
      contract: string | null;
      /** Those of the new payload. */
      items?: RecordItems;
      /** Those of the new payload. */
      warnings?: readonly LedgerWarning[];
    }
  /** A run read the input line that a corrected line replaced: `items` are those of the line. Null: the input has another line by now. Otherwise the input no longer differs from the record. */
  | { type: 'replacedLineRead'; items: RecordItems | null }
  /** The line of the record has the same content in other bytes, in another order of items, or at another place. */
  | { type: 'lineRewritten'; hash: string; source: string; line: number; items?: RecordItems }
  /**
   * The input differs from the record, or does so no longer, or a person has accepted it. `place`: where its line is now, if that is another
   * file. `items`: those of the line that differs, with their states.
   */
  | {
      type: 'lineDiffers';
      difference: Difference | null;
      place?: { source: string; line: number } | undefined;
      items?: RecordItems;
    }
  /**
   * The intent of a call, stored before the call. `isOnce`: its request must not be repeated unasked. `items`: the positions of the
   * items in this request; without it they are those of the intent before, whose time it renews.
   */
  | { type: 'stepStarted'; step: Step; isOnce?: boolean; items?: readonly number[] }
  /** A step is done, except for the items that `items` names; `errors` has the reasons. */
  | ({
      type: 'stepSucceeded';
      step: Step;
      serviceNumber?: string;
      errors?: readonly Omit<LedgerError, 'step'>[];
    } & ItemStepEvent)
  /**
   * The account existed on the service before the intent to create it. `sends`: the steps whose items are still sent.
   * `isOfAnother`: the service has it under another external account number, so nothing is sent for this one.
   */
  | { type: 'alreadyExists'; serviceNumber: string | null; sends?: readonly ItemStep[]; isOfAnother?: true }
  /** The service refuses the content of the record, and would refuse it again unchanged. */
  | ({
      type: 'stepRejected';
      step: Step;
      errors: readonly Omit<LedgerError, 'step'>[];
      /** The service has accepted other records, so the cause concerns this one: see `isRefusal` of `stepFailed`. */
      wasHeldBack?: true;
    } & ItemStepEvent)
  /**
   * The request was sent and no usable answer came; the intent stays. `hasEnded`: the service answered with a server
   * error. Otherwise it may still be processing the request.
   */
  | ({ type: 'noAnswer'; step: Step; hasEnded?: true } & FailureCause)
  /** The service did not answer the question whether the request took effect. The intent is unchanged. */
  | ({ type: 'reconcileFailed'; step: Step; of?: 'token'; isOfAnother?: true } & FailureCause)
  /** The request of the intent had no effect, or its effect may be repeated: the step is executed again. */
  | { type: 'intentRevoked'; step: Step }
  /** The request may have taken effect, and the service cannot answer whether it did. */
  | ({
      type: 'outcomeUnknown';
      step: Step;
      errors?: readonly Omit<LedgerError, 'step'>[];
      /** The answer belongs to another request, so later answers may too. */
      isOfAnother?: true;
    } & ItemStepEvent)
  /**
   * The request had no effect, for a reason outside the record; the record stays at this step. `of` names the cause
   * if it blocks every other record too. `isOpen`: an earlier request of the step may have taken effect, so the
   * intent stays. `isHeldBack`: this process did not send the request, or aborted it. `isRefusal`: the service refuses the whole request and
   * names neither a field nor a known code, so the cause may concern all records. `errors` are those of the answer.
   */
  | ({
      type: 'stepFailed';
      step: Step;
      of?: NotAccepted;
      isOpen?: true;
      isHeldBack?: true;
      isRefusal?: true;
      errors?: readonly Omit<LedgerError, 'step'>[];
      isOfAnother?: true;
    } & FailureCause)
  /** Nothing is left to do. */
  | { type: 'ended' }
  /** An existing account continues with the items of the named line: those with the status `waiting` are sent. */
  | {
      type: 'itemsRequested';
      hash: string;
      contentHash: string;
      /** Of a corrected line. */
      correctedFrom?: string | null;
      source: string;
      line: number;
      /** Those of the line, with their states. */
      items: RecordItems;
      /** Those of the line. */
      warnings?: readonly LedgerWarning[];
      /** How the line differs from the content that is sent. `contentHash` is then of the record with the items that are sent. */
      difference?: Difference | null;
    }
  /**
   * The service, or a person, decided whether an unknown step took effect. `items`: the positions of the items that a person has decided
   * about; without it, all that are unknown. Where none is unknown, their earlier decisions are replaced.
   */
  | {
      type: 'resolved';
      step: Step;
      as: 'done' | 'notDone';
      serviceNumber?: string;
      isByPerson?: true;
      items?: readonly number[];
    };

/** The events of these types. */
export type EventOf<Type extends RecordEvent['type']> = Extract<RecordEvent, { type: Type }>;

/** The events that end a request of items. */
export type ItemsSentEvent = EventOf<'stepSucceeded' | 'stepRejected' | 'outcomeUnknown'>;

/** The events after a call that failed or got no answer. */
export type FailureEvent = EventOf<'stepFailed' | 'noAnswer' | 'reconcileFailed'>;

export function isFailure(event: RecordEvent): event is FailureEvent {
  return event.type === 'stepFailed' || event.type === 'noAnswer' || event.type === 'reconcileFailed';
}

/** Returns the cause of a failure, without the other facts of its event. */
export function causeOf(event: FailureEvent): FailureCause & { of?: NotAccepted } {
  const { code, host, status, isFinal } = event;
  const of = 'of' in event ? event.of : undefined;
  return {
    ...(code !== undefined && { code }),
    ...(host !== undefined && { host }),
    ...(status !== undefined && { status }),
    ...(isFinal && { isFinal }),
    ...(of !== undefined && { of }),
  };
}
