/** `migrationOptions`: the options of a session, from the flags and what the command has opened. */
import type { DistributedRun } from '../../migration/distributed/coordinator.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { RunFolder } from '../../migration/report/folder/run-folder.js';
import type { RenumberedRecord } from '../../migration/run/renumbered-error.js';
import type { LimitBounds } from '../../migration/throttle/limits/adaptive-limit.js';
import type { ThrottleOptions } from '../../migration/throttle/settings.js';
import type { Health } from '../monitoring/health.js';
import type { Connection } from '../open/connection.js';
import type { InputFlags } from '../options/input-options.js';
import { ofRecords } from '../options/record-options.js';
import { withSuppliers } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { withoutPasswords } from '../shared/command-text.js';
import type { Interruption } from '../shared/interruption.js';
import { continueWith } from './command-again.js';
import type { CurrentMigration } from './control-handlers.js';
import { isToSendRenumbered } from './questions.js';
import type { RunCommandFlags } from './run-flags.js';

type RunOnly = 'changedSources';
/** The flags of both commands: `retry` does not have those of a canary, a distributed run and `--retry-rejected`. */
export type Flags = InputFlags & Omit<RunCommandFlags, RunOnly> & Partial<Pick<RunCommandFlags, RunOnly>>;

/** What the sessions of one command share. */
export interface RunOfCommand {
  flags: Flags;
  context: CommandContext;
  isRetry: boolean;
  throttle: ThrottleOptions;
  input: OpenInput;
  connection: Connection;
  runFolder: RunFolder;
  ledger: Ledger;
  distributed: DistributedRun | undefined;
  health: Health | undefined;
  interruption: Interruption;
}

export interface SessionSetup {
  team: string;
  canary: number | undefined;
  /** Whether it is the session that the user agreed to after a canary. */
  isAfterCanary: boolean;
  current: CurrentMigration;
}

export function migrationOptions(run: RunOfCommand, { team, canary, isAfterCanary, current }: SessionSetup) {
  const { flags, context, connection, input, ledger, distributed, health, isRetry, throttle, interruption } = run;
  const { rehearsal } = connection;
  return {
    ...ofRecords(flags),
    client: connection.client,
    input: rehearsal === undefined ? input : withSuppliers(input, rehearsal.sandbox),
    folder: flags.run,
    ledger,
    distributed,
    target: connection.target,
    retarget: flags.retarget,
    serviceStartedAt: rehearsal?.startedAt,
    team,
    canary,
    profile: connection.profile,
    showPersonalData: flags.showPersonalData,
    throttle,
    retry: isRetry,
    changedSources: flags.changedSources,
    onRenumbered: (records: readonly RenumberedRecord[]) => isToSendRenumbered(records, context, interruption.signal),
    continueWith: continueWith({ context, changed: current.changed, canary: flags.canary, isAfterCanary }),
    configuration: configurationOf({ ...flags, canary: canary ?? 0 }, connection.address, team),
    ...(health !== undefined && { onEvent: health.onEvent }),
  };
}

/** Flags that say nothing about the run. URL and command of a notification may contain a secret. */
const NOT_SHOWN: ReadonlySet<string> = new Set<keyof Flags>([
  'run',
  'json',
  'color',
  'yes',
  'sources',
  'logFormat',
  'notify',
  'notifyCommand',
]);

/** The flags as the report shows them, without passwords. */
function configurationOf(flags: Flags, address: string, team: string): Record<string, string | number | boolean> {
  const shown = Object.entries({ ...flags, address, team }).filter(
    ([name, value]) => value !== undefined && !NOT_SHOWN.has(name) && !(name === 'canary' && value === 0),
  );
  return Object.fromEntries(
    shown.map(([name, value]) => [name, shownAs(value as string | number | LimitBounds | string[])]),
  );
}

function shownAs(value: string | number | LimitBounds | string[]): string | number {
  if (typeof value === 'object') return Object.values(value).join('-');
  return typeof value === 'string' ? withoutPasswords(value) : value;
}
