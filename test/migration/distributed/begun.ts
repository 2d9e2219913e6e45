/** The state of a distributed run that has just begun. */
import type { RunState } from '../../../src/migration/distributed/state/run-state.js';
import { settingsOf } from '../../../src/migration/record/steps/call-settings.js';
import { DEFAULT_HALT } from '../../../src/migration/throttle/halt-rules.js';
import { firstLimit } from '../../../src/migration/throttle/limits/adaptive-limit.js';

export const begun = (limit = 4): RunState => ({
  ...{ phase: 'open', isWholeInputKnown: true },
  settings: {
    ...{ ...settingsOf({}), address: 'http://localhost:1', team: 'EAST', dryRun: 'none' },
    ...{ profile: null, window: null, halt: { ...DEFAULT_HALT, outage: 0 } },
  },
  ...{ paused: null, ended: null, rps: 0, heldUntil: { all: 0, process: 0 }, halt: null, failedInRow: 0 },
  ...{ limit: firstLimit(limit, { least: 1, most: 64 }), workers: {}, isTeamAccepted: true },
});
