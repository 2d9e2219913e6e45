/** Notifications by POST: the form and the signature of the Standard Webhooks specification, and retries. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyOf, openWebhook, signatureHeaders } from '../../../../src/cli/monitoring/notify/webhook.js';
import type { Notification } from '../../../../src/cli/monitoring/notify/when-to-notify.js';
import { openReceiver } from './receiver.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NOW = new Date('2026-01-15T09:00:00.900Z');

const ended: Notification = {
  type: 'run.ended',
  timestamp: '2026-01-15T09:00:00.000Z',
  data: { command: 'run', host: 'machine-1', exitCode: 0 },
};

function webhookTo(url: string, options: { secret?: string; timeoutMs?: number } = {}) {
  const webhook = openWebhook({
    url,
    secret: options.secret,
    now: () => NOW,
    retryMs: 1,
    timeoutMs: options.timeoutMs,
  });
  onTestFinished(() => webhook.close());
  return webhook;
}

test('the signature is that of the libraries of the specification', () => {
  // The example of those libraries.
  const at = new Date(1_614_265_330_000);
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  expect(signatureHeaders({ id, body: '{"test": 2432232314}', key: keyOf(SECRET), at })).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the request has the notification as JSON, with id, time and signature', async () => {
  const { url, received } = await openReceiver();
  await webhookTo(url, { secret: SECRET }).send(ended);
  const [request] = received;
  expect(received).toHaveLength(1);
  expect(request?.path).toBe('/T0/B0/path-secret?q=query-secret');
  expect(JSON.parse(request?.body ?? '')).toEqual(ended);
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_[\da-f-]{36}$/),
    'webhook-timestamp': '1768467600',
    'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
});

test('without a secret it is not signed', async () => {
  const { url, received } = await openReceiver();
  await webhookTo(url).send(ended);
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
});

describe('a failed request', () => {
  test('is sent again with the same id, up to three times', async () => {
    const { url, received } = await openReceiver(500, 429, 503);
    await webhookTo(url).send(ended);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('is given up after that, and the message has the host and not the path', async () => {
    const { url, host, received } = await openReceiver(500, 500, 500, 500);
    await expect(webhookTo(url).send(ended)).rejects.toMatchObject({ message: `${host} answered 500` });
    expect(received).toHaveLength(4);
  });

  test.each([302, 400, 401, 404, 410])('is not sent again after %i, and a redirect is not followed', async (status) => {
    const { url, host, received } = await openReceiver(status);
    await expect(webhookTo(url).send(ended)).rejects.toMatchObject({ message: `${host} answered ${status}` });
    expect(received).toHaveLength(1);
  });

  test('a receiver that does not answer is given up', async () => {
    const { url, host } = await openReceiver('silent', 'silent', 'silent', 'silent');
    await expect(webhookTo(url, { timeoutMs: 20 }).send(ended)).rejects.toMatchObject({
      message: `${host} did not answer in time`,
    });
  });

  test('a receiver that cannot be reached is named with the cause', async () => {
    await expect(webhookTo('http://127.0.0.1:9/path-secret').send(ended)).rejects.toMatchObject({
      message: 'no answer from 127.0.0.1:9 (ECONNREFUSED)',
    });
  });
});

test.each(['hooks.example.com', 'ftp://hooks.example.com', 'https://user:secret@hooks.example.com', ''])(
  '%j is no URL of a receiver, and is not quoted',
  (url) => {
    expect(() => openWebhook({ url, secret: undefined, now: () => NOW })).toThrow(
      '--notify: expected an http or https URL without user and password.',
    );
  },
);

test.each([
  ['without its prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['that is no base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!!'],
  ['of 23 bytes', `whsec_${Buffer.alloc(23, 1).toString('base64')}`],
  ['of 65 bytes', `whsec_${Buffer.alloc(65, 1).toString('base64')}`],
])('a secret %s is refused, and not quoted', (_, secret) => {
  const refusal = 'DATA_IMPORT_NOTIFY_SECRET: expected whsec_ and 24 to 64 bytes in base64.';
  expect(() => keyOf(secret)).toThrow(refusal);
  expect(() => keyOf(secret)).not.toThrow(secret);
});

test.each([24, 64])('a secret of %i bytes is accepted', (bytes) => {
  expect(keyOf(`whsec_${Buffer.alloc(bytes, 1).toString('base64')}`)).toHaveLength(bytes);
});
