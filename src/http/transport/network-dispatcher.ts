/** Exports `networkDispatcher`: connections through a proxy and with certificates, for the option `dispatcher` of a client. */
import type { Dispatcher } from 'undici';
import { refuseUnknownOptions } from '../../validation/known-names.js';
import { isReachedDirectly } from './address.js';
import type { DispatcherLike } from './dispatcher-transport.js';
import { failedToConnect, PROXY_FAILED } from './wire.js';

/** Certificates and a key as texts in PEM. */
export interface TlsOptions {
  /**
   * Certificates of the authorities to trust, in place of those that Node.js trusts.
   * @default those of Node.js and of the file in NODE_EXTRA_CA_CERTS
   */
  ca?: string | readonly string[] | undefined;
  /** Certificate of this client with its chain, for a service that asks for one. */
  cert?: string | undefined;
  /** Private key of that certificate. */
  key?: string | undefined;
  /** Passphrase of the key, if it is encrypted. */
  passphrase?: string | undefined;
}

/** Options of `networkDispatcher`. */
export interface NetworkOptions {
  /**
   * Address of an HTTP proxy, such as `http://user:password@proxy.example.com:3128`. `'environment'`: the address that the variables
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` have for the service. A loopback host is always reached without a proxy.
   * @default no proxy
   */
  proxy?: string | undefined;
  /** Certificates and a key. */
  tls?: TlsOptions | undefined;
}

/** A dispatcher for undici. The caller closes it after the client. */
export interface NetworkDispatcher extends DispatcherLike {
  /** Resolves when the requests in flight have ended. */
  close(): Promise<void>;
}

/**
 * Opens connections for a client in a company network. Rejects with a `TypeError` for an unknown option, and for an
 * address or a certificate that is invalid.
 *
 * @example
 * const dispatcher = await networkDispatcher({ proxy: 'environment' });
 * const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'token', dispatcher });
 */
export async function networkDispatcher(options: NetworkOptions): Promise<NetworkDispatcher> {
  refuseUnknownOptions('networkDispatcher', options, ['proxy', 'tls']);
  const { proxy, tls } = options;
  if (tls !== undefined) await expectTls(tls);
  if (proxy !== undefined && proxy !== 'environment') expectProxy(proxy);
  const { Agent, EnvHttpProxyAgent, Pool, ProxyAgent } = await import('undici');
  const { ca, cert, key, passphrase } = tls ?? {};
  const certificates = { ca: ca as string | string[] | undefined, cert, key, passphrase };
  const direct = new Agent(tls === undefined ? {} : { connect: certificates });
  if (proxy === undefined) return choosing(direct, direct);
  const parts = {
    // As undici 7 does by default and undici 8 does not: the proxy sees no header of a request, such as the token.
    proxyTunnel: true,
    // After the error code of a closed connection, undici asks the proxy again and again, without a pause. Another code ends that.
    clientFactory(proxyOrigin: URL, settings: object): Dispatcher {
      const pool = new Pool(proxyOrigin, settings);
      const open = pool.connect.bind(pool) as (tunnel: object) => Promise<unknown>;
      const connect = (tunnel: object) =>
        open(tunnel).catch((cause: unknown) => {
          throw failedToConnect(cause)
            ? cause
            : Object.assign(new Error(PROXY_FAILED, { cause }), { code: PROXY_FAILED });
        });
      return Object.assign(pool, { connect }) as Dispatcher;
    },
    // The proxy gets neither certificate nor key of the client.
    ...(tls !== undefined && { requestTls: certificates }),
    ...(ca !== undefined && { proxyTls: { ca: certificates.ca } }),
  };
  if (proxy !== 'environment') return choosing(direct, new ProxyAgent({ uri: proxy, ...parts }));
  try {
    return choosing(direct, new EnvHttpProxyAgent({ ...parts, ...(tls !== undefined && { connect: certificates }) }));
  } catch (error) {
    throw new TypeError(`HTTPS_PROXY, HTTP_PROXY: ${EXPECTED_PROXY}`, { cause: error });
  }
}

/** Returns a `fetch` through a dispatcher of `networkDispatcher`; without one, through connections that undici shares. */
export async function fetchThrough(dispatcher: NetworkDispatcher | undefined) {
  const { fetch } = await import('undici');
  return (url: string, init: RequestInit) =>
    fetch(url, { ...init, dispatcher } as never) as Promise<unknown> as Promise<Response>;
}

/** Functions instead of a dispatcher of undici, which `util.inspect` prints with the password of the proxy and the key. */
function choosing(direct: Dispatcher, proxied: Dispatcher): NetworkDispatcher {
  return {
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      const isDirect = options.origin !== undefined && isReachedDirectly(String(options.origin));
      return (isDirect ? direct : proxied).dispatch(options, handler);
    },
    async close() {
      await Promise.all([...new Set([direct, proxied])].map((one) => one.close()));
    },
  };
}

const EXPECTED_PROXY = 'expected the address of an HTTP proxy, such as http://proxy.example.com:3128.';

/** Does not quote the address, which may have a password. */
function expectProxy(address: string): void {
  const { protocol = '' } = URL.canParse(address) ? new URL(address) : {};
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new TypeError(`proxy: ${EXPECTED_PROXY}`);
}

async function expectTls(options: TlsOptions): Promise<void> {
  refuseUnknownOptions('tls', options, ['ca', 'cert', 'key', 'passphrase']);
  const { ca, cert, key, passphrase } = options;
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('tls: expected cert and key together. A service that asks for a certificate needs both.');
  }
  // OpenSSL ignores a text without a certificate, and would then trust nothing.
  if (
    ca !== undefined &&
    ![ca].flat().every((text) => typeof text === 'string' && text.includes('-----BEGIN CERTIFICATE-----'))
  ) {
    throw new TypeError('tls: ca has no certificate. Expected a text in PEM, with "-----BEGIN CERTIFICATE-----".');
  }
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext({ ca: ca as string | string[], cert, key, passphrase });
  } catch (error) {
    throw new TypeError(
      `tls: the certificates or the key cannot be used (${(error as Error).message}). Expected texts in PEM, and a key that belongs to the certificate.`,
      { cause: error },
    );
  }
}
