/** E1 `supplyPoints.populate`: supply points are queued, and looked up one after another at the throttled rate. */
import type { Populate } from '../../../schemas/populate.js';
import { toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import type { Ids } from '../ids.js';
import type { PopulateBatch, SandboxState } from '../state.js';

/** Empty lists and the same point twice are taken as they come (U24). */
export function populate({ payload, store, now, settings, ids }: Call<Populate>): Outcome {
  const { state } = store;
  const points = [
    ...(payload.prm_ids ?? []).map((identifier) => ({ identifier, supply_type: 'ELECTRICITY' as const })),
    ...(payload.pce_ids ?? []).map((identifier) => ({ identifier, supply_type: 'GAS' as const })),
  ];
  const start = Math.max(now.getTime(), queueEnd(state));
  const batch: PopulateBatch = {
    batch_id: unusedBatchId(state, ids, payload),
    ...(payload.customer_category !== undefined && { customer_category: payload.customer_category }),
    queued_at: toDatetime(now),
    lookups: points.map((point, index) => ({
      ...point,
      completes_at: new Date(start + ((index + 1) * 1000) / settings.lookupsPerSecond).toISOString(),
    })),
  };
  return { status: 201, body: { batch_id: batch.batch_id }, apply: () => state.populate_batches.push(batch) };
}

/** The same content again gets another id. */
function unusedBatchId(
  { populate_batches }: SandboxState,
  ids: Ids,
  { customer_category, prm_ids, pce_ids }: Populate,
) {
  const used = new Set(populate_batches.map(({ batch_id }) => batch_id));
  const content = JSON.stringify([customer_category ?? null, prm_ids ?? [], pce_ids ?? []]);
  let occurrence = 0;
  while (used.has(ids.batchId(content, occurrence))) occurrence++;
  return ids.batchId(content, occurrence);
}

/** When the last lookup that is queued will be done; the queue is one for all suppliers. */
function queueEnd({ populate_batches }: SandboxState): number {
  const last = populate_batches.findLast(({ lookups }) => lookups.length > 0)?.lookups.at(-1);
  return last === undefined ? 0 : Date.parse(last.completes_at);
}
