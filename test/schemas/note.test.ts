/** The one rule of the document that reaches across fields: a note has a body or document_paths. */
import { describe, expect, it } from 'vitest';
import { accountSchema, noteSchema, notesPayloadSchema } from '../../schemas/index.js';
import { domesticAccount } from '../examples/account.js';
import { attrsAndCodes, withValue } from './change.js';

describe('C4 a note must contain at least one of body or document_paths', () => {
  it.each([
    ['a body', { body: 'Called.' }],
    ['an empty body', { body: '' }],
    ['documents', { document_paths: [{ document_path: 'a.pdf' }] }],
    ['an empty list of documents', { document_paths: [] }],
    ['both', { body: 'Called.', document_paths: [{ document_path: 'a.pdf' }] }],
    ['a body, and documents left undefined', { body: 'Called.', document_paths: undefined }],
  ])('takes %s', (_, note) => {
    expect(attrsAndCodes(noteSchema, note)).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['other fields only', { is_pinned: true, created_at: '2024-01-01T00:00:00Z' }],
    ['both undefined', { body: undefined, document_paths: undefined }],
  ])('refuses %s, at the note', (_, note) => {
    expect(attrsAndCodes(noteSchema, note)).toEqual([{ attr: '', code: 'required' }]);
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, 'notes.0', note))).toEqual([
      { attr: 'notes.0', code: 'required' },
    ]);
    expect(
      attrsAndCodes(notesPayloadSchema, {
        import_supplier: 'SANDBOX_SUPPLIER',
        external_account_number: 'ACC-0001',
        notes: [{ body: 'Called.' }, note],
      }),
    ).toEqual([{ attr: 'notes.1', code: 'required' }]);
  });

  it('C3 is found together with the other errors of the note', () => {
    expect(attrsAndCodes(noteSchema, { is_pinned: 'yes', text: 'Called.' })).toEqual([
      { attr: 'is_pinned', code: 'invalid_type' },
      { attr: 'text', code: 'unknown_field' },
      { attr: '', code: 'required' },
    ]);
  });

  it('is not found where a body is there but wrong', () => {
    expect(attrsAndCodes(noteSchema, { body: 5 })).toEqual([{ attr: 'body', code: 'invalid_type' }]);
    expect(attrsAndCodes(noteSchema, { body: null })).toEqual([{ attr: 'body', code: 'null' }]);
  });

  it.each([null, [], 'Called.', 5])('is not found where the note is no object: %j', (note) => {
    expect(attrsAndCodes(noteSchema, note)).toEqual([{ attr: '', code: note === null ? 'null' : 'invalid_type' }]);
  });
});
