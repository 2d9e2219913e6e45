/** Everything that can be found in an input without the service, each with the file and line where it stands. */

import { checkRecords } from '../../validation/records/check-records.js';
import { createFieldCounter, type FieldCounts } from '../../validation/records/field-counts.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { RecordFinding } from '../../validation/records/record-findings.js';
import type { ValidateOptions } from '../../validation/validate.js';
import type { Input } from '../input/source.js';
import { contradictingTransactions } from '../record/items/contradicting-transactions.js';
import { shownError } from '../record/steps/check-record.js';
import { beforeOpenPeriodFinding, countBeforeOpenPeriod } from './before-open-period.js';

export interface PlacedFinding extends Omit<RecordFinding, 'record' | 'collidesWith'> {
  source: string;
  line: number;
  /** What the record is, where `line` is no line of a file. */
  label?: string;
  /** Where the other one of two that collide stands. */
  collidesWith?: { source: string; line: number };
  /** How many items it is about, where it stands for several. */
  count?: number;
}

export interface CheckedInput {
  findings: AsyncIterable<PlacedFinding>;
  /** Lines read so far. */
  lines(): number;
  /** In how many of the records read so far each field is present. */
  fields(): FieldCounts;
}

/**
 * Reads the input once. Of each record its keys and its place stay in memory. Names of unknown fields are `*`, unless personal
 * data are to be shown.
 */
export function checkInput(
  input: Input,
  { showPersonalData, ...options }: ValidateOptions & { showPersonalData?: boolean | undefined },
): CheckedInput {
  const sources: string[] = [];
  /** By record: index of its source, and line. */
  const places: number[] = [];
  /** What the lines read so far show besides the findings of `checkRecords`. */
  const problems: PlacedFinding[] = [];
  /** Of the record read last. */
  let contradicting: ReadonlySet<string> = new Set();
  const fields = createFieldCounter();
  const beforeOpenPeriod = countBeforeOpenPeriod();
  /** Of the record read last. */
  let label: string | undefined;
  let lines = 0;

  async function* records(): AsyncGenerator<ImportRecord> {
    for await (const item of input) {
      lines++;
      const { source, line } = item;
      const read = item.read();
      if ('problem' in read) {
        problems.push({ source, line, ...read.problem, severity: 'error' });
        continue;
      }
      if (sources.at(-1) !== source) sources.push(source);
      places.push(sources.length - 1, line);
      label = item.label;
      const errors = contradictions(read.record);
      problems.push(...errors.map((error) => ({ source, line, ...error })));
      contradicting = new Set(errors.map(({ attr }) => `${attr}.transaction_id`));
      fields.add(read.record);
      if (options.warnings) beforeOpenPeriod.add(read.record, item);
      yield read.record;
    }
  }

  const placeOf = (record: number) => ({
    source: sources[places[2 * record] ?? 0] ?? '',
    line: places[2 * record + 1] ?? 0,
  });

  async function* findings(): AsyncGenerator<PlacedFinding> {
    for await (const { record, collidesWith, ...finding } of checkRecords(records(), options)) {
      yield* problems.splice(0);
      // The error says it already.
      if (finding.code === 'duplicate_transaction' && contradicting.has(finding.attr)) continue;
      yield {
        ...placeOf(record),
        ...(label !== undefined && 2 * record + 2 === places.length && { label }),
        ...finding,
        ...shownError(finding, showPersonalData),
        ...(collidesWith !== undefined && { collidesWith: placeOf(collidesWith) }),
      };
    }
    yield* problems.splice(0);
    const moved = beforeOpenPeriodFinding(beforeOpenPeriod.counts());
    if (moved !== undefined) yield moved;
  }
  return { findings: findings(), lines: () => lines, fields: fields.counts };
}

/** A run sends the account and not such a transaction. The record may be of any form: it was not checked. */
function contradictions(record: ImportRecord): Pick<PlacedFinding, 'attr' | 'code' | 'detail' | 'severity'>[] {
  const { transactions } = (record ?? {}) as { transactions?: unknown };
  if (!Array.isArray(transactions)) return [];
  const detail =
    'An earlier transaction of the account has this transaction_id and other content: only the earlier one is sent.';
  return [...contradictingTransactions(transactions)].map((position) => ({
    ...{ attr: `transactions.${position}`, code: 'contradicting_transaction', detail, severity: 'error' },
  }));
}
