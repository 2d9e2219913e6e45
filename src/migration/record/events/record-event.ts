/**
 * The events of a record: everything that can happen to it. `applyEvent` makes the next version of a record from one;
 * `onEvent` receives each one after it is on disk.
 */
import type { ItemStep, LedgerError, RecordItems, Step } from '../../ledger/ledger.js';
import type { ItemOutcomes, SentList } from '../items/item-counts.js';

/** What happened to the items that a step sent. */
export interface ItemStepEvent {
  /** Those that it does not name: added by `done`, refused by `refused`, in doubt after `lost`. */
  items?: ItemOutcomes;
  /** The list that the step sent, or a part of it. */
  list?: SentList;
}

/** Why a call has no usable answer. */
export interface FailureCause {
  /** What the service says about it, or the reason of the connection where there was no answer. */
  code?: string;
  /** The host that was called. */
  host?: string;
  /** HTTP status of the answer; missing where there was none. */
  status?: number;
}

/** What the service does not accept, so that no record can continue. The records themselves are not refused. */
export type NotAccepted = 'token' | 'supplier' | 'team';

/** Something that happens to a record; told by `onEvent` after it is on disk. */
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
      /** Those of the other payload. */
      items?: RecordItems;
    }
  /** Its line has the same content as before, written otherwise or at another place. */
  | { type: 'lineRewritten'; hash: string; source: string; line: number }
  /**
   * A call is about to be made. Stored before it is. `isOnce`: its request must not be sent again unasked. `part`: where the
   * items of the step go in several requests, the positions of those that this one sends.
   */
  | { type: 'stepStarted'; step: Step; isOnce?: boolean; part?: { positions: readonly number[]; list: SentList } }
  /** A step is done, but for the items that `items` names; `errors` says why. */
  | ({
      type: 'stepSucceeded';
      step: Step;
      serviceNumber?: string;
      errors?: readonly Omit<LedgerError, 'step'>[];
    } & ItemStepEvent)
  /**
   * The platform had the account before we announced to create it. `sends`: the steps of the items that are sent all the same.
   * `isOfAnother`: the service knows it by another external account number, so that nothing may be sent for this one.
   */
  | { type: 'alreadyExists'; serviceNumber: string | null; sends?: readonly ItemStep[]; isOfAnother?: true }
  /**
   * Refused for what the record is; sending it again unchanged would be refused again. `isOpen`: an earlier staging request
   * may still be running, so the intent stays.
   */
  | ({ type: 'stepRejected'; step: Step; isOpen?: true; errors: readonly Omit<LedgerError, 'step'>[] } & ItemStepEvent)
  /**
   * The request was sent and no usable answer came; the intent stays. `hasEnded`: the service answered with a server
   * error. Otherwise it may still be processing the request.
   */
  | ({ type: 'noAnswer'; step: Step; hasEnded?: true } & FailureCause)
  /** The service did not answer the question whether the request took effect. The intent is unchanged. */
  | ({ type: 'reconcileFailed'; step: Step; of?: 'token' } & FailureCause)
  /** The request of the intent had no effect, or its effect may be repeated: the step is executed again. */
  | { type: 'intentRevoked'; step: Step }
  /** The request may have taken effect, and the service cannot answer whether it did. */
  | ({
      type: 'outcomeUnknown';
      step: Step;
      errors?: readonly Omit<LedgerError, 'step'>[];
      /** The answer is that of another account: whatever is sent next may get a wrong answer too. */
      isOfAnother?: true;
    } & ItemStepEvent)
  /**
   * The request had no effect, for a reason outside the record; the record stays at this step. `of` names the cause
   * if it blocks every other record too. `isOpen`: an earlier request of the step may have taken effect, so the
   * intent stays. `isHeldBack`: no request was sent, because the run is stopping.
   */
  | ({
      type: 'stepFailed';
      step: Step;
      of?: NotAccepted;
      isOpen?: true;
      isHeldBack?: true;
    } & FailureCause)
  /** Nothing is tried. */
  | { type: 'skipped'; step: Step; code: string; attr: string }
  /** Nothing is left to do. `restHash` is of the payload without what the record lacks, where it lacks something. */
  | { type: 'ended'; restHash?: string }
  /** These steps of an account that exists are to be tried again, as the line that is named has them. */
  | {
      type: 'retryRequested';
      /** The line is a corrected one, which is not in the input. */
      isOfRetry?: true;
      steps: readonly Step[];
      hash: string;
      contentHash: string;
      /** Of a corrected line. */
      correctedFrom?: string | null;
      source: string;
      line: number;
      /** Those of the line. */
      items?: RecordItems;
    }
  /**
   * Items of an existing account are sent that were not sent before, as they are in the named line: all items of
   * these steps. `left` are the steps whose items differ from the sent ones; they are not sent.
   */
  | {
      type: 'itemsRequested';
      steps: readonly ItemStep[];
      left: readonly ItemStep[];
      hash: string;
      contentHash: string;
      source: string;
      line: number;
      /** Those of the line. */
      items: RecordItems;
    }
  /** A person or the service decided whether an unknown step took effect. */
  | { type: 'resolved'; step: Step; as: 'done' | 'notDone'; serviceNumber?: string };

/** The events of these types. */
export type EventOf<Type extends RecordEvent['type']> = Extract<RecordEvent, { type: Type }>;

/** The events that end a request of items. */
export type ItemsSentEvent = EventOf<'stepSucceeded' | 'stepRejected' | 'outcomeUnknown'>;
