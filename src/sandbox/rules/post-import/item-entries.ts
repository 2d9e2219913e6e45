/** U32: which items of a request have an entry in its answer. */
import type { SandboxSettings } from '../../settings/settings.js';

/** The setting is asked for only where an item was there already: nothing else rests on it. */
export function shownEntries<Entry extends { status: string }>(
  entries: readonly Entry[],
  existing: string,
  settings: Pick<SandboxSettings, 'itemEntries'>,
): readonly Entry[] {
  const added = entries.filter(({ status }) => status !== existing);
  return added.length === entries.length || settings.itemEntries === 'each' ? entries : added;
}
