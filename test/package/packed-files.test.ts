/** The files of the package, by name, and their size: what is published changes only on purpose. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, pack, root, run } from './consumer.js';

const [packed] = JSON.parse(run(root, 'npm', 'pack', '--dry-run', '--json', '--ignore-scripts')) as [
  { unpackedSize: number; files: { path: string }[] },
];

test('the package has exactly the files of packed-files.txt', async () => {
  // The bundler names chunks, by their content.
  const names = packed.files.map(({ path }) =>
    path.replace(/^dist\/[\w-]+-[\w-]{8}(?=\.([cm]?js|d\.c?ts)$)/, 'dist/(chunk)'),
  );
  const list = [...new Set(names)].sort().join('\n');
  await expect(
    `${list}\n`,
    'The files of the package differ from test/package/packed-files.txt. If a file is published by mistake, exclude it in ' +
      '"files" of package.json. If you mean the change, run "npx vitest run --config vitest.full.config.ts packed-files -u" after a build, ' +
      'and review the difference of the list.',
  ).toMatchFileSnapshot('packed-files.txt');
});

test('the unpacked package is not larger than is stated', () => {
  // The report on fidelity, the pages of certify and learn were added to 4.85 MB.
  expect(packed.unpackedSize, 'See what is new in it.').toBeLessThan(5_300_000);
});

test('the bill of materials of a release names the package and all its dependencies', () => {
  const { folder, remove } = emptyFolder();
  onTestFinished(remove);
  const file = join(folder, 'sbom.cdx.json');
  run(root, 'node', '.ci/sbom.mjs', pack(folder), file);
  const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string;
    components: { name: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const names = components.map(({ name }) => name);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(names).toEqual(expect.arrayContaining(['data-import-sdk', ...Object.keys(dependencies)]));
  // Optional peers are not installed with it.
  expect(names).not.toContain('msw');
});
