/** Which known name a misspelt one is taken for. */
import { expect, test } from 'vitest';
import { closestName } from '../../src/validation/known-names.js';

const COLUMNS = ['N° client', 'Prénom', 'Nom', 'Téléphone', 'Courriel', 'Code postal'];

test.each([
  ['Telephone', 'Téléphone'],
  ['telephone ', 'Téléphone'],
  ['code_postal', 'Code postal'],
  ['CodePostal', 'Code postal'],
  ['Couriel', 'Courriel'],
  ['Nmo', 'Nom'],
  ['No', 'Nom'],
  ['n client', 'N° client'],
])('%j is taken for %j', (name, expected) => {
  expect(closestName(name, COLUMNS)).toBe(expected);
});

test.each(['', 'x', 'Segment', 'landline', 'Adresse'])('%j is near none of them', (name) => {
  expect(closestName(name, COLUMNS)).toBeUndefined();
});

test('names without letters and digits are compared unchanged', () => {
  expect(closestName('##', ['#', '%%'])).toBe('#');
});

test('of two equally similar names, the first is suggested', () => {
  expect(closestName('note_a', ['note_b', 'note_c'])).toBe('note_b');
  expect(closestName('note_a', [])).toBeUndefined();
});
