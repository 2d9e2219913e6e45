/**
 * Writes the software bill of materials of a tarball, in CycloneDX: the package and all that npm installs with it.
 *
 *     node .ci/sbom.mjs <tarball> <file>
 *
 * It installs the tarball into an empty folder, because the lock file marks packages that a development dependency needs
 * too as peers, and `npm sbom --omit dev` leaves these out.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [tarball, file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node .ci/sbom.mjs <tarball> <file>');

const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
const npm = (...args) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', version: '0.0.0', private: true }));
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', resolve(tarball));
  writeFileSync(file, npm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
