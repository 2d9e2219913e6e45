/** Which items an answer confirms (U32; document: Notes, Transactions). */
import { describe, expect, test } from 'vitest';
import type { Note } from '../../../schemas/payloads/note.js';
import type { Transaction } from '../../../schemas/payloads/transaction.js';
import {
  confirmNotes,
  confirmTransactions,
  nothingConfirmed,
} from '../../../src/migration/record/items/confirmed-items.js';
import { placed } from '../../../src/migration/record/items/items.js';

function ofNotes(notes: Note[], answer: unknown[], positions: number[] = [...notes.keys()]) {
  const confirmed = nothingConfirmed();
  confirmNotes(placed(notes, positions), answer, confirmed);
  return confirmed;
}

function ofTransactions(
  transactions: Transaction[],
  results: unknown[],
  positions: number[] = [...transactions.keys()],
) {
  const confirmed = nothingConfirmed();
  confirmTransactions(placed(transactions, positions), results, confirmed);
  return confirmed;
}

const ALL = { alreadyImported: [], rejected: [], unknown: [], notSent: [], moved: [], otherAmounts: [] };
const added = { status: 'NOTE_CREATION_SUCCESS' };
const there = { status: 'NOTE_ALREADY_EXISTS' };
const booked = { status: 'TRANSACTION_ADDED_TO_ACCOUNT' };
const known = { status: 'TRANSACTION_ALREADY_EXISTS' };
const credit = (transaction_id: string, more: Partial<Transaction> = {}): Transaction => ({
  type: 'CREDIT',
  transaction_id,
  amount: 1,
  transaction_date: '2026-01-05',
  ...more,
});

describe('U32 notes', () => {
  const notes: Note[] = [{ body: 'one' }, { body: 'two' }, { body: 'three' }];
  const entry = (body: string, more: object = added) => ({ body, created_at: '2026-01-15T09:00:00Z', ...more });

  test('an entry for each, added or there already, confirms all', () => {
    const confirmed = ofNotes(notes, [entry('one'), entry('two', there), entry('three')]);
    expect(confirmed).toEqual({ items: { ...ALL, alreadyImported: [1] }, errors: [] });
  });

  test('in another order, each note has the entry with its body', () => {
    const answer = [entry('three'), entry('one', { status: 'NOTE_IS_QUEUED' }), entry('two')];
    expect(ofNotes(notes, answer)).toEqual({
      items: { ...ALL, unknown: [0] },
      errors: [{ code: 'unknown_status', attr: 'notes.0' }],
    });
  });

  test('of fewer entries the note whose body none has is unknown', () => {
    expect(ofNotes(notes, [entry('one'), entry('three')])).toEqual({
      items: { ...ALL, unknown: [1] },
      errors: [{ code: 'fewer_results', attr: 'notes.1' }],
    });
  });

  test('entries with only a status count by position, if there is one for each note', () => {
    expect(ofNotes(notes, [added, { status: 'NOTE_CREATION_ERROR' }, there])).toEqual({
      items: { ...ALL, alreadyImported: [2], rejected: [1] },
      errors: [{ code: 'note_creation_error', attr: 'notes.1' }],
    });
  });

  test('fewer entries with only a status confirm no particular note', () => {
    expect(ofNotes(notes, [added, added]).items).toEqual({ ...ALL, unknown: [0, 1, 2] });
  });

  test('an entry with the body of another or an unknown note confirms nothing', () => {
    expect(ofNotes(notes, [entry('one'), entry('one'), entry('four')]).items).toEqual({ ...ALL, unknown: [1, 2] });
  });

  test('the same body at two times is two notes, in any format of the times', () => {
    const twice: Note[] = [
      { body: 'one', created_at: '2026-01-01T10:00:00+02:00' },
      { body: 'one', created_at: '2026-01-02T10:00:00Z' },
    ];
    const answer = [
      { body: 'one', created_at: '2026-01-02T10:00:00.000Z', status: 'LATER' },
      { body: 'one', created_at: '2026-01-01T08:00:00Z', ...added },
    ];
    expect(ofNotes(twice, answer).items).toEqual({ ...ALL, unknown: [1] });
    expect(ofNotes(twice, answer.slice(1)).items).toEqual({ ...ALL, unknown: [1] });
  });

  test('spaces and line breaks that the service writes otherwise make no other body', () => {
    expect(ofNotes([{ body: 'one\r\ntwo ' }], [entry('one\ntwo')]).items).toEqual(ALL);
  });

  test('a note without a body is answered without one', () => {
    const documents: Note = { document_paths: [{ document_path: 'a.pdf' }] };
    expect(ofNotes([{ body: 'one' }, documents], [{ body: null, ...added }, entry('one')]).items).toEqual(ALL);
    expect(ofNotes([{ body: 'one' }, documents], [entry('one')]).items).toEqual({ ...ALL, unknown: [1] });
  });

  test.each([
    ['an empty body', { body: '' }],
    ['a body of spaces', { body: ' ' }],
    ['null as body', { body: null }],
    ['no body', {}],
  ])('a note with documents only, answered with %s, is confirmed', (_, echo) => {
    const documents: Note = { document_paths: [{ document_path: 'a.pdf' }] };
    const empty: Note = { ...documents, body: '' };
    for (const note of [documents, empty]) {
      expect(ofNotes([note], [{ ...echo, ...added }])).toEqual({ items: ALL, errors: [] });
      expect(ofNotes([note], [{ ...echo, ...there }])).toEqual({ items: { ...ALL, alreadyImported: [0] }, errors: [] });
      const beside = [entry('one'), { ...echo, ...added }];
      expect(ofNotes([{ body: 'one' }, note], beside).items).toEqual(ALL);
    }
  });

  test('a note with documents only is not confirmed by the text of another note', () => {
    const documents: Note = { document_paths: [{ document_path: 'a.pdf' }] };
    expect(ofNotes([documents], [entry('one')]).items).toEqual({ ...ALL, unknown: [0] });
  });

  test('other values, and entries without a status, confirm nothing; positions are those of the record', () => {
    expect(ofNotes(notes, [null, entry('three', {})], [1, 2])).toEqual({
      items: { ...ALL, unknown: [1, 2] },
      errors: [
        { code: 'unknown_status', attr: 'notes.1' },
        { code: 'unknown_status', attr: 'notes.2' },
      ],
    });
  });
});

describe('U32 transactions', () => {
  const three = [credit('T-1'), credit('T-2'), credit('T-3')];
  const entry = (transaction_id: string, more: object = booked, data: object = {}) => ({
    transaction_data: { transaction_id, type: 'CREDIT', amount: '1.00', transaction_date: '2026-01-05', ...data },
    ...more,
  });

  test('in another order, each transaction has the entry with its transaction_id', () => {
    const results = [entry('T-3'), entry('T-2', { status: 'TRANSACTION_IMPORT_ERROR' }), entry('T-1', known)];
    expect(ofTransactions(three, results)).toEqual({
      items: { ...ALL, alreadyImported: [0], rejected: [1] },
      errors: [{ code: 'transaction_import_error', attr: 'transactions.1' }],
    });
  });

  test('of fewer results, and of another transaction than was sent, the rest is unknown', () => {
    expect(ofTransactions(three, [entry('T-2'), entry('T-9')])).toEqual({
      items: { ...ALL, unknown: [0, 2] },
      errors: [
        { code: 'fewer_results', attr: 'transactions.0' },
        { code: 'fewer_results', attr: 'transactions.2' },
      ],
    });
  });

  test('results without data count by their places', () => {
    expect(ofTransactions(three, [booked, known, { status: 'QUEUED' }]).items).toEqual({
      ...ALL,
      alreadyImported: [1],
      unknown: [2],
    });
  });

  test('another amount is named, whether it was added or there already, but not if it was refused', () => {
    const results = [
      entry('T-1', booked, { amount: '1.01' }),
      entry('T-2', known, { amount: '0.9900' }),
      entry('T-3', { status: 'TRANSACTION_IMPORT_ERROR' }, { amount: '5' }),
    ];
    expect(ofTransactions(three, results).items).toEqual({
      ...ALL,
      alreadyImported: [1],
      rejected: [2],
      otherAmounts: [
        { position: 0, amount: '1.01' },
        { position: 1, amount: '0.99' },
      ],
    });
  });

  test.each(['1', '1.00', '1.0000', ' 1 ', 1, null, undefined])('%j is no other amount than 1', (amount) => {
    expect(ofTransactions([credit('T-1')], [entry('T-1', booked, { amount })]).items).toEqual(ALL);
  });

  test.each(['one', '', '1,00', true, {}])('%j cannot be read, and is named', (amount) => {
    expect(ofTransactions([credit('T-1')], [entry('T-1', booked, { amount })]).items.otherAmounts).toEqual([
      { position: 0, amount: '?' },
    ]);
  });

  test('amounts are compared digit by digit: a third of a cent is a difference', () => {
    const results = [entry('T-1', booked, { amount: '0.300' })];
    expect(ofTransactions([credit('T-1', { amount: 0.1 + 0.2 })], results).items.otherAmounts).toEqual([
      { position: 0, amount: '0.3' },
    ]);
  });

  test('without ids, a transaction has the entry with its fields', () => {
    const sent: Transaction[] = [
      { type: 'CHARGE', amount: 12.5 },
      { type: 'PAYMENT', amount: 12.5, reference: 'R' },
    ];
    const results = [
      { ...booked, transaction_data: { type: 'PAYMENT', amount: '12.50', reference: 'R' } },
      { status: 'PARKED', transaction_data: { type: 'CHARGE', amount: '12.50' } },
    ];
    expect(ofTransactions(sent, results).items).toEqual({ ...ALL, unknown: [0] });
  });

  test('an added item whose data have a failure status is unknown', () => {
    expect(
      ofTransactions([credit('T-1')], [entry('T-1', booked, { status: 'TRANSACTION_IMPORT_ERROR' })]).items,
    ).toEqual({ ...ALL, unknown: [0] });
    expect(
      ofTransactions([credit('T-1')], [entry('T-1', booked, { status: 'TRANSACTION_IMPORT_SUCCESS' })]).items,
    ).toEqual(ALL);
  });

  test('a different date means that the transaction was moved: added or existing, but not refused', () => {
    const moved = { transaction_date: '2026-02-01' };
    const results = [
      entry('T-1', booked, moved),
      entry('T-2', known, { transaction_date: '2026-02-01T00:00:00Z' }),
      entry('T-3', { status: 'TRANSACTION_IMPORT_ERROR' }, moved),
    ];
    expect(ofTransactions(three, results).items).toEqual({
      ...ALL,
      alreadyImported: [1],
      rejected: [2],
      moved: [0, 1],
    });
    expect(
      ofTransactions([credit('T-1')], [entry('T-1', booked, { transaction_date: '2026-01-05T12:00:00Z' })]).items,
    ).toEqual(ALL);
  });
});

test('an answer with thousands of entries in another order is matched entry by entry', { tags: 'long' }, () => {
  const transactions = Array.from({ length: 20_000 }, (_, at) => credit(`T-${at}`));
  const results = transactions.map((one) => ({ ...booked, transaction_data: { ...one, amount: '1.00' } })).reverse();
  expect(ofTransactions(transactions, results)).toEqual({ items: ALL, errors: [] });
  const notes = Array.from({ length: 20_000 }, (_, at) => ({ body: `note ${at}` }));
  const entries = notes.map((one) => ({ ...added, ...one })).reverse();
  expect(ofNotes(notes, entries)).toEqual({ items: ALL, errors: [] });
});
