/** The endpoint that adds notes to an imported account. */
import type { Chapter } from '../chapter.js';

export const addingNotes: readonly Chapter[] = [
  {
    title: 'Post-import (account): notes',
    rows: [
      {
        id: 'D170',
        says: 'POST notes/create/',
        checks: ['C1', 'E7'],
        tests: ['E7 notes.create', 'C1 GET on notes/create/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D171',
        says: 'import_supplier, external_account_number, notes array of Note',
        checks: ['C3', 'E7'],
        tests: [
          'NotesPayload > C3 refuses a wrong value at import_supplier',
          'NotesPayload > C3 refuses a wrong value at external_account_number',
          'NotesPayload > C3 refuses a wrong value at notes',
          'E7 notes are added once',
        ],
      },
      {
        id: 'D172',
        says: '201 array of {created_at, body, status}',
        checks: ['E7'],
        tests: [
          'E7 notes: 201 with one item a note, in the order of the request',
          'E7 status is not there, or true in its place',
        ],
      },
      {
        id: 'D173',
        says: 'notes/create/: 400',
        checks: ['E7'],
        tests: ['E7 notes: neither body nor document_paths is 400, and no note of the request is created'],
      },
      {
        id: 'D174',
        says: 'status is NOTE_CREATION_SUCCESS or NOTE_ALREADY_EXISTS.',
        checks: ['E7', 'C8'],
        tests: [
          'E7 notes: the same body again is NOTE_ALREADY_EXISTS, and no second note',
          'E7 notes are added once',
          'C8 an undocumented status is accepted > E7 note',
        ],
      },
      {
        id: 'D175',
        says: 'A note is created only if no note on the account has the same body …',
        checks: ['E7', 'U17'],
        tests: [
          'E7 notes: the same body again is NOTE_ALREADY_EXISTS, and no second note',
          'E7 notes: the same body on another account is a new note',
          'E7 notes: without created_at only the bodies are compared',
          'E7 notes: twice in one request is created once',
          'E7 notes: of notes with only document_paths the paths are compared (U17)',
          'E7 notes: notes of the staged payload exist already once the account is imported (U17)',
        ],
      },
      {
        id: 'D176',
        says: '… (and the same created_at, when provided).',
        checks: ['E7'],
        tests: ['E7 notes: the same body with another created_at is a new note; with the same one it is not'],
      },
      {
        id: 'D177',
        says: '404 is returned when the account is not found: the account must be imported (not only staged) …',
        checks: ['E7'],
        tests: [
          'E7 notes: an account that is only staged is 404',
          'E7 a note for an account that is only staged is not found',
        ],
      },
      {
        id: 'D178',
        says: '… and import_supplier and external_account_number must be correct.',
        checks: ['E7'],
        tests: ['E7 notes: an unknown account and a wrong supplier are 404'],
      },
    ],
    notChecked: [],
  },
];
