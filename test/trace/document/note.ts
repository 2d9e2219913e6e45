/** A note, staged with an account or added to it. */
import type { Chapter } from '../chapter.js';

export const note: readonly Chapter[] = [
  {
    title: 'Note',
    rows: [
      {
        id: 'D93',
        says: 'A note must contain at least one of body or document_paths.',
        checks: ['C4', 'E7'],
        tests: [
          'C4 a note must contain at least one of body or document_paths > refuses',
          'C4 rules that JSON Schema can express are in it > a note has a body or document_paths',
          'E7 notes: neither body nor document_paths is 400, and no note of the request is created',
        ],
      },
      {
        id: 'D94',
        says: 'body: string',
        checks: ['C3', 'E7'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at notes.0.body',
          'E7 notes: 201 with one item a note, in the order of the request',
        ],
      },
      {
        id: 'D95',
        says: 'document_paths: array of {document_path string}; see document paths',
        checks: ['C3', 'C7', 'E7'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at notes.0.document_paths',
          'NotesPayload > C3 refuses a wrong value at notes.0.document_paths.0.document_path',
          'E7 notes: is_pinned, unpin_at and documents are stored',
          'C7 documents of notes and statements after the import are added; those of a note that exists are not',
        ],
      },
      {
        id: 'D96',
        says: 'created_at: datetime, optional; defaults to the current local time',
        checks: ['C3', 'E7'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at notes.0.created_at',
          'E7 notes: 201 with one item a note, in the order of the request',
          'E7 notes are added once',
        ],
      },
      {
        id: 'D97',
        says: 'is_pinned: boolean, optional; pins the note to the top of the account support page',
        checks: ['C3', 'E7'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at notes.0.is_pinned',
          'E7 notes: is_pinned, unpin_at and documents are stored',
        ],
      },
      {
        id: 'D98',
        says: 'unpin_at: datetime, appears alongside is_pinned; meaning not otherwise described',
        checks: ['C3', 'U18'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at notes.0.unpin_at',
          "U18 by default, or 'stored', the time is kept and nothing happens at it",
          "U18 with 'unpins' the note is unpinned when the clock reaches it, and no sooner",
        ],
      },
    ],
    notChecked: [],
  },
];
