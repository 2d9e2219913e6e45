/** Exports the admin routes of the clock, the fault rules and the hold on process calls. */
import * as z from 'zod';
import type { ProcessingHold } from '../calls/process-slots.js';
import type { Space } from '../spaces.js';
import { checkFaultRule } from '../state/fault-rules.js';
import { attempt } from './admin-input.js';
import { type AdminRoute, created, notListed, ok, route } from './admin-route.js';
import { describeClock } from './overview-routes.js';

/** The last instant whose year has four digits. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59Z');

const clockSchema = z
  .strictObject({
    advance_ms: z.number().optional(),
    now: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ advance_ms, now }) => (advance_ms === undefined) !== (now === undefined), {
    message: 'Expected either advance_ms, in milliseconds, or now, a datetime.',
    params: { code: 'required' },
  });

const holds = new WeakMap<Space, ProcessingHold>();

export const controlRoutes: readonly AdminRoute[] = [
  /** `{kind, now}`: a fixed clock changes only when it is set, a machine clock runs with an offset. */
  route('GET', '/clock', {}, ({ space }) => ok(describeClock(space))),
  /** `{advance_ms}` moves the clock forward, `{now}` sets it, also back. */
  route('POST', '/clock', { body: clockSchema }, ({ space, body: { advance_ms, now } }) => {
    const move = () => {
      if (now !== undefined) return space.clock.set(new Date(now));
      const ms = advance_ms ?? 0;
      if (space.clock.now().getTime() + ms > LAST_INSTANT)
        throw new RangeError('Expected a time before the year 10000.');
      space.clock.advance(ms);
    };
    return attempt('invalid_time', now === undefined ? 'advance_ms' : 'now', move) ?? ok(describeClock(space));
  }),
  /** The fault rules in their order, each with how often it met a call and fired. */
  route('GET', '/faults', {}, ({ space }) => ok(space.faults.list())),
  /** A fault rule, as `sandbox.faults.add` takes it; answers with its id. */
  route('POST', '/faults', { body: z.looseObject({}) }, ({ space, body }) =>
    attempt('invalid_fault', '', () => created({ id: space.faults.add(checkFaultRule(body)) })),
  ),
  /** Removes all fault rules. */
  route('DELETE', '/faults', {}, ({ space }) => {
    space.faults.clear();
    return ok({});
  }),
  /** Removes one fault rule. */
  route('DELETE', '/faults/:id', {}, ({ space, params }) =>
    space.faults.remove(params['id'] ?? '')
      ? ok({})
      : notListed('fault_not_found', 'No fault rule has this id', 'faults'),
  ),
  /** `{held, waiting}`: whether process calls are held, and how many wait. */
  route('GET', '/processing', {}, ({ space }) => ok(space.processSlots.status())),
  /**
   * `{hold: true}` holds every process call that arrives, as `sandbox.holdProcessing()` does;
   * `{hold: false}` releases them. A hold that the program itself set stays.
   */
  route('POST', '/processing', { body: z.strictObject({ hold: z.boolean() }) }, ({ space, body: { hold } }) => {
    const current = holds.get(space);
    if (hold && current === undefined) holds.set(space, space.processSlots.hold());
    if (!hold) {
      current?.release();
      holds.delete(space);
    }
    return ok({ held: space.processSlots.status().held });
  }),
];
