/** `verify --extract`: compares the amounts of the ledger with an extract of the operator, without the service. */
import { join } from 'node:path';
import type {
  ExtractComparison,
  ExtractDifference,
} from '../../../migration/operations/verify/compare-with-extract.js';
import { typeInWords } from '../../../migration/report/summary/amount-words.js';
import { amountInWords } from '../../../migration/shared/decimal.js';
import { counted, number } from '../../../migration/shared/format.js';
import { oneLine } from '../../../migration/shared/printable.js';
import type { RunFlags } from '../../options/run-options.js';
import type { CommandContext } from '../../shared/command-context.js';
import { EXIT } from '../../shared/exit-codes.js';

type ExtractFlags = RunFlags & { extract: string; encoding?: string; json?: true; limit?: number };

/** The differences, in the run folder. */
const DIFFERENCES = 'extract-differences.csv';
/** Printed differences without `--limit`. */
const DEFAULT_LIMIT = 10;

export async function verifyExtract(flags: ExtractFlags, { out, exit }: CommandContext): Promise<void> {
  const { withLedgerOf } = await import('../../open/run-folder.js');
  const { isOfRun, openExistingRunFolder } = await import('../../../migration/report/folder/run-folder.js');
  const { compareWithExtract, EXTRACT_HEADER } = await import(
    '../../../migration/operations/verify/compare-with-extract.js'
  );
  const { readExtract } = await import('../../../migration/operations/verify/extract-rows.js');
  const { writeWhole } = await import('../../../migration/shared/write-atomically.js');
  const { limit = DEFAULT_LIMIT } = flags;
  const listed = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const { comparison, file } = await withLedgerOf(flags, async (ledger) => {
    const extract = await readExtract(flags.extract, flags.encoding);
    // A ledger on a server can be verified from a machine that has no run folder.
    if (!(await isOfRun(flags.run))) {
      return { comparison: await compareWithExtract(ledger, extract, async () => {}, listed), file: undefined };
    }
    const { audit } = await openExistingRunFolder(flags.run);
    const path = join(flags.run, DIFFERENCES);
    const { written: found } = await writeWhole([path], async ([write]) => {
      await write(EXTRACT_HEADER);
      return compareWithExtract(ledger, extract, write, listed);
    });
    const what = `verify --extract: ${agreementInWords(found)}`;
    await audit.append({ at: new Date().toISOString(), by: 'operator', what });
    return { comparison: found, file: path };
  });
  out(flags.json ? `${JSON.stringify({ ...comparison, file: file ?? null })}\n` : inWords(comparison, file));
  exit(comparison.differing + comparison.unread > 0 ? EXIT.mismatch : EXIT.ok);
}

/** Prints the extract that the operator is expected to export, with the amounts of the ledger. */
export async function printExtractSample(flags: RunFlags, { out, exit }: CommandContext): Promise<void> {
  const { withLedgerOf } = await import('../../open/run-folder.js');
  const { extractSample } = await import('../../../migration/operations/verify/extract-sample.js');
  await withLedgerOf(flags, async (ledger) => {
    for await (const row of extractSample(ledger)) out(row);
  });
  exit(EXIT.ok);
}

function inWords(comparison: ExtractComparison, file: string | undefined): string {
  const { different, notInExtract, notInLedger, otherwiseWritten, unread, firstUnread } = comparison;
  const { first, found, withUnreadRow } = comparison;
  const lines = comparison.totals.map(({ type, ledger, extract }) => {
    const sums = `${amountInWords(ledger.sum)} (${number(ledger.count)}) confirmed, ${amountInWords(extract.sum)} (${number(extract.count)}) in the extract`;
    return `${typeInWords(type)}: ${sums}`;
  });
  if (withUnreadRow > 0 && lines.length > 0) {
    lines.push(`These sums leave out ${counted(withUnreadRow, 'account that is', 'accounts that are')} not compared.`);
  }
  lines.push(...first.map(differenceInWords));
  if (found > first.length) {
    const where = file === undefined ? '. --limit 0 prints all.' : ` in ${DIFFERENCES}`;
    lines.push(`… and ${number(found - first.length)} more${where}`);
  }
  const say = (count: number, words: string) => {
    if (count > 0) lines.push(`${number(count).padStart(7)}  ${words}`);
  };
  say(different, '! Another number or sum of amounts in the extract. Ask the operator which one is correct.');
  say(
    notInExtract,
    '- Confirmed by the service, and not in the extract. Ask the operator whether the extract is complete.',
  );
  say(
    otherwiseWritten,
    '+ In the extract with a number that the ledger has with other zeros, letter case or signs, such as 1 for 001. A spreadsheet may have changed it: export the column as text.',
  );
  say(
    notInLedger - otherwiseWritten,
    '+ In the extract, and not in the ledger. Another run or a person has imported them.',
  );
  say(unread, `? Rows that cannot be read. The first is line ${firstUnread?.line}: ${firstUnread?.problem}.`);
  say(withUnreadRow, '? Accounts that are not compared, because one of their rows cannot be read.');
  if (comparison.isWithoutStatements) lines.push('Statements are not compared: the extract has none.');
  if (found + unread > 0 && file !== undefined) lines.push(`Differences by account: ${file}`);
  lines.push(`= ${agreementInWords(comparison)}`);
  return `${lines.join('\n')}\n`;
}

function agreementInWords({ same, differing, rows }: ExtractComparison): string {
  return `${number(same)} accounts agree, ${number(differing)} differ; ${counted(rows, 'row')} read`;
}

const SIGNS: Readonly<Record<ExtractDifference['problem'], string>> = {
  different: '!',
  'not in the extract': '-',
  'not in the ledger': '+',
};

/** Returns `! ACME A-1 CHARGE: 0.30 (2) confirmed, 0.31 (1) in the extract, difference 0.01`. */
function differenceInWords({
  problem,
  supplier,
  account,
  type,
  ledger,
  extract,
  difference,
}: ExtractDifference): string {
  const who = oneLine(supplier === '' ? account : `${supplier} ${account}`);
  const confirmed = `${amountInWords(ledger.sum)} (${number(ledger.count)}) confirmed`;
  const inExtract = `${amountInWords(extract.sum)} (${number(extract.count)}) in the extract`;
  return `${SIGNS[problem]} ${who} ${typeInWords(type)}: ${confirmed}, ${inExtract}, difference ${amountInWords(difference)}`;
}
