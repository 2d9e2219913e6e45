/** Exports functions that read what earlier sessions stored in a run folder, and validate it: the files may have been edited. */
import * as z from 'zod';
import type { Worker } from '../../distributed/ledger/worker-rows.js';
import { AMOUNT_TYPES } from '../../ledger/amounts.js';
import { STEPS } from '../../ledger/ledger.js';
import { readOwn } from '../../shared/regular-file.js';
import type { RunFacts, Verification } from '../report.js';
import { AMOUNT_PARTS, type AmountPart } from '../summary/amount-totals.js';
import type { InputReport } from '../summary/input-report.js';
import { noLineItems } from '../summary/line-counts.js';
import { cannotRead } from './run-folder-error.js';
import type { SessionSamples } from './session-samples.js';

const ErrorGroupSchema = z.object({
  step: z.enum(['read', ...STEPS]),
  code: z.string(),
  attr: z.string(),
  count: z.number(),
  samples: z.array(z.string()),
  remedy: z.string(),
  didYouMean: z.string().optional(),
  detail: z.string().optional(),
});

const ItemOutcomeTotalsSchema = z.object({
  input: z.number(),
  sent: z.number(),
  alreadyImported: z.number(),
  rejected: z.number(),
  notSent: z.number(),
  unknown: z.number(),
  unfinished: z.number(),
});

const ItemSummarySchema = z.object({
  paymentInstructions: ItemOutcomeTotalsSchema,
  statements: ItemOutcomeTotalsSchema,
  transactions: ItemOutcomeTotalsSchema,
  notes: ItemOutcomeTotalsSchema,
});

const AmountSumSchema = z.object({ count: z.number(), sum: z.string() });
/** An earlier version had fewer parts. */
const AmountPartSchema = AmountSumSchema.default({ count: 0, sum: '0' });

const SupplierAmountsSchema = z.object({
  supplier: z.string(),
  types: z.array(
    z.object({
      type: z.enum(AMOUNT_TYPES),
      input: AmountSumSchema,
      ...(Object.fromEntries(AMOUNT_PARTS.map((part) => [part, AmountPartSchema])) as Record<
        AmountPart,
        typeof AmountPartSchema
      >),
    }),
  ),
});

const LineItemsSchema = z.object({
  unsent: z.number(),
  newlyIncomplete: z.number(),
  uncounted: z.number(),
  ofLines: ItemSummarySchema,
  changed: ItemSummarySchema,
  // An earlier version did not sum them.
  amounts: z
    .object({ ofLines: z.array(SupplierAmountsSchema), changed: z.array(SupplierAmountsSchema) })
    .default(() => noLineItems().amounts),
});

const RunFactsSchema = z.object({
  beganAt: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  state: z.enum(['running', 'finished', 'stopped', 'halted', 'unfinished', 'brokenOff']),
  reason: z.string().nullable().default(null),
  notAccepted: z.enum(['address', 'token', 'supplier', 'team']).optional(),
  continueWith: z.string(),
  runCommand: z.string().default(''),
  // An earlier version had none.
  runAgainWith: z.array(z.string()).default([]),
  versions: z.record(z.string(), z.string()),
  configuration: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  steps: z.array(z.enum(STEPS)),
  // Sessions of earlier versions sent neither.
  transactionsQuery: z
    .object({
      check_previously_added: z.array(z.boolean()),
      force_add_to_current_statement: z.array(z.boolean()),
    })
    .default({ check_previously_added: [true], force_add_to_current_statement: [true] }),
  isInputRead: z.boolean().optional(),
  lines: z
    .object({
      rejected: z.number(),
      skipped: z.number(),
      duplicates: z.number().default(0),
      changed: z.number(),
      groups: z.array(ErrorGroupSchema),
      changedSamples: z.array(z.string()),
      corrected: z.number().default(0),
      correctedSamples: z.array(z.string()).default([]),
      // An earlier version did not count them.
      items: LineItemsSchema.default(noLineItems),
    })
    .nullable(),
});

const SessionSamplesSchema = z.array(
  z.array(
    z.object({ at: z.number(), rate: z.number(), concurrency: z.number(), throttled: z.number(), failed: z.number() }),
  ),
);

const VerificationSchema = z.object({
  at: z.string(),
  compared: z.number(),
  differences: z.array(
    z.object({ what: z.string(), count: z.number(), samples: z.array(z.string()), remedy: z.string() }),
  ),
  imports: z
    .object({
      at: z.string(),
      counts: z.object({
        notAnswered: z.number(),
        UNKNOWN: z.number(),
        PENDING: z.number(),
        IN_PROGRESS: z.number(),
        REJECTED: z.number(),
        COMPLETED: z.number(),
        other: z.number(),
        notFound: z.number(),
        otherNumber: z.number().default(0),
      }),
    })
    .optional(),
});

const WorkersSchema = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    host: z.string(),
    pid: z.number(),
    joinedAt: z.string(),
    leftAt: z.string().nullable(),
    isThere: z.boolean(),
    work: z.object({ ended: z.number(), requests: z.number(), throttled: z.number(), takenOver: z.number() }),
  }),
);

const FieldStatsSchema = z.object({
  path: z.string(),
  visits: z.number(),
  filled: z.number(),
  values: z.record(z.string(), z.number()),
  otherValues: z.number(),
  first: z.string().optional(),
  last: z.string().optional(),
  noDates: z.number(),
  least: z.number(),
  most: z.number(),
});

const AmountProfileSchema = z.object({
  type: z.enum(AMOUNT_TYPES),
  positive: AmountSumSchema,
  negative: AmountSumSchema,
  zero: z.number(),
  without: z.number(),
  net: z.string().optional(),
  least: z.string().optional(),
  most: z.string().optional(),
});

const SomeRowsSchema = z.object({ rows: z.number(), lines: z.array(z.number()) });

const InputSchema = z.object({
  files: z.array(
    z.object({
      source: z.string(),
      bytes: z.number().optional(),
      sha256: z.string().optional(),
      csv: z
        .object({
          columns: z.number(),
          rows: z.number(),
          rowsWithoutData: SomeRowsSchema.optional(),
          unmapped: SomeRowsSchema.optional(),
          neverRead: z.array(z.string()),
        })
        .optional(),
      empty: z.string().optional(),
      neverAsked: z.array(SomeRowsSchema.extend({ column: z.string(), values: z.number() })).optional(),
      command: z.string().optional(),
    }),
  ),
  populates: z.number().optional(),
  businesses: z.number(),
  accounts: z.number(),
  fields: z.record(z.string(), z.number()),
  // An earlier version counted neither.
  warnings: z.array(ErrorGroupSchema).optional(),
  profile: z.object({ fields: z.array(FieldStatsSchema), amounts: z.array(AmountProfileSchema) }).optional(),
});

/** Resolves with run.json; undefined if there is none, `damaged` if it is invalid. */
export async function readRunFacts(path: string): Promise<RunFacts | 'damaged' | undefined> {
  const text = await textOf(path);
  return text === undefined ? undefined : (parsed(RunFactsSchema, text) ?? 'damaged');
}

/** Resolves with the samples; none if the file is missing or damaged, which does not end a run. */
export async function readSessionSamples(path: string): Promise<SessionSamples> {
  return parsed(SessionSamplesSchema, (await textOf(path)) ?? '') ?? [];
}

/** Returns undefined for an unreadable file: `verify` can write it again at any time. */
export async function readVerification(path: string): Promise<Verification | undefined> {
  return parsed(VerificationSchema, (await textOf(path)) ?? '');
}

/** Resolves with input.json; undefined if it is missing or damaged, which does not end a run. */
export async function readInput(path: string): Promise<InputReport | undefined> {
  return parsed(InputSchema, (await textOf(path)) ?? '') as InputReport | undefined;
}

/** Resolves with workers.json; undefined if the run was not distributed. The ledger of a distributed run has the workers too. */
export async function readWorkers(path: string): Promise<readonly Worker[] | undefined> {
  return parsed(WorkersSchema, (await textOf(path)) ?? '');
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readOwn(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cannotRead(path, error);
  }
}

function parsed<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
