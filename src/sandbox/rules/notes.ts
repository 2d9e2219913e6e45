/** E7 `notes.create`: notes on an imported account, none of them twice. */
import type { Note, NoteResult, NotesPayload } from '../../../schemas/note.js';
import { failed } from '../answers.js';
import { sameInstant, toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import { locateIn, pathsOfNotes } from '../documents.js';
import type { NoteRecord } from '../state.js';
import { describeMissing, findImported } from './imported-accounts.js';

export function createNotes({ payload, store, now, bucket }: Call<NotesPayload>): Outcome {
  const found = findImported(store, payload);
  if (found === undefined) return failed(404, 'account_not_found', describeMissing(store, payload));
  const { supplier, account, imported } = found;
  const added = addNotes(imported.notes, payload.notes, now);
  const documents = locateIn(bucket, supplier)(pathsOfNotes(added.created));
  return {
    status: 201,
    body: added.results,
    apply: () => {
      imported.notes = added.notes;
      account.documents = [...account.documents, ...documents];
    },
  };
}

interface AddedNotes {
  /** All notes that the account has then. */
  notes: NoteRecord[];
  /** The ones that were not there before. */
  created: Note[];
  /** In the order of the request. */
  results: NoteResult[];
}

/** Each note is compared with all before it, those of the same request included. */
export function addNotes(existing: readonly NoteRecord[], notes: readonly Note[], now: Date): AddedNotes {
  const added: AddedNotes = { notes: [...existing], created: [], results: [] };
  const alike = new Map<string, NoteRecord[]>();
  for (const note of existing) alike.set(contentOf(note), [...(alike.get(contentOf(note)) ?? []), note]);

  for (const note of notes) {
    const candidates = alike.get(contentOf(note)) ?? [];
    const same = candidates.find((other) => hasTimeOf(other, note));
    const record = same ?? recordOf(note, now);
    if (same === undefined) {
      alike.set(contentOf(note), [...candidates, record]);
      added.notes.push(record);
      added.created.push(note);
    }
    added.results.push({
      created_at: record.created_at,
      body: note.body ?? null,
      status: same === undefined ? 'NOTE_CREATION_SUCCESS' : 'NOTE_ALREADY_EXISTS',
    });
  }
  return added;
}

/** What two notes must have in common: the body, whatever their documents; without a body the paths (U17). */
function contentOf({ body, document_paths = [] }: Pick<NoteRecord, 'body' | 'document_paths'>): string {
  return body === undefined ? JSON.stringify(document_paths.map(({ document_path }) => document_path)) : `body ${body}`;
}

/** Times are compared only where the new note gives one. */
function hasTimeOf(existing: NoteRecord, { created_at }: Note): boolean {
  return created_at === undefined || sameInstant(existing.created_at, created_at);
}

function recordOf(note: Note, now: Date): NoteRecord {
  const { created_at = toDatetime(now), is_pinned = false, ...rest } = note;
  return { ...rest, created_at, is_pinned };
}
