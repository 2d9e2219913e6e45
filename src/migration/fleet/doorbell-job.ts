/** A bell as a job of BullMQ: what it is called, what it carries, and how it is read back. */
import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import type { Bell } from './bell.js';

const JOB = 'bell';

/** Only what stands in a bell: whatever else is in the queue is nobody's. */
const BELL = z.object({
  supplier: z.string(),
  kind: z.enum(['business', 'account']),
  number: z.string(),
  version: z.int().nonnegative(),
});

/** A failed job would stand in the way of the next bell of the same name, and so would one that is done. */
const ONCE = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

export function jobOf({ supplier, kind, number, version }: Bell): { name: string; data: Bell; opts: JobsOptions } {
  const data = { supplier, kind, number, version };
  return { name: JOB, data, opts: { ...ONCE, jobId: nameOf(data) } };
}

/** undefined for what is no bell. */
export function bellOf(data: unknown): Bell | undefined {
  return BELL.safeParse(data).data;
}

/** The same for the same bell. BullMQ takes neither integers nor colons, and numbers of accounts have both. */
function nameOf({ supplier, kind, number, version }: Bell): string {
  const hash = createHash('sha256').update(JSON.stringify([supplier, kind, number, version]));
  return `bell-${hash.digest('base64url')}`;
}
