/** Exports `commandScript`: a script that is a command of any language. It gets its context in environment variables. */
import { spawn } from 'node:child_process';
import { CannotStartError, type Script, type ScriptContext, type ScriptEnd } from '../../certify/execute.js';
import { HAS_GROUPS, killGroup } from '../shared/command-group.js';

const PREFIX = 'DATA_IMPORT_';
/** Characters of the output that are kept, from its end. */
const OUTPUT_LIMIT = 1_000_000;

/** Returns the variables of a script. They are those that the commands of this package read. */
function variablesOf(context: ScriptContext): Record<string, string> {
  return {
    DATA_IMPORT_BASE_URL: context.baseUrl,
    DATA_IMPORT_TOKEN: context.token,
    DATA_IMPORT_TEAM: context.team,
    DATA_IMPORT_SUPPLIER: context.supplier,
    DATA_IMPORT_INPUT: context.input,
    DATA_IMPORT_RUN: context.folder,
    DATA_IMPORT_IN_FLIGHT_GRACE: String(context.inFlightGraceMs / 1000),
    DATA_IMPORT_TIMEOUT: String(context.timeoutMs / 1000),
  };
}

/** Rejects with a `CannotStartError` if the program does not exist. A kill ends also what the command has started. */
export function commandScript([program = '', ...args]: readonly string[]): Script {
  return (context) =>
    new Promise<ScriptEnd>((resolve, reject) => {
      // Without the settings of the user's own migration: no start may reach the real service, or its ledger.
      const others = Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX));
      const env = { ...Object.fromEntries(others), ...variablesOf(context) };
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: HAS_GROUPS });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-OUTPUT_LIMIT);
        });
      }
      const onAbort = () => killGroup(child);
      if (context.signal.aborted) onAbort();
      context.signal.addEventListener('abort', onAbort, { once: true });
      const leave = () => context.signal.removeEventListener('abort', onAbort);
      child.once('error', ({ message }) => {
        leave();
        reject(
          new CannotStartError(`${program} cannot be started (${message}). Give the command as you type it, after --.`),
        );
      });
      child.once('close', (exitCode) => {
        leave();
        resolve({ exitCode, output });
      });
    });
}
