/** What of a command line may be shown and kept. */
import { expect, test } from 'vitest';
import { withoutPasswords } from '../../../src/cli/shared/without-passwords.js';

test.each([
  ['postgres://ada:secret@db.example.com:5432/run', 'postgres://ada:***@db.example.com:5432/run'],
  ['--database=postgres://ada:secret@db.example.com/run', '--database=postgres://ada:***@db.example.com/run'],
  ['postgres://ada:s:e@c/ret@db.example.com/run', 'postgres://ada:***@db.example.com/run'],
  ['postgres://:secret@db.example.com/run', 'postgres://:***@db.example.com/run'],
  ['postgres:///run?user=ada&password=secret&host=db', 'postgres:///run?user=ada&password=***&host=db'],
  ['postgres:///run?sslpassword=secret', 'postgres:///run?sslpassword=***'],
])('%s is shown as %s', (word, shown) => {
  expect(withoutPasswords(word)).toBe(shown);
});

test.each([
  'run',
  'book/2026:01@home.jsonl',
  'https://api.example.com:8443/gateway/',
  'postgres://ada@db.example.com:5432/run',
  '--window',
  'Mon-Fri 20:00-06:00',
])('%s is shown as it is', (word) => {
  expect(withoutPasswords(word)).toBe(word);
});
