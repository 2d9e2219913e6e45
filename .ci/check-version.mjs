/** Ends with 1 unless package.json, the lock file, src/version.ts and CHANGELOG.md name the same version: runs before `npm test`. */
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(path, 'utf8');
const { version } = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json'));
const found = {
  'package-lock.json': lock.version,
  'package-lock.json, its package ""': lock.packages[''].version,
  'src/version.ts': /VERSION = '([^']*)'/.exec(read('src/version.ts'))?.[1],
  // The newest release stands first.
  'CHANGELOG.md, first heading': /^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1],
};
const others = Object.entries(found).filter(([, each]) => each !== version);
if (others.length > 0) {
  console.error(`package.json has version ${version}, but:`);
  for (const [place, each] of others) console.error(`- ${place}: ${each ?? 'none'}`);
  console.error(
    'Run "node .ci/write-version.mjs" for the files; write the heading of CHANGELOG.md by hand, or with "npx @changesets/cli".',
  );
  process.exitCode = 1;
}
