/** Options of what commands print, of the question before the first record, and of how a run is monitored. */
import { inGroup, type OptionTable, type OptionValues } from './option.js';

const OF_ONE_COMMAND = 'It says how one command is started, watched or printed.';

export const jsonOptions = {
  json: { flags: '--json', group: 'Output', help: 'print one line of JSON', notKept: OF_ONE_COMMAND },
} as const satisfies OptionTable;

export const sessionOptions = {
  yes: {
    flags: '--yes',
    group: 'Safety',
    trust: 'notWithAddress',
    help: 'answer yes to the questions before sending',
    details:
      'Asked if the service is on another machine, and if the ledger was copied or restored since its last session: not answered if statements or payment instructions could be sent twice (resolve --accept copy).',
    notKept: OF_ONE_COMMAND,
  },
  ...jsonOptions,
  color: {
    flags: '--no-color',
    group: 'Output',
    help: 'no colours, as with NO_COLOR',
    isFlagOnly: true,
    notKept: OF_ONE_COMMAND,
  },
} as const satisfies OptionTable;

/** For `run`, `retry` and `worker`. */
export const monitoringOptions = inGroup('Monitoring', {
  health: {
    flags: '--health <address>',
    help: 'port for /healthz, /readyz and /metrics',
    details: 'On 127.0.0.1; in a container 0.0.0.0:port.',
    parse: String,
    notKept: OF_ONE_COMMAND,
  },
  logFormat: {
    flags: '--log-format <format>',
    help: 'standard error: text or json',
    details: 'json: one line for each event. The result on standard output is then JSON too, as with --json.',
    choices: ['text', 'json'],
    default: 'text',
    notKept: OF_ONE_COMMAND,
  },
});

/** For `run` and `retry`. */
export const notifyOptions = inGroup('Monitoring', {
  notify: {
    flags: '--notify <url>',
    help: 'POST when it ends, halts or waits',
    details:
      'When the command ends, the run halts, or a person has to act. The request is JSON, signed with the secret in DATA_IMPORT_NOTIFY_SECRET.',
    notKept: OF_ONE_COMMAND,
  },
  notifyCommand: {
    flags: '--notify-command <command>',
    help: 'run a command then',
    details: 'The shell runs it, with the JSON on standard input. A config file that no flag names cannot set it.',
    trust: 'code',
    isFlagOnly: true,
    notKept: OF_ONE_COMMAND,
  },
});

export type MonitoringFlags = OptionValues<typeof monitoringOptions>;
