/** PgBouncer before a PostgreSQL of a test: under the server's user, on a free port; gone with the process that started it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { hasProgram } from '../../../helpers/debian.js';
import { freePort, USER } from './server.js';

const PROGRAM = '/usr/sbin/pgbouncer';
const isRoot = process.getuid?.() === 0;

/** Whether it is there, or could be installed; otherwise prints one line with the skipped tests. */
export const hasPgbouncer = (): boolean => hasProgram(PROGRAM, 'pgbouncer', 'PostgreSQL behind PgBouncer');

export interface Pgbouncer {
  url: string;
  remove(): Promise<void>;
}

/** `settings`: lines of its configuration file, such as `pool_mode = session`. */
export async function startPgbouncer(server: string, settings: readonly string[]): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, pathname } = new URL(server);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const [users, config] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')];
  const port = await freePort();
  writeFileSync(users, `"${username}" ""\n`);
  const lines = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    ...settings,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const idOf = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }));
  if (isRoot) for (const path of [folder, users, config]) chownSync(path, idOf('-u'), idOf('-g'));
  const pooler: ChildProcess = spawn(...asUser([PROGRAM, config]), { stdio: 'ignore', cwd: folder });
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  for (let left = 200; !(await answers(url)); left--) {
    if (left === 0) throw new Error('PgBouncer did not start within 10 s.');
    await after(50);
  }
  return {
    url,
    async remove() {
      const gone = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It refuses to be root. */
function asUser(args: string[]): [string, string[]] {
  const user = isRoot ? [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : [];
  return ['setpriv', [...user, '--pdeathsig=KILL', ...args]];
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
