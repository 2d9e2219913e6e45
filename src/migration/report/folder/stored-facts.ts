/** Exports functions that read what earlier sessions stored in a run folder, and validate it: the files may have been edited. */
import { join } from 'node:path';
import * as z from 'zod';
import { AMOUNT_TYPES } from '../../ledger/amounts.js';
import { STEPS } from '../../ledger/ledger.js';
import { IMPORT_COUNTS, ITEM_KINDS } from '../../shared/format.js';
import { jsonIn, readOwnIfThere } from '../../shared/regular-file.js';
import { QUERY_NAMES, type RunFacts, type Verification } from '../report.js';
import { AMOUNT_COLUMNS } from '../summary/amount-totals.js';
import type { InputReport } from '../summary/input-report.js';
import { ITEM_OUTCOMES } from '../summary/item-totals.js';
import { LINE_COUNTS } from '../summary/line-counts.js';
import type { SessionSamples } from './session-samples.js';

const text = z.string();
const texts = z.array(text);
const number = z.number();
const numbers = z.record(text, number);

/** Returns fields with these names, all of one kind. */
function each<const Name extends string, Field extends z.ZodType>(
  names: readonly Name[],
  field: Field,
): Record<Name, Field> {
  return Object.fromEntries(names.map((name) => [name, field])) as Record<Name, Field>;
}

const ErrorGroupSchema = z.object({
  ...each(['code', 'attr', 'remedy'], text),
  ...each(['didYouMean', 'detail'], text.optional()),
  ...{ step: z.enum(['read', ...STEPS]), count: number, samples: texts },
});

const ItemSummarySchema = z.object(each(ITEM_KINDS, z.object(each(['input', ...ITEM_OUTCOMES], number))));

const AmountSumSchema = z.object({ count: number, sum: text });

const AmountTotalsSchema = z.object({
  type: z.enum(AMOUNT_TYPES),
  ...each(AMOUNT_COLUMNS, AmountSumSchema),
});

const SupplierAmountsSchema = z.object({ supplier: text, types: z.array(AmountTotalsSchema) });

const LineCountsSchema = z.object({
  ...each(LINE_COUNTS, number),
  ...each(['changed', 'corrected'], z.object({ count: number, samples: texts })),
  ...{ groups: z.array(ErrorGroupSchema), items: ItemSummarySchema, amounts: z.array(SupplierAmountsSchema) },
});

const RunFactsSchema = z.object({
  ...each(['beganAt', 'startedAt', 'continueWith', 'runCommand'], text),
  ...each(['endedAt', 'reason'], text.nullable()),
  state: z.enum(['running', 'finished', 'stopped', 'halted', 'unfinished', 'brokenOff']),
  notAccepted: z.enum(['address', 'token', 'supplier', 'team']).optional(),
  runAgainWith: texts,
  versions: z.record(text, text),
  configuration: z.record(text, z.union([text, number, z.boolean()])),
  steps: z.array(z.enum(STEPS)),
  transactionsQuery: z.object(each(QUERY_NAMES, z.array(z.boolean()))),
  records: number.nullable(),
  lines: LineCountsSchema.nullable(),
});

const SessionSamplesSchema = z.array(
  z.array(z.object(each(['at', 'rate', 'concurrency', 'throttled', 'failed'], number))),
);

const VerificationSchema = z.object({
  ...{ at: text, compared: number },
  differences: z.array(z.object({ ...each(['what', 'remedy'], text), count: number, samples: texts })),
  imports: z.object({ at: text, counts: z.object(each(IMPORT_COUNTS, number)) }).optional(),
});

const FieldStatsSchema = z.object({
  ...each(['visits', 'filled', 'otherValues', 'noDates', 'least', 'most'], number),
  ...each(['first', 'last'], text.optional()),
  ...{ path: text, values: numbers },
});

const AmountProfileSchema = z.object({
  type: z.enum(AMOUNT_TYPES),
  ...each(['positive', 'negative'], AmountSumSchema),
  ...each(['zero', 'without'], number),
  ...each(['net', 'least', 'most'], text.optional()),
});

const SomeRowsSchema = z.object({ rows: number, lines: z.array(number) });

const InputFileSchema = z.object({
  ...{ source: text, bytes: number.optional() },
  ...each(['sha256', 'empty', 'command'], text.optional()),
  csv: z
    .object({
      ...each(['columns', 'rows'], number),
      ...each(['rowsWithoutData', 'unmapped'], SomeRowsSchema.optional()),
      neverRead: texts,
      reader: z.literal('query').optional(),
    })
    .optional(),
});

const InputSchema = z.object({
  files: z.array(InputFileSchema),
  ...{ populates: number.optional(), businesses: number, accounts: number },
  warnings: z.array(ErrorGroupSchema).optional(),
  profile: z.object({ fields: z.array(FieldStatsSchema), amounts: z.array(AmountProfileSchema) }),
});

/** Resolves with run.json; undefined if there is none, `damaged` if it is invalid. */
export async function readRunFacts(path: string): Promise<RunFacts | 'damaged' | undefined> {
  const text = await readOwnIfThere(path);
  return text === undefined ? undefined : (RunFactsSchema.safeParse(jsonIn(text)).data ?? 'damaged');
}

/** What files of the folder hold that do not end a run if they are damaged: a later session or command writes them again. */
export interface Stored {
  /** Rate and limit of all sessions over time. */
  samples: SessionSamples;
  /** The last comparison with the service. */
  verification: Verification;
  /** Columns and fields of the input, counted over all sessions. */
  input: InputReport;
}

const STORED: { [Name in keyof Stored]: z.ZodType<Stored[Name]> } = {
  samples: SessionSamplesSchema,
  verification: VerificationSchema,
  input: InputSchema as z.ZodType<InputReport>,
};

/** Resolves with the content of a file such as input.json; undefined if it is missing or damaged. */
export async function readStored<Name extends keyof Stored>(
  folder: string,
  name: Name,
): Promise<Stored[Name] | undefined> {
  const text = await readOwnIfThere(join(folder, `${name}.json`));
  const schema: z.ZodType<Stored[Name]> = STORED[name];
  return schema.safeParse(jsonIn(text ?? '')).data;
}
