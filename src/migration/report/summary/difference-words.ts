/** Exports how the differences between the input and records that exist are described, in the terminal and on the report page. */
import { counted } from '../../shared/format.js';
import type { Summary } from './summary.js';

/** Fields that are named; report.json has all of them. */
const MOST_FIELDS = 10;

const OF_ITEMS = { added: 'new and not sent', removed: 'sent and no longer in the line' } as const;

/** Returns `12  account.billing_postcode (in.jsonl:3, in.jsonl:7, …)` for each field that differs. */
export function changedFieldsInWords({ fields }: Pick<Summary['changed'], 'fields'>): string[] {
  const lines = fields.slice(0, MOST_FIELDS).map(({ path, items, count, samples }) => {
    const what = items === undefined ? path : `${path}, ${OF_ITEMS[items]}`;
    return `${String(count).padStart(7)}  ${what} (${placesInWords(count, samples)})`;
  });
  const more = fields.length - lines.length;
  return more > 0 ? [...lines, `         … and ${counted(more, 'more field')}; changed.jsonl names all`] : lines;
}

/** Returns the sentence about records without a line; undefined if there are none. */
export function removedInWords({ count, samples }: Summary['removed']): string | undefined {
  if (count === 0) return undefined;
  const exist = count === 1 ? 'record exists on the service and is' : 'records exist on the service and are';
  return `${count.toLocaleString('en-US')} ${exist} no longer in the input (${placesInWords(count, samples)} of an earlier session; see not-in-input.jsonl).`;
}

export function acceptedInWords({ changed, removed }: Summary['accepted']): string | undefined {
  const parts = [
    ...(changed > 0 ? [`${counted(changed, 'changed line')}`] : []),
    ...(removed > 0 ? [`${counted(removed, 'record')} no longer in the input`] : []),
  ];
  return parts.length === 0 ? undefined : `Accepted with resolve: ${parts.join(', ')}.`;
}

export function placesInWords(count: number, samples: readonly string[]): string {
  return samples.join(', ') + (count > samples.length ? ', …' : '');
}
