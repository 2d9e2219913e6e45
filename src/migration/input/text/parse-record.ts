/** Exports `parseRecord`, which returns the record of a text, and `recordItem`, an input line for a record from code. */
import { hash } from 'node:crypto';
import { valuesThatAreNotJson } from '../../../../schemas/fields.js';
import { presentablePath } from '../../../errors/items.js';
import { DEEPEST, excessOf, MOST_TOKENS } from '../../../validation/json-scan.js';
import { ChangedJsonError, parseJson } from '../../../validation/parse-json.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { illFormedKey } from '../../record/record-key.js';
import type { InputLine, ProblemCode, ReadRecord } from '../source.js';

const KINDS = ['business', 'account', 'populate'] as const;

/** Returns the record of a text, or why it has none. Does not check the record: the first step of a run does. */
export function parseRecord(text: string): ReadRecord {
  let value: unknown;
  const excess = excessOf(text);
  if (excess !== undefined) return EXCESS[excess];
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof ChangedJsonError) return problem(error.code, CHANGED[error.code], presentablePath(error.attr));
    return problem('invalid_json', 'The line is not JSON. Write each record as JSON on one line.');
  }
  if (typeof value !== 'object' || value === null) return notARecord('something else than an object');
  if (Array.isArray(value)) return notARecord('an array; write each of its records on a separate line');
  const kinds = KINDS.filter((kind) => Object.hasOwn(value, kind));
  if (kinds.length !== 1)
    return notARecord(kinds.length === 0 ? 'none of them' : `${kinds.join(' and ')}; write each on a separate line`);
  const record = value as ImportRecord;
  const attr = illFormedKey(record);
  return attr === undefined ? { record } : { problem: { code: 'invalid_unicode', attr, detail: HALF_A_CHARACTER } };
}

const CHANGED = {
  duplicate_key:
    'The name stands twice in its object, and only one of the two values would be sent. Remove or rename one.',
  inexact_number:
    'The number has more digits than JavaScript can hold, and would be rounded. Write an identifier as a text, and an amount with at most 15 digits.',
  escaped_name:
    'The name is one escaped character, which some versions of Node read as another. Write the character itself, or a longer name.',
};

const EXCESS = {
  tooManyValues: problem(
    'too_many_values',
    `The line has more names and values than any record (${MOST_TOKENS.toLocaleString('en')}). Is a list repeated in it?`,
  ),
  tooDeep: problem('too_deep', `The line is nested deeper than any record (${DEEPEST} levels).`),
};

const HALF_A_CHARACTER =
  'The text has a lone surrogate such as \\ud800, half of a character, which cannot be stored. Export the text without cutting it.';

const NOT_JSON =
  'JSON cannot represent this value, such as NaN, a date object, a Map or a function. Give texts, finite numbers, true, false, null, lists and plain objects.';

function notARecord(found: string): ReadRecord {
  return problem('invalid_type', `Expected an object with \`business\`, \`account\` or \`populate\`; found ${found}.`);
}

export function problem(code: ProblemCode, detail: string, attr = ''): ReadRecord {
  return { problem: { code, attr, detail } };
}

/** Returns an item for a text; without `read`, for the JSON of a record. */
export function textItem(source: string, line: number, text: string, read = () => parseRecord(text)): InputLine {
  return { source, line, text, hash: hash('sha256', text), read };
}

/** Returns an item for a text without a record. */
export function problemItem(source: string, line: number, text: string, found: ReadRecord): InputLine {
  return textItem(source, line, text, () => found);
}

/** Returns why a line has no record. */
export function detailOf(line: InputLine): string {
  const read = line.read();
  return 'problem' in read ? read.problem.detail : '';
}

/**
 * Returns an item for a record from code. Copies the record, so that later changes have no effect. A value that JSON would change, such as
 * NaN or a Map, is a problem.
 */
export function recordItem(source: string, line: number, record: unknown, instead = ''): InputLine {
  let text: string | undefined;
  let changed: (string | number)[] | undefined;
  try {
    changed = typeof record === 'object' ? valuesThatAreNotJson(record)[0]?.path : undefined;
    text = JSON.stringify(record);
  } catch {
    changed ??= [];
  }
  if (changed !== undefined)
    return problemItem(
      source,
      line,
      instead,
      problem('invalid_json_value', NOT_JSON, presentablePath(changed.join('.'))),
    );
  if (text === undefined) return problemItem(source, line, instead, notARecord('something else than an object'));
  return textItem(source, line, text);
}
