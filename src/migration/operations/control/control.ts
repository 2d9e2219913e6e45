/**
 * Commands to a running run from another terminal, over a socket in its run folder. Only the owner can access the
 * folder and the socket. One command per connection, answered with one line of JSON.
 */
import { chmod } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { ThrottleSettings } from '../../throttle/settings.js';
import { findAddress, forgetAddress, newAddress } from './control-address.js';
import { ControlError, parseCommand } from './control-command.js';

export interface ControlHandlers {
  pause(): void;
  resume(): void;
  drain(): void;
  /** May throw; the sender of the command receives the message. */
  set(settings: ThrottleSettings): void;
  /** What every command is answered with, after it took effect; as JSON can say it. */
  status(): unknown;
}

export interface Control {
  /** Ends the connections, and takes the socket away. */
  close(): Promise<void>;
}

/** A command is a few words; more data comes from another program. */
const MOST_CHARACTERS = 1000;
const PATIENCE_MS = 5000;

/**
 * Listens in the run folder, which must exist, until it is closed; a run that is paused stays alive by it. What a run
 * that crashed has left there is taken away. Rejects with a `ControlError` where another run listens.
 */
export async function listenForControl(folder: string, handlers: ControlHandlers): Promise<Control> {
  const former = await addressIn(folder);
  if (former !== undefined && (await isAnswering(former))) {
    throw new ControlError(`control: another run listens in ${folder}. Give this one another folder.`);
  }
  await forgetAddress(folder);
  const address = await newAddress(folder);
  const connections = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serve(socket, handlers);
  });
  await listen(server, address);
  if (process.platform !== 'win32') await chmod(address, 0o600);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
      await forgetAddress(folder);
    },
  };
}

/** Sends a command such as `set concurrency=16`; gives the run's status after it. Rejects with a `ControlError`. */
export async function sendControl(folder: string, command: string, patienceMs = PATIENCE_MS): Promise<unknown> {
  parseCommand(command);
  const address = await addressIn(folder);
  if (address === undefined) throw new ControlError(`control: ${noRun(folder)}`);
  const text = await exchange(address, command, patienceMs).catch((error: NodeJS.ErrnoException) => {
    throw new ControlError(`control: ${whatIsWrong(error, folder, patienceMs)}`, { cause: error });
  });
  const answer = read(text);
  if (answer === undefined) throw new ControlError(`control: what answers in ${folder} is no run of this version.`);
  if ('error' in answer) throw new ControlError(String(answer.error));
  return answer.status;
}

function addressIn(folder: string): Promise<string | undefined> {
  return findAddress(folder).catch(() => {
    throw new ControlError(
      `control: there is no folder ${folder}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal.`,
    );
  });
}

function serve(socket: Socket, handlers: ControlHandlers): void {
  let text = '';
  socket.setEncoding('utf8');
  // Who went away, or says nothing, is no matter of the run.
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

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether a process listens: the socket that a crashed run left behind refuses connections. */
function isAnswering(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function exchange(address: string, command: string, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(address, () => socket.write(`${command}\n`));
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(patienceMs, () => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.on('error', fail);
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => {
      socket.end();
      resolve(text);
    });
  });
}

/** undefined for anything that `serve` does not write. */
function read(text: string): { status: unknown } | { error: unknown } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && ('status' in answer || 'error' in answer)
      ? (answer as { status: unknown } | { error: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}

function whatIsWrong({ code, message }: NodeJS.ErrnoException, folder: string, patienceMs: number): string {
  if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return noRun(folder);
  if (code === 'EACCES' || code === 'EPERM') return `the run in ${folder} belongs to another user.`;
  if (code === 'ETIMEDOUT')
    return `the run in ${folder} did not answer within ${patienceMs} ms. Is its process stopped?`;
  return `the run in ${folder} cannot be reached (${code ?? message}).`;
}

function noRun(folder: string): string {
  return `no run is active in ${folder}.`;
}
