/** A note: on an account payload, or added to an imported account (spec: Note). */
import * as z from 'zod';
import {
  type AnswerSchemaOf,
  loose,
  nullishText,
  type OpenEnum,
  openEnum,
  optionalBoolean,
  optionalDatetime,
  optionalList,
  optionalText,
  type SchemaOf,
  strict,
  text,
} from '../fields.js';
import { isObject } from '../objects.js';
import { NOTE_STATUSES } from '../values.js';

/** Fields of every note. */
export interface NoteFields {
  /** When the note was written: a datetime with Z or an offset. Default: the service's current local time. */
  created_at?: string | undefined;
  /** Pins the note to the top of the account support page. */
  is_pinned?: boolean | undefined;
  /** A datetime; appears alongside `is_pinned`. The API specification does not describe it further. */
  unpin_at?: string | undefined;
}

/** Path of a stored document, relative to the root that is configured for the import supplier. */
export interface DocumentPath {
  /** The document is expected at `<bucket>/<root><path>`; nothing is uploaded. */
  document_path: string;
}

/** A note with a text. */
export interface TextNote extends NoteFields {
  /** The text. */
  body: string;
  /** Documents that belong to it. */
  document_paths?: readonly DocumentPath[] | undefined;
}

/** A note that only refers to documents. */
export interface DocumentNote extends NoteFields {
  /** Absent in this kind of note. */
  body?: undefined;
  /** The documents. */
  document_paths: readonly DocumentPath[];
}

/** TypeScript shows this name in the error for a note that has neither. */
export type NoteWithBodyOrDocumentPaths = TextNote | DocumentNote;

/** A note holds a `body`, `document_paths`, or both. */
export type Note = NoteWithBodyOrDocumentPaths;

/** Returns whether the note has a text, by which the service recognises it. An empty one is none. */
export function hasText(note: { body?: unknown } | null | undefined): boolean {
  return typeof note?.body === 'string' && note.body.trim() !== '';
}

/** Body of `notes.create`. */
export interface NotesPayload {
  /** Import supplier code. */
  import_supplier: string;
  /** The caller's identifier of the account. It must be imported: staged is not enough. */
  external_account_number: string;
  /** The notes; no limit to their number is documented. */
  notes: readonly Note[];
}

/** One item of the answer to `notes.create`, in the order of the request. */
export interface NoteResult {
  /** A datetime. */
  created_at?: string | null | undefined;
  /** The text of the note. */
  body?: string | null | undefined;
  /** NOTE_CREATION_SUCCESS, or NOTE_ALREADY_EXISTS if the account already had this note. */
  status: OpenEnum<'NOTE_CREATION_SUCCESS' | 'NOTE_ALREADY_EXISTS'>;
}

type NoteFieldsOfAnyKind = Pick<Note, keyof Note>;

/** Type of `noteSchema`. Zod allows no `pick`, `omit` and `partial` of a schema with a rule for several fields. */
export type NoteSchema = z.ZodType<Note, Note> & Pick<SchemaOf<NoteFieldsOfAnyKind>, 'shape' | 'keyof' | 'extend'>;

// A JSON Schema loses `refine`, so `meta` repeats the rule for it. `when` checks the rule even if fields are invalid, so
// that all findings are reported at once (C3).
/** Schema of `Note`: `body`, `document_paths` or both. Strict: rejects undocumented fields. */
export const noteSchema: NoteSchema = strict<NoteFieldsOfAnyKind>({
  body: optionalText,
  document_paths: optionalList(strict<DocumentPath>({ document_path: text })),
  created_at: optionalDatetime,
  is_pinned: optionalBoolean,
  unpin_at: optionalDatetime,
})
  .refine((note) => note.body !== undefined || note.document_paths !== undefined, {
    error: 'A note must contain at least one of body or document_paths.',
    params: { code: 'required' },
    when: ({ value }) => isObject(value),
  })
  .meta({ anyOf: [{ required: ['body'] }, { required: ['document_paths'] }] }) as unknown as NoteSchema;

/** Schema of `NotesPayload`. Strict: rejects undocumented fields. */
export const notesPayloadSchema = strict<NotesPayload>({
  import_supplier: text,
  external_account_number: text,
  notes: z.array(noteSchema),
});

/** Schema of the answer to `notes.create`, a list of `NoteResult`. Loose: keeps undocumented fields. */
export const notesAnswerSchema: z.ZodArray<AnswerSchemaOf<NoteResult>> = z.array(
  loose<NoteResult>({
    created_at: nullishText,
    body: nullishText,
    status: openEnum(NOTE_STATUSES),
  }),
);
