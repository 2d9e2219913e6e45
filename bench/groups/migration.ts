/** Measures the runner: memory, restart, adaptive limit, an account with many items. The service is a separate process that stores one bit per account. */
import { reasonOf } from '../frame/reason.js';
import type { Sheet } from '../frame/sheet.js';
import { measureCap } from '../migration/cap.js';
import { measureManyItems } from '../migration/many-items.js';
import { measureMemory } from '../migration/memory.js';
import { measureRestart } from '../migration/restart.js';

export async function measure(sheet: Sheet<'migration'>): Promise<void> {
  const failures: string[] = [];
  for (const part of [measureMemory, measureRestart, measureManyItems, measureCap]) {
    try {
      await part(sheet);
    } catch (error) {
      // The other measurements take many minutes; one failure must not discard their figures.
      failures.push(`${part.name}: ${reasonOf(error)}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('; '));
}
