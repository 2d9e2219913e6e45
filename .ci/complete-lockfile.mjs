/**
 * Adds to package-lock.json the optional packages of other platforms that are missing from it. A registry that mirrors
 * one platform only makes npm leave them out, and `npm ci` then refuses the file. Run after `npm install`:
 * node .ci/complete-lockfile.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
let added = 0;
for (const [path, parent] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    if (places.some((place) => lock.packages[place]?.version === version)) continue;
    const os = OS.find((word) => name.includes(word));
    const cpu = CPU.find((word) => name.includes(word));
    // Anything else that is missing is a real fault of the file.
    if (os === undefined || cpu === undefined || !/^\d/.test(version)) continue;
    const taken = lock.packages[places[1]] !== undefined;
    lock.packages[taken ? places[0] : places[1]] = {
      version,
      cpu: [cpu],
      ...(parent.dev && { dev: true }),
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
      optional: true,
      os: [os],
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added`);
