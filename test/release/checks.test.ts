/** The checks before the suite and before a release, each on files with one fault. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../helpers/folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = ['package.json', 'package-lock.json', 'src/version.ts', 'CHANGELOG.md'];

/** Runs a check on a copy of the files in which `change` has changed one. */
function check(script: string, change: (folder: string) => void, variables: Record<string, string> = {}) {
  const folder = newFolder('checks-');
  mkdirSync(join(folder, 'src'));
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  change(folder);
  const env = { PATH: process.env['PATH'], ...variables };
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci', script)], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stderr };
}

function replaceIn(file: string, from: string | RegExp, to: string): (folder: string) => void {
  return (folder) => {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(from);
    writeFileSync(path, text.replace(from, to));
  };
}

describe('the version', () => {
  it('is the same everywhere', () => {
    expect(check('check-version.mjs', () => {})).toEqual({ status: 0, stderr: '' });
  });

  it.each([
    ['package-lock.json', /"version": "[^"]+"/, '"version": "9.9.9"', '- package-lock.json: 9.9.9'],
    ['src/version.ts', /VERSION = '[^']+'/, "VERSION = '9.9.9'", '- src/version.ts: 9.9.9'],
    ['CHANGELOG.md', /^## \S+/m, '## 9.9.9', '- CHANGELOG.md, first heading: 9.9.9'],
    ['CHANGELOG.md', /^## /gm, '', '- CHANGELOG.md, first heading: none'],
  ])('another one in %s stops the suite', (file, from, to, line) => {
    const { status, stderr } = check('check-version.mjs', replaceIn(file, from, to));
    expect(status).toBe(1);
    expect(stderr).toContain(`${line}\n`);
    expect(stderr).toContain('Run "node .ci/write-version.mjs"');
  });
});

describe('a release', () => {
  /** The test holds also after the first release, when package.json has real addresses. */
  const addresses = (host: string) => (folder: string) => {
    const path = join(folder, 'package.json');
    const url = `https://${host}/data-import-sdk`;
    const repository = { type: 'git', url: `git+${url}.git` };
    const bugs = { url: `${url}/issues` };
    const changed = { ...JSON.parse(readFileSync(path, 'utf8')), repository, homepage: `${url}#readme`, bugs };
    writeFileSync(path, JSON.stringify(changed));
  };
  const filledIn = addresses('code.example/acme');
  const ci = { GITHUB_SERVER_URL: 'https://code.example', GITHUB_REPOSITORY: 'acme/data-import-sdk' };

  it('is refused while package.json has the placeholders of CONTRIBUTING.md', () => {
    const { status, stderr } = check('check-release.mjs', addresses('repository.example.com'));
    expect(status).toBe(1);
    expect(stderr).toContain(
      '- repository.url is git+https://repository.example.com/data-import-sdk.git, a placeholder. Write the real address into it.\n',
    );
    expect(stderr).toContain('- homepage is https://repository.example.com/');
    expect(stderr).toContain('- bugs.url is https://repository.example.com/');
  });

  it('passes with real addresses, in the repository that they name', () => {
    expect(check('check-release.mjs', filledIn, ci)).toEqual({ status: 0, stderr: '' });
  });

  it('is refused in another repository, because the registry rejects its provenance', () => {
    const { status, stderr } = check('check-release.mjs', filledIn, {
      ...ci,
      GITHUB_REPOSITORY: 'fork/data-import-sdk',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('git+https://code.example/fork/data-import-sdk.git publishes');
  });
});
