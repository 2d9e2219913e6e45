/** Exports the rule of E7 `notes.create`, which adds notes to an imported account without duplicates, and `addNotes`. */
import type { Note, NoteResult, NotesPayload } from '../../../../schemas/payloads/note.js';
import type { Call, Outcome } from '../../calls/call.js';
import { sameInstant, toDatetime } from '../../state/dates.js';
import type { NoteRecord } from '../../state/sandbox-state.js';
import { pathsOfNotes, referencesOf } from '../document-paths.js';
import { accountNotFound, accountToAddTo, countedChange, itemsAdded, shownEntries } from './imported-account.js';

export function createNotes(call: Call<NotesPayload>): Outcome {
  const { payload, settings } = call;
  const found = accountToAddTo(call, pathsOfNotes(payload.notes), accountNotFound);
  if ('status' in found) return found;
  const { supplier, imported } = found;
  const added = addNotes(imported.notes, payload.notes, call);
  const documents = referencesOf(call, supplier, pathsOfNotes(added.created));
  return {
    status: 201,
    body: shownEntries(added.results, 'NOTE_ALREADY_EXISTS', settings),
    commit: () => ({ changes: [itemsAdded(found, { notes: added.records, documents })] }),
    ...countedChange([added.created.length, 'note', 'added']),
  };
}

interface AddedNotes {
  /** New notes in the form of the state. */
  records: NoteRecord[];
  /** The new notes as in the request. */
  created: Note[];
  /** In the order of the request. */
  results: NoteResult[];
}

type Choices = Pick<Call<unknown>, 'now' | 'settings'>;

/** Returns which notes are new. Each is compared with all earlier ones, also of the same request. */
export function addNotes(existing: readonly NoteRecord[], notes: readonly Note[], choices: Choices): AddedNotes {
  const added: AddedNotes = { records: [], created: [], results: [] };
  const alike = new Map<string, NoteRecord[]>();
  for (const note of existing) alike.set(contentOf(note), [...(alike.get(contentOf(note)) ?? []), note]);

  for (const note of notes) {
    const candidates = alike.get(contentOf(note)) ?? [];
    const same = sameAmong(candidates, note, choices);
    const record = same ?? recordOf(note, choices);
    if (same === undefined) {
      alike.set(contentOf(note), [...candidates, record]);
      added.records.push(record);
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

/** Returns what equal notes share: the body, or without one the document paths (U17). */
function contentOf({ body, document_paths = [] }: Pick<NoteRecord, 'body' | 'document_paths'>): string {
  return body === undefined ? JSON.stringify(document_paths.map(({ document_path }) => document_path)) : `body ${body}`;
}

/** Compares `created_at` only if the new note has one. Documented only for bodies; U17 for notes without one. */
function sameAmong(candidates: readonly NoteRecord[], note: Note, { settings }: Choices): NoteRecord | undefined {
  const { body, created_at } = note;
  const same = candidates.find((other) => created_at === undefined || sameInstant(other.created_at, created_at));
  if (same === undefined || body !== undefined) return same;
  return settings.notesWithoutBody === 'compare-paths' ? same : undefined;
}

/** With the setting `unpinAt: unpins` a note whose `unpin_at` has passed is not pinned (U18). */
function recordOf(note: Note, { now, settings }: Choices): NoteRecord {
  const { created_at = toDatetime(now), is_pinned = false, ...rest } = note;
  const { unpin_at } = note;
  const isOver = unpin_at !== undefined && settings.unpinAt === 'unpins' && Date.parse(unpin_at) <= now.getTime();
  return { ...rest, created_at, is_pinned: is_pinned && !isOver };
}
