/**
 * Runs types and suite with the newest majors of the dependencies, in a temporary copy of the files that git knows.
 *
 *     npm run test:newest                    all of them together
 *     npm run test:newest -- undici kysely   only these, to find the one that breaks a test
 *
 * Ends with 1, and with the failed tests and the versions, if a test fails. They need Node 22.19 or newer.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NEWEST = {
  commander: 'commander',
  kysely: 'kysely',
  'log-update': 'log-update',
  msw: 'msw',
  // With the newest API that it accepts, which may not be the newest.
  opentelemetry: '@opentelemetry/sdk-trace-base',
  'p-retry': 'p-retry',
  undici: 'undici',
};

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in NEWEST));
if (unknown.length > 0) end(`Unknown: ${unknown.join(', ')}. Expected: ${Object.keys(NEWEST).join(', ')}.`, 2);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  end(`Node ${process.version} is too old for them. Run: npx -p node@24 node .ci/newest.mjs`, 2);
}

const folder = mkdtempSync(join(tmpdir(), 'newest-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
copyTo(folder);
const names = (chosen.length > 0 ? chosen : Object.keys(NEWEST)).flatMap((name) => NEWEST[name]);

step('npm cannot install them together', 'npm', [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  ...names.map((name) => `${name}@latest`),
]);
const versions = names.map((name) => `${name} ${json(join(folder, 'node_modules', name, 'package.json')).version}`);
console.log(`\nWith ${versions.join(', ')} on Node ${process.version}:\n`);
const failures = [];
failures.push(...typeErrors());
const report = join(folder, 'newest.json');
const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
const status = run(process.execPath, [
  vitest,
  'run',
  '--reporter=dot',
  '--reporter=json',
  `--outputFile.json=${report}`,
]);
failures.push(...failedTests(report, status));

if (failures.length > 0) end(`\nFailed with ${versions.join(', ')}:\n- ${failures.join('\n- ')}`, 1);
console.log(`\nPassed with ${versions.join(', ')}.`);

/** The files of the working tree that git knows, or would add. */
function copyTo(target) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(name))) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(file, join(target, file));
  }
}

function run(command, args) {
  const shell = process.platform === 'win32';
  return (
    spawnSync(command, args, { cwd: folder, stdio: 'inherit', shell, env: { ...process.env, NO_COLOR: '1' } }).status ??
    1
  );
}

/** Those of the package. Tests and examples are written for the versions in the lock file. */
function typeErrors() {
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', '.'], { cwd: folder, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => /^(src|schemas)\//.test(line));
}

function step(failure, command, args) {
  if (run(command, args) !== 0) end(`\n${failure}: ${names.join(', ')}`, 1);
}

function failedTests(path, code) {
  let files;
  try {
    files = json(path).testResults;
  } catch {
    return ['the suite did not run (see above)'];
  }
  const failed = files.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(folder.length + 1);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0 && status === 'failed') return [`${file}: ${message.split('\n')[0]}`];
    return tests.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${failureMessages[0]?.split('\n')[0]}`);
  });
  return failed.length === 0 && code !== 0 ? ['the suite, outside of a test (see above)'] : [...new Set(failed)];
}

function end(message, code) {
  console.error(message);
  process.exit(code);
}
