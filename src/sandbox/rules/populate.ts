/** Exports the rule of E1 `supplyPoints.populate`: queues supply points, which are looked up one after another at the throttled rate. */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { PopulatePayload } from '../../../schemas/payloads/populate.js';
import type { Call, Outcome } from '../calls/call.js';
import { invalidRequest } from '../calls/error-answers.js';
import { toDatetime } from '../state/dates.js';
import type { Lookup, PopulateBatch, SandboxState } from '../state/sandbox-state.js';

interface Point extends Omit<Lookup, 'completes_at'> {
  attr: string;
}

export function queueSupplyPoints(call: Call<PopulatePayload>): Outcome {
  const { operation, payload, store, now, settings } = call;
  const { state } = store;
  const sent = pointsOf(payload);
  const again = repeated(sent);
  // U24: settings decide about a request without supply points, and about duplicates.
  const errors = [
    ...(sent.length === 0 && settings.populateEmpty === 'refuse' ? [NO_POINT] : []),
    ...(again.size > 0 && settings.populateDuplicates === 'refuse' ? [...again].map(alreadyNamed) : []),
  ];
  if (errors.length > 0) return invalidRequest(operation, errors);
  const isOnce = again.size > 0 && settings.populateDuplicates === 'once';
  const points = isOnce ? sent.filter((point) => !again.has(point)) : sent;

  const start = Math.max(now.getTime(), queueEnd(state));
  const batch: PopulateBatch = {
    batch_id: unusedBatchId(call),
    ...(payload.customer_category !== undefined && { customer_category: payload.customer_category }),
    queued_at: toDatetime(now),
    lookups: points.map(({ identifier, supply_type }, index) => ({
      identifier,
      supply_type,
      completes_at: new Date(start + ((index + 1) * 1000) / settings.lookupsPerSecond).toISOString(),
    })),
  };
  return {
    status: 201,
    body: { batch_id: batch.batch_id },
    commit: () => ({ changes: [{ type: 'supplyPointsQueued', batch }] }),
    change: `${points.length} ${points.length === 1 ? 'lookup' : 'lookups'} queued`,
  };
}

function pointsOf({ prm_ids = [], pce_ids = [] }: PopulatePayload): Point[] {
  return [
    ...prm_ids.map((identifier, index) => ({
      identifier,
      supply_type: 'ELECTRICITY' as const,
      attr: `prm_ids.${index}`,
    })),
    ...pce_ids.map((identifier, index) => ({ identifier, supply_type: 'GAS' as const, attr: `pce_ids.${index}` })),
  ];
}

/** Returns the points that repeat an earlier one of the same supply type. */
function repeated(points: readonly Point[]): Set<Point> {
  const named = new Set<string>();
  const again = points.filter(({ identifier, supply_type }) => {
    const key = `${supply_type} ${identifier}`;
    return named.has(key) || !named.add(key);
  });
  return new Set(again);
}

const NO_POINT: ErrorItem = {
  detail: 'Name at least one supply point, in prm_ids or pce_ids.',
  code: 'required',
  attr: 'prm_ids',
};

function alreadyNamed({ attr }: Point): ErrorItem {
  return { detail: 'This supply point is in the list twice.', code: 'duplicate_supply_point', attr };
}

/** Returns an unused id: repeated content gets another one. */
function unusedBatchId({ payload, store, ids, settings }: Call<PopulatePayload>): string {
  const { customer_category, prm_ids, pce_ids } = payload;
  const used = new Set(store.state.populate_batches.map(({ batch_id }) => batch_id));
  const content = JSON.stringify([customer_category ?? null, prm_ids ?? [], pce_ids ?? []]);
  const form = settings.batchIdForm;
  let occurrence = 0;
  while (used.has(ids.batchId(content, occurrence, form))) occurrence++;
  return ids.batchId(content, occurrence, form);
}

/** Returns the time at which the last queued lookup completes. All suppliers share one queue. */
function queueEnd({ populate_batches }: SandboxState): number {
  const last = populate_batches.findLast(({ lookups }) => lookups.length > 0)?.lookups.at(-1);
  return last === undefined ? 0 : Date.parse(last.completes_at);
}
