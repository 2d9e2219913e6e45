/** `data-import-sdk profile`: what is in an input: filled fields, codes, dates, lengths and amounts, without personal data. */
import { countInput } from '../../../migration/input/count-input.js';
import { emptyFilesInWords } from '../../../migration/input/expect-records.js';
import type { Input } from '../../../migration/input/source.js';
import { typeInWords } from '../../../migration/report/summary/amount-words.js';
import { type AmountProfile, createInputProfile } from '../../../migration/report/summary/input-profile.js';
import { inputFileInWords, recordsInWords, unreadInWords } from '../../../migration/report/summary/input-report.js';
import { detailsInWords, shareInWords, signedSumsInWords } from '../../../migration/report/summary/profile-words.js';
import { amountInWords } from '../../../migration/shared/decimal.js';
import { counted, itemsInWords } from '../../../migration/shared/format.js';
import { lastName } from '../../../validation/known-names.js';
import type { FieldProfile } from '../../../validation/records/field-profile.js';
import { openInputOf } from '../../open/input.js';
import { defineCommand } from '../../options/command.js';
import { wrapped } from '../../options/help.js';
import { INPUT, inputOptions } from '../../options/input-options.js';
import type { OptionTable } from '../../options/option.js';
import { jsonOptions } from '../../options/output-options.js';
import { EXIT } from '../../shared/exit-codes.js';

const options = { ...inputOptions, ...jsonOptions } as const satisfies OptionTable;

export const command = defineCommand({
  operands: [INPUT],
  options,
  async action(paths, flags, { out, err, exit }) {
    const input = await openInputOf(paths, flags);
    try {
      const found = await profileInput(input);
      const files = input.files();
      if (flags.json) out(`${JSON.stringify({ ...found, files })}\n`);
      else {
        const ofFiles = [...files.map(inputFileInWords), ...unreadInWords(files)].map((text) => wrapped(text, 0));
        for (const line of [...inWords(found), ...ofFiles]) out(`${line}\n`);
      }
      const empty = emptyFilesInWords(input);
      if (empty !== '') err(`data-import-sdk: ${empty}\n`);
      exit(found.lines === found.unread ? EXIT.rejected : EXIT.ok);
    } finally {
      await input.close();
    }
  },
});

/** Reads the input once. Memory does not depend on the number of records. */
async function profileInput(input: Input) {
  const profiler = createInputProfile();
  const { suppliers: _, ...counts } = await countInput(input, (_lines, record) => {
    if (record !== undefined) profiler.add(record);
  });
  return { ...counts, ...profiler.profile() };
}

function inWords({
  lines,
  unread,
  items,
  amounts,
  fields,
  ...records
}: Awaited<ReturnType<typeof profileInput>>): string[] {
  const ofFields = objectsOf(fields).flatMap(([object, own]) => [
    ...headingOf(object),
    ...own.filter(({ filled }) => filled > 0).flatMap(fieldInWords),
    ...neverFilled(own),
    '',
  ]);
  return [
    ...ofFields,
    ...(amounts.length > 0 ? ['Amounts', ...amounts.map(amountsInWords), ''] : []),
    wrapped(`${recordsInWords(records)} in ${counted(lines, 'line')}; ${itemsInWords(items)}`, 0),
    ...(unread > 0
      ? [wrapped(`${counted(unread, 'line')} without a record: data-import-sdk check names them.`, 0)]
      : []),
  ];
}

/** The fields by the object that has them, in their order. */
function objectsOf(fields: readonly FieldProfile[]): [object: string, fields: FieldProfile[]][] {
  const objects = new Map<string, FieldProfile[]>();
  for (const field of fields) {
    const object = field.path.slice(0, Math.max(0, field.path.lastIndexOf('.')));
    const own = objects.get(object) ?? [];
    own.push(field);
    objects.set(object, own);
  }
  return [...objects];
}

const WIDTH = 80;
const FIXED_SPACE = '\u00a0';

/** Breaks a long path before a point. */
function headingOf(object: string): string[] {
  const lines = [''];
  for (const part of object.split(/(?=\.)/)) {
    const last = lines.at(-1) ?? '';
    if (last.length + part.length > WIDTH) lines.push(`  ${part}`);
    else lines[lines.length - 1] = last + part;
  }
  return lines.filter((line) => line !== '');
}

function fieldInWords(field: FieldProfile): string[] {
  const line = `${shareInWords(field).padStart(9)}  ${lastName(field.path)}`;
  // A value and its count stay on one line.
  const text = detailsInWords(field, FIXED_SPACE);
  if (text === '') return [line];
  const inOne = `${line.padEnd(40)}  ${text}`;
  const shown = inOne.length <= WIDTH ? [inOne] : [line, wrapped(text, 15)];
  return shown.map((one) => one.replaceAll(FIXED_SPACE, ' '));
}

function neverFilled(fields: readonly FieldProfile[]): string[] {
  const names = fields.filter(({ filled }) => filled === 0).map(({ path }) => lastName(path));
  return names.length === 0 ? [] : [wrapped(`never filled: ${names.join(', ')}`, 11)];
}

function amountsInWords(amounts: AmountProfile): string {
  const { type, net, least, most } = amounts;
  const range =
    net === undefined || least === undefined || most === undefined
      ? ''
      : `; net ${amountInWords(net)}; from ${amountInWords(least)} to ${amountInWords(most)}`;
  return wrapped(`${typeInWords(type)}: ${signedSumsInWords(amounts)}${range}`, 2);
}
