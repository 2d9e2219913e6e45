/**
 * Exports `withProxy`, which names the proxy and its variable if a check of the address failed because of the proxy, and `hostWithProxy`,
 * which names it in messages about failed requests of a run.
 */
import { isReachedDirectly } from '../../http/transport/address.js';
import { proxyRefusal } from '../../http/transport/wire.js';
import type { Check } from '../../migration/operations/preflight/check.js';
import { causeInWords } from '../../migration/shared/connection-failure.js';
import { PROXY_VARIABLES } from '../open/connection.js';

/** The proxy for requests to a service, and the variable that names it. */
interface Proxy {
  variable: string;
  url: URL;
}

/** What an error of the system says about the connection that failed. A timeout has none of it. */
interface FailedAddress {
  code?: string;
  address?: string;
  hostname?: string;
  port?: number;
}

/**
 * Returns the check of the address. Requests go through a proxy if a variable names one: a failed connection is then one to the
 * proxy, unless the error names another address, as for a host in NO_PROXY. `error`: of the call.
 */
export function withProxy(
  check: Check,
  { baseUrl, error }: { baseUrl: string; error: unknown },
  env: NodeJS.ProcessEnv = process.env,
): Check {
  const proxy = proxyFor(new URL(baseUrl), env);
  if (proxy === undefined || check.result !== 'failed') return check;
  const { variable, url } = proxy;
  const unless = `If ${new URL(baseUrl).host} needs no proxy, unset ${variable} or add the host to NO_PROXY.`;
  const refusal = causesOf(error)
    .map(proxyRefusal)
    .find((one) => one !== undefined);
  if (refusal !== undefined) {
    return {
      ...check,
      detail: refusal.what.replace('the proxy', () => `the proxy ${url.host} (from ${variable})`),
      remedy: `Check the proxy and its credentials in ${variable}. ${unless}`,
    };
  }
  const failed = failedAddressIn(error);
  // With equal ports, an address does not tell which of the two a host in NO_PROXY was.
  const isUnclear = portOf(url) === portOf(new URL(baseUrl)) && Boolean(env['no_proxy'] ?? env['NO_PROXY']);
  if (failed?.code === undefined || !isOf(url, failed, isUnclear)) {
    const remedy = `${check.remedy} Requests go through the proxy ${url.host} in ${variable}, unless NO_PROXY has the host.`;
    return { ...check, remedy };
  }
  return {
    ...check,
    detail: causeInWords({ host: `the proxy ${url.host} (from ${variable})`, code: failed.code }),
    remedy: `Check host and port in ${variable}, and whether the proxy runs. ${unless}`,
  };
}

/**
 * Returns the host with the proxy of its requests: `api.example.com (through the proxy proxy.example.com:3128 in HTTPS_PROXY)`; only the host
 * if no variable names a proxy. `target`: `sandbox`, or the address of the service.
 */
export function hostWithProxy(host: string, target: string, env: NodeJS.ProcessEnv = process.env): string {
  const proxy = URL.canParse(target) ? proxyFor(new URL(target), env) : undefined;
  if (proxy === undefined) return host;
  const unless = (env['no_proxy'] ?? env['NO_PROXY']) ? ', unless NO_PROXY has the host' : '';
  return `${host} (through the proxy ${proxy.url.host} in ${proxy.variable}${unless})`;
}

/** Returns the reason why a session ended, with the proxy after the host of the service. */
export function reasonWithProxy(reason: string, target: string, env: NodeJS.ProcessEnv = process.env): string {
  if (!URL.canParse(target)) return reason;
  const { host } = new URL(target);
  return reason.replace(host, () => hostWithProxy(host, target, env));
}

/** As undici chooses it: lower case first, and the one for HTTP also for HTTPS. */
function proxyFor({ protocol, origin }: URL, env: NodeJS.ProcessEnv): Proxy | undefined {
  if (isReachedDirectly(origin)) return undefined;
  const ofHttp = ['http_proxy', 'HTTP_PROXY'];
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY', ...ofHttp] : ofHttp;
  const variable = names.find((name) => PROXY_VARIABLES.includes(name) && env[name]);
  const address = variable === undefined ? '' : (env[variable] ?? '');
  return variable === undefined || !URL.canParse(address) ? undefined : { variable, url: new URL(address) };
}

/** Returns the error, its cause, the cause of that, and so on. */
function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Returns the first cause that names an address; undefined if none does. */
function failedAddressIn(error: unknown): FailedAddress | undefined {
  const all = causesOf(error).map((cause) => (cause instanceof AggregateError ? cause.errors[0] : cause));
  return all.find((one?: FailedAddress) => one?.address !== undefined || one?.hostname !== undefined);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

function portOf({ port, protocol }: URL): number | undefined {
  return port === '' ? DEFAULT_PORTS[protocol] : Number(port);
}

function isOf(proxy: URL, { address, hostname, port }: FailedAddress, isUnclear: boolean): boolean {
  if (hostname !== undefined) return hostname === proxy.hostname;
  const isIp = /^[\d.]+$|^\[/.test(proxy.hostname);
  return port === portOf(proxy) && (isIp ? proxy.hostname.replace(/^\[|\]$/g, '') === address : !isUnclear);
}
