import type { NoteResult, NotesPayload } from '../../schemas/payloads/note.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { Requester } from './request.js';
import { suspicionsOfNotes } from './suspicions.js';

/** `client.notes`: notes of imported accounts (document: Notes). */
export class Notes {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Adds notes to an imported account; one result a note, in the order of the request. A note that the account has
   * already is not added again, so this is repeated after a lost answer, unless a note has no body.
   * `NotFoundError` where the account is only staged or unknown. (Document: Notes.)
   */
  create(payload: NotesPayload, options?: CallOptions): CallPromise<NoteResult[]> {
    return this.#request('notes.create', { payload, suspicions: suspicionsOfNotes(payload?.notes) }, options);
  }
}
