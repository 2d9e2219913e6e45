/** Exports `checkInput`, the local check of a whole input: findings with their file and line. It needs no service. */

import { fieldOf } from '../../../schemas/objects.js';
import { checkRecords } from '../../validation/records/check-records.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { RecordFinding } from '../../validation/records/record-findings.js';
import type { ValidateOptions } from '../../validation/validate.js';
import type { Input } from '../input/source.js';
import { beforeOpenPeriodFinding, countBeforeOpenPeriod } from '../record/before-open-period.js';
import { repeatedItems } from '../record/items/repeated-items.js';
import { shownError } from '../record/steps/check-record.js';
import { type LinePlace, linePlace } from '../shared/place.js';

export interface PlacedFinding extends Omit<RecordFinding, 'record' | 'collidesWith' | 'others'>, LinePlace {
  /** Place of the other record of a collision. */
  collidesWith?: LinePlace;
  /** Of a finding about several records: places of the next ones, at most two. */
  others?: (LinePlace & { attr: string })[];
  /** The value as JSON, at most 200 characters of it. Only if personal data may be shown, and if there is one. */
  value?: string;
}

/**
 * Returns the findings of an input, which is read once. Memory holds the keys and the place of each record. Names of unknown fields
 * are replaced with `*`, unless personal data may be shown.
 */
export function checkInput(
  input: Input,
  { showPersonalData, ...options }: ValidateOptions & { showPersonalData?: boolean | undefined },
) {
  const sources: string[] = [];
  /** Index of the source and line of each record, alternately. */
  const places: number[] = [];
  /** Findings of the lines read so far that are not from `checkRecords`. */
  const problems: PlacedFinding[] = [];
  /** Ids of the contradicting transactions of the last record. */
  let contradicting: ReadonlySet<string> = new Set();
  const beforeOpenPeriod = countBeforeOpenPeriod();
  /** Labels of the records that have one. */
  const labels = new Map<number, string>();
  /** The last record. */
  let last: unknown;
  /** If values are shown: the contracts of accounts, by record, for the findings at the end. */
  const contracts = new Map<number, unknown>();
  let lines = 0;

  async function* records(): AsyncGenerator<ImportRecord> {
    for await (const item of input) {
      lines++;
      const place = linePlace(item);
      const { source, line, label } = place;
      const read = item.read();
      if ('problem' in read) {
        problems.push({ ...place, ...read.problem, severity: 'error' });
        continue;
      }
      if (sources.at(-1) !== source) sources.push(source);
      if (label !== undefined) labels.set(places.length / 2, label);
      places.push(sources.length - 1, line);
      const errors = contradictions(read.record);
      problems.push(...errors.map((error) => ({ ...place, ...error, ...shownAt(error.attr, read.record) })));
      contradicting = new Set(errors.map(({ attr }) => `${attr}.transaction_id`));
      if (options.warnings) beforeOpenPeriod.add(read.record, item);
      last = read.record;
      const contract = fieldOf(fieldOf(fieldOf(last, 'account'), 'business'), 'business_contract_identifier');
      const withContract = { account: { business: { business_contract_identifier: contract } } };
      if (showPersonalData && contract !== undefined) contracts.set(places.length / 2 - 1, withContract);
      yield read.record;
    }
  }

  /** Only the last record is in memory, and of the others the contract. */
  const shownAt = (attr: string, record: unknown) => (showPersonalData ? shownValue(attr, record) : {});

  const placeOf = (record: number) => {
    const [source, line = 0] = places.slice(2 * record, 2 * record + 2);
    const label = labels.get(record);
    return { source: sources[source ?? 0] ?? '', line, ...(label !== undefined && { label }) };
  };

  async function* findings(): AsyncGenerator<PlacedFinding> {
    for await (const { record, collidesWith, others, ...finding } of checkRecords(records(), options)) {
      yield* problems.splice(0);
      // The error of the record already reports it.
      if (finding.code === 'duplicate_transaction' && contradicting.has(finding.attr)) continue;
      const isLast = 2 * record + 2 === places.length;
      yield {
        ...placeOf(record),
        ...finding,
        ...shownError(finding, showPersonalData),
        ...shownAt(finding.attr, isLast ? last : contracts.get(record)),
        ...(collidesWith !== undefined && { collidesWith: placeOf(collidesWith) }),
        ...(others !== undefined && {
          others: others.map((other) => ({ ...placeOf(other.record), attr: other.attr })),
        }),
      };
    }
    yield* problems.splice(0);
    const moved = beforeOpenPeriodFinding(beforeOpenPeriod.counts());
    if (moved !== undefined) yield moved;
  }
  /** `lines` returns the number of lines read so far. */
  return { findings: findings(), lines: () => lines };
}

const MOST_CHARACTERS = 200;

/** Returns the value at a path as JSON; nothing if the record does not have it, or for the record as a whole. */
export function shownValue(attr: string, record: unknown): { value?: string } {
  const value = attr.split('.').reduce<unknown>((at, field) => fieldOf(at, field), record);
  if (attr === '' || value === undefined) return {};
  const text = JSON.stringify(value) ?? '';
  return { value: text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text };
}

/** Returns a finding for each such transaction: a run does not send it. The record was not checked, so its fields may have any type. */
function contradictions(record: ImportRecord): Pick<PlacedFinding, 'attr' | 'code' | 'detail' | 'severity'>[] {
  const { transactions } = (record ?? {}) as { transactions?: unknown };
  if (!Array.isArray(transactions)) return [];
  return repeatedItems('transactions', transactions).map(({ position, code }) => ({
    attr: `transactions.${position}`,
    code,
    detail: `An earlier transaction of the account has the same transaction_id and ${code === 'duplicate_transaction' ? 'the same' : 'different'} content: only the earlier one is sent.`,
    severity: 'error',
  }));
}
