/** `unencryptedConnections`: warnings about connections of a command that others on the network can read. */

export interface ConnectionFlags {
  database?: string;
  notify?: string;
}

/** Resolves with a line for each. The service itself is reached by https only. */
export async function unencryptedConnections({ database = '', notify }: ConnectionFlags): Promise<string[]> {
  const found: string[] = [];
  if (/^postgres(?:ql)?:/i.test(database)) {
    const { tlsWarning } = await import('../../migration/ledger/postgres/tls-warning.js');
    const warning = await tlsWarning(database);
    if (warning !== undefined) found.push(`warning: --database: ${warning}\n`);
  }
  const url = URL.canParse(notify ?? '') ? new URL(notify ?? '') : undefined;
  if (url?.protocol === 'http:') {
    const { isReachedDirectly } = await import('../../http/transport/address.js');
    const risk = 'other machines may read the notifications, and the path of the URL. Give its https address.';
    if (!isReachedDirectly(url.origin)) found.push(`warning: --notify: ${url.host} is used without TLS: ${risk}\n`);
  }
  return found;
}
