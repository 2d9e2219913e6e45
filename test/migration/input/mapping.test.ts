/** Mapping modules: what is loaded, and what is said where it cannot be. */
import { describe, expect, test } from 'vitest';
import { loadMap } from '../../../src/migration/input/csv/load-mapping.js';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import { describeItems, folderWith } from './reading.js';

const FUNCTION = '({ number }) => ({ account: { import_supplier: "SUP", external_account_number: number } })';
const COMMONJS = { 'package.json': '{"type":"commonjs"}' };
const MODULE = { 'package.json': '{"type":"module"}' };

describe('is loaded', () => {
  test.each([
    ['an ES module', { 'map.mjs': `export default ${FUNCTION};` }, 'map.mjs'],
    ['an ES module by its package', { ...MODULE, 'map.js': `export default ${FUNCTION};` }, 'map.js'],
    ['CommonJS', { 'map.cjs': `module.exports = ${FUNCTION};` }, 'map.cjs'],
    ['CommonJS by its package', { ...COMMONJS, 'map.js': `module.exports = ${FUNCTION};` }, 'map.js'],
    [
      'what TypeScript makes for CommonJS',
      { 'map.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${FUNCTION};` },
      'map.cjs',
    ],
    [
      'with other modules',
      { 'map.mjs': `import f from './f.mjs'; export default f;`, 'f.mjs': `export default ${FUNCTION};` },
      'map.mjs',
    ],
    ['a name with blanks', { 'my map.mjs': `export default ${FUNCTION};` }, 'my map.mjs'],
  ])('%s', async (_, files, name) => {
    const { at } = await folderWith({ ...files, 'input.csv': 'number\nA-1\n' });
    const map = await loadMap(at(name));
    expect(await describeItems(await openInput([at('input.csv')], { map }))).toEqual(['2 A-1']);
  });
});

describe('is refused, with what was expected', () => {
  test('a file of records', async () => {
    const { at } = await folderWith({ 'map.jsonl': '{}' });
    await expect(loadMap(at('map.jsonl'))).rejects.toThrow(
      /map\.jsonl: it is no module: its name ends neither with \.mjs, \.js or \.cjs nor with \.ts; expected a module/,
    );
  });

  test.each([
    ['no such file', {}, /--map .*map\.mjs: there is no such file/],
    ['no default export', { 'map.mjs': `export const map = ${FUNCTION};` }, /the default export is missing/],
    ['a default that is no function', { 'map.mjs': 'export default {};' }, /the default export is object/],
    ['a syntax error', { 'map.mjs': 'export default (' }, /it cannot be loaded \(/],
    ['a module that throws', { 'map.mjs': 'throw new Error("no settings");' }, /it cannot be loaded \(no settings\)/],
    ['a module that throws nothing', { 'map.mjs': 'throw undefined;' }, /it cannot be loaded/],
  ])('%s', async (_, files, message) => {
    const { at } = await folderWith(files);
    const loading = loadMap(at('map.mjs'));
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow(
      /expected a module whose default export is a function \(row, \{ file, line \}\) => record, or \{ map, delimiter, skipLines, quote \} with it\.$/,
    );
    await expect(loading).rejects.toBeInstanceOf(InputError);
  });
});
