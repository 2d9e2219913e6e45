/** `data-import-sdk sandbox`, as typed: what it prints, what it serves, and how it ends. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.js';
import { gate } from '../../helpers/gate.js';
import { openFolder, refused, runIn } from '../typed.js';

const { at } = openFolder();
const file = (name: string, content: unknown) => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};

/** A user who has seen enough as soon as it begins. */
const stopAtOnce = (listener: (signal: 'SIGINT') => void) => {
  queueMicrotask(() => listener('SIGINT'));
  return () => {};
};

/** Runs a command that ends by itself. */
const run = (...args: string[]) => runIn({ onSignal: stopAtOnce }, ...args);

interface Whereabouts {
  url: string;
  port: number;
  token: string;
  apiKey: string;
  graphqlUrl: string;
  consoleUrl: string;
}

/** Runs the server until the test is over. */
const serve = async (...args: string[]) => {
  const { open: stop, opened: stopped } = gate();
  let tell = (_: Whereabouts) => {};
  const started = new Promise<Whereabouts>((resolve) => {
    tell = resolve;
  });
  const err: string[] = [];
  const code = runProgram(['sandbox', '--port', '0', '--json', ...args], {
    out: (text) => tell(JSON.parse(text)),
    err: (text) => void err.push(text),
    onSignal(listener) {
      void stopped.then(() => listener('SIGTERM'));
      return () => {};
    },
  });
  const end = () => {
    stop();
    return code;
  };
  onTestFinished(async () => void (await end()));
  const where = await Promise.race([started, code.then(() => Promise.reject(new Error(err.join(''))))]);
  const send = async (path: string, body?: unknown) => {
    const response = await fetch(`${where.url}/v1/data-import/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Token ${where.token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { where, send, end };
};

const STAGE = 'account-import-process/create-or-update/';
const account = (import_supplier: string) => ({ import_supplier, external_account_number: 'A-1' });

describe('data-import-sdk sandbox', () => {
  test('prints its address, its token, its suppliers and teams', async () => {
    const { code, out, err } = await run('sandbox', '--port', '0');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replace(/:\d{4,5}/g, ':<port>')).toBe(`The sandbox is listening. Ctrl-C stops it.

  base URL   http://127.0.0.1:<port>
  token      sandbox-token
  console    http://127.0.0.1:<port>/__sandbox/
  GraphQL    http://127.0.0.1:<port>/v1/graphql/ (API key sandbox-api-key)
  suppliers  SANDBOX_SUPPLIER (Ongoing)
  teams      SANDBOX_TEAM
  clock      2026-01-15T09:00:00.000Z, fixed
`);
  });

  test('--json prints that as one line of JSON, and ends with code 0', async () => {
    const { where, send, end } = await serve();
    expect(where).toEqual({
      url: `http://127.0.0.1:${where.port}`,
      port: where.port,
      token: 'sandbox-token',
      apiKey: 'sandbox-api-key',
      graphqlUrl: `http://127.0.0.1:${where.port}/v1/graphql/`,
      consoleUrl: `http://127.0.0.1:${where.port}/__sandbox/`,
    });
    expect((await send(STAGE, account('SANDBOX_SUPPLIER'))).status).toBe(201);
    expect(await end()).toBe(0);
  });

  test('suppliers, settings, faults and the clock are set by the flags', async () => {
    const settings = file('settings.json', { accountNotFound: 404, historicalStatementStatus: 200 });
    const faults = file('faults.json', [{ match: { account: 'A-1' }, effect: { status: 503, body: {} }, times: 1 }]);
    const { send } = await serve(
      ...['--supplier', 'NORTH', '--supplier', 'SOUTH', '--team', 'EAST', '--clock', '2027-01-01T00:00:00Z'],
      ...['--settings', settings, '--set', 'unmatchedList=not-found', '--set', 'processConcurrency=1'],
      ...['--faults', faults, '--seed', 's', '--log-limit', '5', '--show-personal-data', '--preset', 'documented'],
    );
    expect((await send(STAGE, account('SOUTH'))).status).toBe(503);
    expect((await send(STAGE, account('SOUTH'))).status).toBe(201);
    expect((await send(STAGE, account('SANDBOX_SUPPLIER'))).status).toBe(400);
    expect((await send('all-account-import-processes/NORTH/')).status).toBe(404);
    const processed = await send('account-import-process/process/', {
      import_supplier_code: 'SOUTH',
      external_account_number: 'A-1',
      operations_team_name: 'EAST',
    });
    expect(processed.status).toBe(201);
    expect(await send('all-account-import-processes/SOUTH/')).toMatchObject({
      body: [{ external_account_number: 'A-1', account_created_at: '2027-01-01T00:00:00Z' }],
    });
  });

  test('--clock machine runs', async () => {
    const { out } = await run('sandbox', '--port', '0', '--clock', 'machine');
    expect(out).toMatch(/clock {6}20\d\d-\d\d-\d\dT[\d:.]+Z\n$/);
  });

  test('--file continues from the last state', async () => {
    const path = at('state.json');
    const first = await serve('--file', path);
    await first.send(STAGE, account('SANDBOX_SUPPLIER'));
    await first.end();
    const second = await serve('--file', path);
    expect((await second.send(STAGE, account('SANDBOX_SUPPLIER'))).status).toBe(200);
  });
});

describe('invalid arguments end in one line and exit code 2', () => {
  test.each<[string, () => string[], string]>([
    [
      'a port that is no number',
      () => ['--port', 'x'],
      "error: option '-p, --port <number>' argument 'x' is invalid. Expected a whole number.",
    ],
    [
      'a port that there is not',
      () => ['--port', '99999'],
      'data-import-sdk: port must be a whole number from 0 to 65535, found 99999.\n',
    ],
    ['an unknown flag', () => ['--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)"],
    ['an unknown preset', () => ['--preset', 'x'], 'Allowed choices are documented, strict, legacyErrors.'],
    ['a setting without a value', () => ['--set', 'processConcurrency'], 'Expected name=value.'],
    [
      'an unknown setting',
      () => ['--set', 'a=1'],
      'data-import-sdk: no setting a; the type SandboxSettings has all, and docs/unspecified-behaviour.md explains them.',
    ],
    [
      'a value that a setting cannot have',
      () => ['--set', 'accountNotFound=500'],
      'setting accountNotFound must be one of 400, 404, found 500.',
    ],
    ['a bad instant', () => ['--clock', 'noon'], "Expected a datetime such as 2026-01-15T09:00:00Z, or 'machine'."],
    [
      'a day that does not exist',
      () => ['--clock', '2026-02-30T09:00:00Z'],
      "Expected a datetime such as 2026-01-15T09:00:00Z, or 'machine'.",
    ],
    [
      'an empty host, with which Node listens on every address',
      () => ['--host', ''],
      'hostname must be a host name or an address of this machine, such as 127.0.0.1.',
    ],
    [
      'a supplier twice',
      () => ['--supplier', 'A', '--supplier', 'A'],
      'data-import-sdk: two suppliers have the code A.',
    ],
    [
      'settings that are not there',
      () => ['--settings', '/none/s.json'],
      'data-import-sdk: --settings: /none/s.json cannot be read (there is no such file); expected a file with a JSON object.',
    ],
    ['settings that are a list', () => ['--settings', file('list.json', [])], 'does not contain a JSON object.'],
    [
      'faults that are no JSON',
      () => ['--faults', file('no.json', '[{')],
      'no.json is not valid JSON; expected a file with a JSON array.',
    ],
    ['faults that are an object', () => ['--faults', file('object.json', {})], 'does not contain a JSON array.'],
    [
      'an invalid fault',
      () => ['--faults', file('bad.json', [{ effect: 'boom' }])],
      'data-import-sdk: fault rule 1: effect: expected ',
    ],
    [
      'a state file that contains no state',
      () => ['--file', file('state-no.json', '{}')],
      ': line 1 cannot be read. Give another file, or delete it to start with an empty state.\n',
    ],
  ])('%s', async (_, args, message) => {
    const { code, out, err } = await run('sandbox', '--port', '0', ...args());
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
  });

  test('a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, err } = await run('sandbox', '--port', String(port));
    expect(code).toBe(2);
    expect(err).toBe(
      `data-import-sdk: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Give another port, or 0 for any that is free.\n`,
    );
  });

  test('an address that this machine has not', async () => {
    const { code, err } = await run('sandbox', '--port', '0', '--host', '192.0.2.1');
    expect(code).toBe(2);
    expect(err).toBe(
      'data-import-sdk: cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL). ' +
        'Give a host name or an address of this machine, such as 127.0.0.1.\n',
    );
  });

  test('no command, and one that does not exist', async () => {
    expect(await run()).toMatchObject(refused('Usage: data-import-sdk'));
    expect(await run('sandbx')).toMatchObject(refused("unknown command 'sandbx'"));
  });
});

test('--help and --version end with code 0', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('sandbox'), err: '' });
  expect(await run('sandbox', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('Examples:'), err: '' });
});
