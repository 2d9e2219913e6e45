/** A source of a query of which nearly no row can be read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openInput } from 'data-import-sdk/migration';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../helpers/folder.js';

test('a file of which nearly no row can be read ends the command before its rows fill the memory', async () => {
  const folder = newFolder('unreadable-');
  writeFileSync(join(folder, 'a.csv'), `a;b\n${`x${'y'.repeat(1_000_000)}\n`.repeat(80)}`);
  const query = join(folder, 'q.sql');
  writeFileSync(query, '-- source s: a.csv\nSELECT { a: a } AS account FROM s');
  const reading = async () => {
    const input = await openInput([query], { spoolFolder: folder });
    onTestFinished(() => input.close());
    for await (const _ of input);
  };
  expect(await reading().catch((cause: Error) => cause)).toMatchObject({
    message: expect.stringMatching(
      /a\.csv:2: The row has 1 field, and the header 2 columns\..* More than \d+ rows of the file cannot be read; check delimiter, quote and encoding of its declaration\.$/,
    ),
  });
});
