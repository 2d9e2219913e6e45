/** Certificates of a company's own authority, made by openssl. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram } from './debian.js';

const OPENSSL = '/usr/bin/openssl';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Whether openssl is there, or could be installed; otherwise prints one line with the skipped tests. */
export const hasOpenssl = (skipped: string): boolean => hasProgram(OPENSSL, 'openssl', skipped);

/** Of this machine, for a server. */
export const OF_SERVER = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
export const OF_CLIENT = 'extendedKeyUsage=clientAuth';

export interface Authority {
  /** Path of the certificate of the authority, `ca.pem`. */
  ca: string;
  /** Writes `<name>.pem` and `<name>.key`, and returns their paths. */
  issue(name: string, extension: string): { cert: string; key: string };
  openssl(...args: string[]): void;
}

/** Creates an authority, whose files are in the folder. */
export function createAuthority(folder: string): Authority {
  const openssl = (...args: string[]) => void execFileSync(OPENSSL, args, { cwd: folder, stdio: 'ignore' });
  const about = ['-days', '2', '-subj', '/CN=Company authority'];
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', ...about);
  return {
    ca: join(folder, 'ca.pem'),
    openssl,
    issue(name, extension) {
      writeFileSync(join(folder, `${name}.ext`), `${extension}\n`);
      openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
      return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    },
  };
}
