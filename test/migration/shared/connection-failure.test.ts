/** Connections that fail, in words: each cause once, with its host. */
import { describe, expect, test } from 'vitest';
import { causeInWords, createFailureNotes, failureInWords } from '../../../src/migration/shared/connection-failure.js';

const host = 'api.example.com:8443';

describe('a connection that failed names its host and the cause', () => {
  test.each([
    ['ECONNREFUSED', 'nothing listens on this port'],
    ['ENOTFOUND', 'no host has this name'],
    ['EAI_AGAIN', 'the name server does not answer'],
    ['EHOSTUNREACH', 'there is no route to this host'],
    ['UND_ERR_CONNECT_TIMEOUT', 'the host does not answer; a firewall may drop the packets'],
    ['ECONNRESET', 'the connection broke before the answer was complete'],
    ['UND_ERR_ABORTED', 'the proxy refused it; check the proxy and its credentials'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed, and this machine does not trust it'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate comes from an authority that this machine does not trust'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the issuer of the certificate is missing or not trusted'],
    ['CERT_HAS_EXPIRED', 'the certificate has expired'],
    ['CERT_NOT_YET_VALID', 'the certificate is not valid yet; check the clock of this machine'],
    ['CERT_REVOKED', 'the certificate is revoked'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
    ['CERT_UNTRUSTED', 'the certificate is not accepted'],
    ['EPROTO', 'TLS cannot be set up; the port may not speak TLS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS cannot be set up; the port may not speak TLS'],
  ])('%s', (reason, words) => {
    expect(causeInWords({ host, code: reason })).toBe(`connection to ${host} failed: ${reason}, ${words}`);
  });

  test('an unknown reason is shown unchanged', () => {
    expect(causeInWords({ host, code: 'EWHAT' })).toBe(`connection to ${host} failed: EWHAT`);
  });

  test('a timeout', () => {
    expect(causeInWords({ host, code: 'timeout' })).toBe(`no answer from ${host} in time`);
  });
});

test.each([
  [{ step: 'stage' }, 'at stage'],
  [{ step: 'stage', code: '' }, 'at stage'],
  [{ step: 'stage', code: 'server_error' }, 'at stage (server_error)'],
  [
    { step: 'stage', code: 'ECONNREFUSED', host },
    `at stage: connection to ${host} failed: ECONNREFUSED, nothing listens on this port`,
  ],
] as const)('the last failure of some calls: %j', (failure, words) => {
  expect(failureInWords(failure)).toBe(words);
});

test('each reason is noted once, and all are counted', () => {
  const noted: string[] = [];
  const notes = createFailureNotes(host, (text) => noted.push(text));
  expect(notes.inTotal()).toBeUndefined();
  notes.failed({ code: 'timeout' });
  expect(notes.inTotal()).toBe(`1 request to ${host} without a usable answer (timeout 1)`);
  notes.failed({ code: 'EPIPE' });
  notes.failed({ code: 'timeout' });
  expect(noted).toEqual([
    `no answer from ${host} in time`,
    `connection to ${host} failed: EPIPE, the connection broke before the answer was complete`,
  ]);
  expect(notes.inTotal()).toBe(`3 requests to ${host} without a usable answer (timeout 2, EPIPE 1)`);
});

test('a failure of another host is noted with that host', () => {
  const noted: string[] = [];
  const notes = createFailureNotes(host, (text) => noted.push(text));
  notes.failed({ code: 'EPIPE', host });
  notes.failed({ code: 'EPIPE' });
  notes.failed({ code: 'EPIPE', host: 'login.example.com' });
  expect(noted).toEqual([
    `connection to ${host} failed: EPIPE, the connection broke before the answer was complete`,
    'connection to login.example.com failed: EPIPE, the connection broke before the answer was complete',
  ]);
  expect(notes.inTotal()).toBe(`3 requests to ${host} without a usable answer (EPIPE 2, login.example.com: EPIPE 1)`);
});
