/** `data-import-sdk run` against a sandbox that outlives it, killed by SIGKILL at moments that the caller draws by lot. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** When a session is killed: after a number of requests or of milliseconds, plus `laterMs`. */
export type Moment = ({ requests: number } | { ms: number }) & { laterMs: number };

export interface SessionEnd {
  /** null where it was killed. */
  code: number | null;
  /** Requests that reached the service in it. */
  requests: number;
  /** Milliseconds until the first of them; undefined where none came. */
  startedMs: number | undefined;
  /** What it complained of, besides its progress. */
  complaint: string | undefined;
}

export interface Bounds {
  /** A shell's command that sets them. */
  shell?: string;
  /** Whose rights it has. */
  uid?: number;
}

/** A service, and one run of an input into it, session after session. `onRequest` hears of every request that arrives. */
export async function openRun(
  inputFile: string,
  cwd: string,
  folder: string,
  onRequest: (requests: number) => void = () => {},
  timeoutS = 5,
) {
  let arrived = () => {};
  let requests = 0;
  const sandbox: Sandbox = createSandbox({
    logLimit: 1_000_000,
    showPersonalData: true,
    // No failure and no wait: this rule makes the sandbox call `wait` for every request.
    faults: [{ effect: { latencyMs: 1 } }],
    async wait() {
      onRequest(++requests);
      arrived();
    },
  });
  const server = await sandbox.listen();
  const args = ['run', inputFile, '--run', folder, '--team', 'SANDBOX_TEAM', '--process-concurrency', '16'];
  // The sandbox answers at once: a request of a killed process does not run for longer.
  args.push('--timeout', String(timeoutS), '--in-flight-grace', '1');
  const env = { ...process.env, DATA_IMPORT_TOKEN: sandbox.token, DATA_IMPORT_BASE_URL: server.url };
  return {
    sandbox,
    close: () => server.close(),
    /** One session of the process: to its end, or to the moment. */
    async runSession(moment?: Moment, { shell, uid }: Bounds = {}): Promise<SessionEnd> {
      const since = performance.now();
      const session: SessionEnd = { code: null, requests: 0, startedMs: undefined, complaint: undefined };
      const node = [process.execPath, command, ...args];
      const [program = '', ...rest] = shell === undefined ? node : ['bash', '-c', `${shell}; exec "$0" "$@"`, ...node];
      const owner = uid === undefined ? {} : { uid, gid: uid };
      const child = spawn(program, rest, { cwd, env, ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      const over = new AbortController();
      const killAfter = (ms: number) =>
        after(ms, undefined, { signal: over.signal }).then(
          () => void child.kill('SIGKILL'),
          () => {},
        );
      arrived = () => {
        session.startedMs ??= performance.now() - since;
        session.requests++;
        if (!(moment && 'requests' in moment) || session.requests !== moment.requests) return;
        if (moment.laterMs === 0) child.kill('SIGKILL');
        else void killAfter(moment.laterMs);
      };
      if (moment && 'ms' in moment) void killAfter(moment.ms + moment.laterMs);
      [session.code] = (await once(child, 'close')) as [number | null];
      over.abort();
      session.complaint = /^data-import-sdk: .*/ms.exec(stderr)?.[0];
      return session;
    },
  };
}
