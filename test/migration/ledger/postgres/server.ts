/** A real PostgreSQL of a test's own: its own user, a temporary folder, a free port; gone with the process that started it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { installPackage } from '../../../helpers/debian.js';

const PROGRAMS = '/usr/lib/postgresql';
/** Of the user with_password. */
export const PASSWORD = 'not-to-be-seen';
/** The user under which Debian's package runs it; the server refuses to be root. */
export const USER = 'postgres';
const isRoot = process.getuid?.() === 0;

export interface PostgresServer {
  /** Of a user who may make schemas, is no administrator, and needs no password. */
  url: string;
  urlOf(user: string, password?: string): string;
  /** As the administrator. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  /** `fast` lets go of every connection; `immediate` is a crash. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Speaks TLS from now on; gives the file of its certificate, which it has signed itself. */
  turnOnTls(): Promise<string>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

/** Whether there is one, or it could be installed; otherwise prints one line with the skipped tests. */
export function hasPostgres(): boolean {
  if (programs() === undefined) installPackage('postgresql');
  const isThere = programs() !== undefined;
  if (!isThere) process.stdout.write('SKIPPED: the ledger on PostgreSQL, since no server is installed.\n');
  return isThere;
}

/** Folder of the newest one's programs. */
function programs(): string | undefined {
  if (!existsSync(PROGRAMS)) return undefined;
  const newest = readdirSync(PROGRAMS)
    .map(Number)
    .filter(Boolean)
    .sort((a, b) => b - a)[0];
  const folder = join(PROGRAMS, String(newest), 'bin');
  return existsSync(join(folder, 'postgres')) ? folder : undefined;
}

/** Runs one of its programs under its user, and ends it with this process. */
function asUser(program: string, args: readonly string[]): [string, string[]] {
  const path = join(programs() ?? '', program);
  if (!isRoot) return [path, [...args]];
  return ['setpriv', [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--pdeathsig=QUIT', path, ...args]];
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const words = join(folder, 'password');
  writeFileSync(words, PASSWORD);
  const idOf = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }));
  const giveToUser = (...paths: string[]) => {
    if (isRoot) for (const path of paths) chownSync(path, idOf('-u'), idOf('-g'));
  };
  giveToUser(folder, words);
  const data = join(folder, 'data');
  const settings = [
    '-U',
    'admin',
    '--auth=scram-sha-256',
    `--pwfile=${words}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ];
  execFileSync(...asUser('initdb', ['-D', data, ...settings]), { stdio: 'ignore', cwd: folder });
  writeFileSync(join(data, 'pg_hba.conf'), ACCESS);
  const port = await freePort();
  const urlOf = (user: string, password = PASSWORD) => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port), '-c', 'max_connections=200'];
    server = spawn(...asUser('postgres', args), { stdio: 'ignore', cwd: folder });
    for (;;) {
      try {
        await ask('select 1');
        return;
      } catch (error) {
        if (server.exitCode !== null) throw error;
        await after(50);
      }
    }
  }
  async function stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (server === undefined) return;
    const gone = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
    server = undefined;
  }
  async function ask(sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: urlOf('admin') });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  await start();
  await ask(
    `create role with_password login password '${PASSWORD}'; create role importer login; create role tls_only login; ` +
      'grant create on database postgres to importer',
  );
  return {
    url: urlOf('importer'),
    urlOf,
    ask,
    start,
    stop,
    async turnOnTls() {
      const [key, certificate] = ['server.key', 'server.crt'].map((name) => join(data, name));
      const paths = ['-keyout', String(key), '-out', String(certificate)];
      const about = ['-days', '2', '-subj', '/CN=ledger', '-addext', 'subjectAltName=IP:127.0.0.1'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...paths, ...about], {
        stdio: 'ignore',
      });
      giveToUser(String(key), String(certificate));
      await ask('alter system set ssl = on');
      await stop();
      await start();
      return String(certificate);
    },
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Who comes in how: a password takes its time, and most tests are not about it. */
const ACCESS = `
hostnossl all tls_only      127.0.0.1/32 reject
host      all with_password 127.0.0.1/32 scram-sha-256
host      all all           127.0.0.1/32 trust
`;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
