/** How the tests talk to the admin interface: over HTTP, as the console does, or with headers that fetch would not send. */
import { request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions, type SandboxServer } from '../../../src/sandbox/index.js';

export interface AdminAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface Admin {
  sandbox: Sandbox;
  server: SandboxServer;
  /** `path` below /__sandbox/. A body is sent as JSON; `headers` come on top, and undefined takes one away. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<AdminAnswer>;
  /** Sends a call of the service, with the sandbox's token. */
  call(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  /** Runs the call and expects that it has changed nothing. */
  unchanged(call: () => Promise<AdminAnswer>): Promise<AdminAnswer>;
}

export async function openAdmin(options: SandboxOptions = {}, hostname = '127.0.0.1'): Promise<Admin> {
  const sandbox = createSandbox(options);
  const server = await sandbox.listen({ hostname });
  onTestFinished(() => server.close());
  const send: Admin['send'] = (method, path, body, headers = {}) =>
    talk(server.url, method, `/__sandbox/${path}`, body, headers);
  return {
    sandbox,
    server,
    send,
    call: (method, path, body) =>
      talk(server.url, method, `/v1/data-import/${path}`, body, { Authorization: `Token ${sandbox.token}` }),
    async unchanged(call) {
      const before = structuredClone({ state: sandbox.state, requests: sandbox.requests() });
      const answer = await call();
      expect({ state: sandbox.state, requests: sandbox.requests() }).toEqual(before);
      return answer;
    },
  };
}

function talk(
  base: string,
  method: string,
  path: string,
  body: unknown,
  more: Record<string, string | undefined>,
): Promise<AdminAnswer> {
  const { hostname, port } = new URL(base);
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  // Node announces no body of a DELETE by itself.
  const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
  const given = { 'Content-Type': 'application/json', ...length, ...more };
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const sent = request({ host, port, method, path, headers: headers as Record<string, string> }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: isJson ? JSON.parse(answer) : answer,
        });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
