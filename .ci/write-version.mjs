/** Writes the version of package.json into src/version.ts, and where the lock file has it: the last step of `npm run version-packages`. */
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const source = readFileSync('src/version.ts', 'utf8');
writeFileSync('src/version.ts', source.replace(/VERSION = '[^']*'/, `VERSION = '${version}'`));

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
lock.version = version;
lock.packages[''].version = version;
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
