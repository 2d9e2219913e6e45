/** A server whose state is kept in a file goes on where it was. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type Sandbox, type SandboxServer } from '../../src/sandbox/index.js';
import { createKeeper } from '../../src/sandbox/keeper.js';
import { account, processing } from './talk.js';

let folder = '';
const at = (name: string) => join(folder, name);

// Gone only after the servers of the test are closed: what is registered first is done last.
beforeEach(async ({ onTestFinished }) => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const post = async ({ token }: Sandbox, { url }: SandboxServer, path: string, body: unknown) => {
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/v1/data-import/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

describe('a state file', () => {
  test('is written at once, holds a snapshot, and only its owner may read it', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen({ file: at('state.json') });
    onTestFinished(() => server.close());
    expect(JSON.parse(await readFile(at('state.json'), 'utf8'))).toEqual(sandbox.snapshot());
    expect((await stat(at('state.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('a sandbox that is started again goes on: the account is there, with its number', async () => {
    const first = createSandbox();
    const server = await first.listen({ file: at('state.json') });
    expect((await post(first, server, 'account-import-process/create-or-update/', account('A-1'))).status).toBe(201);
    const created = await post(first, server, 'account-import-process/process/', processing('A-1'));
    first.clock.advance(86_400_000);
    await server.close();

    const second = createSandbox();
    const again = await second.listen({ file: at('state.json') });
    onTestFinished(() => again.close());
    expect(second.clock.now()).toEqual(new Date('2026-01-16T09:00:00Z'));
    expect(await post(second, again, 'account-import-process/process/', processing('A-1'))).toMatchObject({
      status: 400,
      body: { service_account_number: (created.body as { service_account_number: string }).service_account_number },
    });
  });

  test('a change is saved without anybody closing the server', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen({ file: at('state.json') });
    onTestFinished(() => server.close());
    await post(sandbox, server, 'account-import-process/create-or-update/', account('A-1'));
    await vi.waitFor(async () => expect(await readFile(at('state.json'), 'utf8')).toContain('A-1'), {
      timeout: 20_000,
    });
  });

  test.each([
    ['{"format":', 'it is no JSON'],
    ['[]', 'sandbox.restore: not a snapshot'],
    ['{"format":"data-import-sdk sandbox 1","state":{}}', 'not a snapshot: state.clock'],
    ['{"format":"data-import-sdk sandbox 2","state":{}}', 'not a snapshot: format'],
  ])('that holds %s is refused and stays as it is', async (text, message) => {
    await writeFile(at('state.json'), text);
    const listening = createSandbox().listen({ file: at('state.json') });
    await expect(listening).rejects.toThrow(`the state file ${at('state.json')} holds no state`);
    await expect(listening).rejects.toThrow(message);
    expect(await readFile(at('state.json'), 'utf8')).toBe(text);
  });

  test('that cannot be read or written is refused before the server listens', async () => {
    await expect(createSandbox().listen({ file: folder })).rejects.toThrow(
      `cannot read the state file ${folder} (EISDIR)`,
    );
    const nowhere = at('none/state.json');
    await expect(createSandbox().listen({ file: nowhere })).rejects.toThrow(
      `cannot write the state file ${nowhere} (ENOENT)`,
    );
  });

  test('that can no longer be written: the server warns, and close rejects', async () => {
    const warnings: string[] = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
    const sandbox = createSandbox();
    const server = await sandbox.listen({ file: at('state.json') });
    await rm(folder, { recursive: true });
    await post(sandbox, server, 'account-import-process/create-or-update/', account('A-1'));
    const message = `sandbox: cannot write the state file ${at('state.json')} (ENOENT).`;
    await vi.waitFor(() => expect(warnings).toEqual([message]), { timeout: 20_000 });
    await expect(server.close()).rejects.toThrow(message);
  });
});

describe('when the state is saved', () => {
  const withTimers = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  };

  test('a quarter of a second after the first of several changes, once', async () => {
    withTimers();
    const save = vi.fn(async () => {});
    const keeper = createKeeper(save, () => {});
    keeper.touch();
    await vi.advanceTimersByTimeAsync(200);
    keeper.touch();
    expect(save).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(save).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(save).toHaveBeenCalledTimes(1);
  });

  test('a change during a save is saved after it, and never two at once', async () => {
    withTimers();
    let finish = () => {};
    const save = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const keeper = createKeeper(save, () => {});
    keeper.touch();
    await vi.advanceTimersByTimeAsync(250);
    keeper.touch();
    await vi.advanceTimersByTimeAsync(5000);
    expect(save).toHaveBeenCalledTimes(1);
    finish();
    // That save took 5 s: the next one may begin after 100 s, a twentieth of the time.
    await vi.advanceTimersByTimeAsync(99_999);
    expect(save).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(save).toHaveBeenCalledTimes(2);
  });

  test('after a failure again five seconds later', async () => {
    withTimers();
    const errors: unknown[] = [];
    const save = vi.fn(async () => {}).mockRejectedValueOnce(new Error('full'));
    const keeper = createKeeper(save, (error) => errors.push(error));
    keeper.touch();
    await vi.advanceTimersByTimeAsync(250);
    expect(errors).toEqual([new Error('full')]);
    await vi.advanceTimersByTimeAsync(4999);
    expect(save).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(save).toHaveBeenCalledTimes(2);
  });

  test('on close, if anything is not saved yet', async () => {
    withTimers();
    const save = vi.fn(async () => {});
    const keeper = createKeeper(save, () => {});
    await keeper.close();
    expect(save).not.toHaveBeenCalled();
    keeper.touch();
    await keeper.close();
    expect(save).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(save).toHaveBeenCalledTimes(1);
  });
});
