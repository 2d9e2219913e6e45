/** Exports `Notes`, the method of `client.notes`. */
import type { NoteResult, NotesPayload } from '../../schemas/payloads/note.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { Requester } from './check-and-send.js';
import { suspicionsOfNotes } from './suspicions.js';

/** `client.notes`: notes of imported accounts (spec: Notes). */
export interface Notes {
  /**
   * Adds notes to an imported account. Resolves with one result per note, in the order of the request. The service does not add a
   * note that the account has, so the client repeats a request without an answer, unless a note has no body. Rejects with
   * `NotFoundError` if the account is only staged or unknown. (Spec: Notes.)
   */
  create(payload: NotesPayload, options?: CallOptions): CallPromise<NoteResult[]>;
}

/** Returns the method of `client.notes`. */
export function createNotes(request: Requester): Notes {
  return {
    create: (payload, options) => request('notes.create', { payload, suspicions: suspicionsOfNotes }, options),
  };
}
