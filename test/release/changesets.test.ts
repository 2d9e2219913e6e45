/** A changeset becomes the next version and its part of the changelog, only on this machine. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { newFolder } from '../helpers/folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

it('VERSION is the version in package.json', () => {
  expect(VERSION).toBe(json(join(ROOT, 'package.json')).version);
});

it('a changeset becomes a version everywhere, and a part of CHANGELOG.md above the earlier ones', {
  tags: 'long',
}, () => {
  const folder = newFolder('release-');
  // Not the changesets that wait for the next version.
  for (const name of ['.changeset/config.json', '.ci', 'package.json', 'package-lock.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## 0.1.0\n\n- The first.\n');
  writeFileSync(join(folder, 'src/version.ts'), "/** Why. */\nexport const VERSION = '0.1.0';\n");
  writeFileSync(join(folder, '.changeset/a-name.md'), "---\n'data-import-sdk': minor\n---\n\nOne thing more.\n");
  const { scripts, ...rest } = json(join(folder, 'package.json'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, version: '0.1.0', scripts }));

  execFileSync('npm', ['run', 'version-packages'], {
    cwd: folder,
    stdio: 'pipe',
    shell: process.platform === 'win32',
    // npm would ask its registry for a newer npm.
    env: { ...process.env, NPM_CONFIG_UPDATE_NOTIFIER: 'false' },
  });

  expect(json(join(folder, 'package.json')).version).toBe('0.2.0');
  const lock = json(join(folder, 'package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual(['0.2.0', '0.2.0']);
  expect(readFileSync(join(folder, 'src/version.ts'), 'utf8')).toBe("/** Why. */\nexport const VERSION = '0.2.0';\n");
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changelog\n\n## 0\.2\.0\n\n### Minor Changes\n\n- One thing more\.\n\n## 0\.1\.0\n\n- The first\.\n$/,
  );
});
