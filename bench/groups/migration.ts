/** What the runner is measured by. The service is a process of its own that keeps one bit an account. */
import { reasonOf } from '../frame/reason.js';
import type { Sheet } from '../frame/sheet.js';
import { measureCap } from '../migration/cap.js';
import { measureMemory } from '../migration/memory.js';
import { measureRestart } from '../migration/restart.js';

export async function measure(sheet: Sheet<'migration'>): Promise<void> {
  const failures: string[] = [];
  for (const part of [measureMemory, measureRestart, measureCap]) {
    try {
      await part(sheet);
    } catch (error) {
      // The others take many minutes: they are not lost with it.
      failures.push(`${part.name}: ${reasonOf(error)}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('; '));
}
