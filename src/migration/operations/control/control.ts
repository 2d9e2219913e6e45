/**
 * Exports `listenForControl` and `sendControl`: commands to a running run from another terminal, over a socket in its run folder. Only
 * the owner can access the folder and the socket. Each connection has one command, answered with one line of JSON.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { LEDGER_NOTE } from '../../report/folder/ledger-note.js';
import { oneLine } from '../../shared/printable.js';
import { jsonIn } from '../../shared/regular-file.js';
import type { ThrottleSettings } from '../../throttle/settings.js';
import { findAddress, forgetAddress, newAddress } from './control-address.js';
import { ControlError, parseCommand } from './control-command.js';

export interface ControlHandlers {
  pause(): void;
  resume(): void;
  drain(): void;
  /** May throw; the sender of the command receives the message. */
  set(settings: ThrottleSettings): void;
  /** Returns the answer to each command, after it took effect. It must be serialisable as JSON. */
  status(): unknown;
}

export type Control = Awaited<ReturnType<typeof listenForControl>>;

/** Longest command, and longest answer. Longer data is from another program. */
const MOST_CHARACTERS = 1000;
const LONGEST_ANSWER = 1_000_000;
const PATIENCE_MS = 5000;

/**
 * Listens in the run folder, which must exist, until it is closed. It keeps the process of a paused run alive. Removes the socket of
 * a crashed run. Rejects with a `ControlError` if another run listens.
 */
export async function listenForControl(folder: string, handlers: ControlHandlers) {
  const former = await addressIn(folder);
  if (former !== undefined && (await isAnswering(former))) {
    throw new ControlError(`another run is active in ${folder}. Use another folder for this one.`);
  }
  await forgetAddress(folder);
  const address = await newAddress(folder);
  const connections = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serve(socket, handlers);
  });
  server.listen(address);
  await once(server, 'listening');
  if (process.platform !== 'win32') await chmod(address, 0o600);
  return {
    /** Ends the connections, and removes the socket. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
      await forgetAddress(folder);
    },
  };
}

/** Sends a command such as `set concurrency=16`. Resolves with the run's status after it. Rejects with a `ControlError`. */
export async function sendControl(folder: string, command: string, patienceMs = PATIENCE_MS): Promise<unknown> {
  parseCommand(command);
  const address = await addressIn(folder);
  if (address === undefined) throw noRun(folder);
  const text = await exchange(address, command, patienceMs).catch((error: NodeJS.ErrnoException) => {
    throw whatIsWrong(error, folder, patienceMs);
  });
  const answer = read(text);
  if (answer === undefined)
    throw new ControlError(`the process that answers in ${folder} is not a run of this version.`);
  if ('error' in answer) throw new ControlError(oneLine(String(answer.error)));
  return answer.status;
}

function addressIn(folder: string): Promise<string | undefined> {
  return findAddress(folder).catch(() => {
    throw new ControlError(
      `there is no folder ${folder}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal.`,
      { isWithoutRun: true },
    );
  });
}

/** The sender waits for it before it sends its command, so that a suspended run does not execute the command when it continues. */
const GREETING = 'ready\n';

function serve(socket: Socket, handlers: ControlHandlers): void {
  let text = '';
  socket.write(GREETING);
  socket.setEncoding('utf8');
  // Connection errors of a client do not concern the run.
  socket.on('error', () => {});
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('end', () => socket.end());
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) {
      socket.removeAllListeners('data').resume();
      socket.end(`${JSON.stringify(obey(text.slice(0, end), handlers))}\n`);
    } else if (text.length > MOST_CHARACTERS) socket.destroy();
  });
}

function obey(text: string, handlers: ControlHandlers): { status: unknown } | { error: string } {
  try {
    const command = parseCommand(text);
    if (command.name === 'set') handlers.set(command.settings);
    else if (command.name !== 'status') handlers[command.name]();
    return { status: handlers.status() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Resolves with whether a process listens. The socket of a crashed run refuses connections. */
function isAnswering(address: string): Promise<boolean> {
  const socket = createConnection(address);
  return once(socket, 'connect').then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}

function exchange(address: string, command: string, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let isSent = false;
    const socket = createConnection(address);
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setEncoding('utf8');
    // For the whole answer: a process that sends without an end is no run either.
    const timer = setTimeout(() => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), patienceMs);
    socket.on('close', () => clearTimeout(timer));
    socket.on('error', fail);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > LONGEST_ANSWER) {
        socket.destroy();
        resolve('');
      }
      if (isSent || !text.startsWith(GREETING)) return;
      isSent = true;
      socket.write(`${command}\n`);
    });
    socket.on('end', () => {
      socket.end();
      resolve(text.slice(GREETING.length));
    });
  });
}

/** Parses an answer; undefined if it is not from `serve`. */
function read(text: string): { status: unknown } | { error: unknown } | undefined {
  const answer = jsonIn(text);
  const isAnswer = typeof answer === 'object' && answer !== null && ('status' in answer || 'error' in answer);
  return isAnswer ? (answer as { status: unknown } | { error: unknown }) : undefined;
}

function whatIsWrong(error: NodeJS.ErrnoException, folder: string, patienceMs: number): ControlError {
  const { code, message } = error;
  if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return noRun(folder, error);
  const why = () => {
    if (code === 'EACCES' || code === 'EPERM') return 'belongs to another user.';
    if (code === 'ETIMEDOUT') return `did not answer within ${patienceMs} ms. Is its process stopped?`;
    return `cannot be reached (${code ?? message}).`;
  };
  return new ControlError(`the run in ${folder} ${why()}`, { cause: error });
}

function noRun(folder: string, cause?: Error): ControlError {
  const hint = existsSync(join(folder, LEDGER_NOTE))
    ? ' If workers of a distributed run still import, give --database (or DATA_IMPORT_DATABASE), so that the command reaches them.'
    : '';
  return new ControlError(`no run is active in ${folder}.${hint}`, { cause, isWithoutRun: true });
}
