/**
 * Exports `createPointIdLengths`: ids of supply points that are shorter than nearly all others of an input. A program that reads them as
 * numbers removes leading zeros. The API specification shows no length, so only the other ids of the input tell the usual one.
 */
import { select } from '../path-patterns.js';
import type { RecordFinding } from './record-findings.js';

/** Fewer ids have no usual length. */
const LEAST_IDS = 20;
/** Share of the ids with the usual length. */
const USUAL_SHARE = 0.9;

const PLACES = [
  { part: 'account', pattern: 'supply_addresses.*.supply_points.*.identifier' },
  { part: 'populate', pattern: 'prm_ids.*' },
  { part: 'populate', pattern: 'pce_ids.*' },
] as const;

/** Ids of one length, and the first of them. */
interface OfLength {
  count: number;
  record: number;
  attr: string;
}

export interface PointIdLengths {
  add(record: number, parts: Record<string, unknown>): void;
  /** Returns a warning for each such length, at the place of its first id. */
  findings(): RecordFinding[];
}

/** Its memory does not depend on the number of ids. */
export function createPointIdLengths(): PointIdLengths {
  const kinds = new Map<string, Map<number, OfLength>>();
  return {
    add(record, parts) {
      for (const { part, pattern } of PLACES) {
        if (parts[part] === undefined) continue;
        for (const { attr, value } of select(parts[part], pattern)) {
          if (typeof value === 'string' && value !== '')
            addLength(kinds, pattern, value.length, { record, attr: `${part}.${attr}` });
        }
      }
    },
    findings: () => [...kinds.values()].flatMap(shorterThanUsual),
  };
}

function addLength(
  kinds: Map<string, Map<number, OfLength>>,
  kind: string,
  length: number,
  place: Omit<OfLength, 'count'>,
): void {
  const lengths = kinds.get(kind) ?? new Map<number, OfLength>();
  kinds.set(kind, lengths);
  const own = lengths.get(length);
  if (own === undefined) lengths.set(length, { count: 1, ...place });
  else own.count++;
}

function shorterThanUsual(lengths: ReadonlyMap<number, OfLength>): RecordFinding[] {
  const all = [...lengths.values()].reduce((sum, { count }) => sum + count, 0);
  const [usual] = [...lengths].find(([, { count }]) => count >= USUAL_SHARE * all) ?? [];
  if (usual === undefined || all < LEAST_IDS) return [];
  return [...lengths]
    .filter(([length]) => length < usual)
    .map(([length, { count, record, attr }]) => ({
      record,
      attr,
      code: 'point_id_shorter_than_others',
      detail: `${count === 1 ? 'This id has' : `${count.toLocaleString('en')} ids, of which this is the first, have`} ${length} characters, and ${(lengths.get(usual)?.count ?? 0).toLocaleString('en')} others have ${usual}: a leading zero may be lost.`,
      severity: 'warning' as const,
      count,
    }));
}
