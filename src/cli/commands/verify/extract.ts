/** `verify --extract`, which loads this file: compares the amounts of the ledger with an extract of the operator, without the service. */
import { join } from 'node:path';
import {
  compareWithExtract,
  EXTRACT_HEADER,
  type ExtractComparison,
  type ExtractDifference,
  type UnknownAnswer,
} from '../../../migration/operations/verify/compare-with-extract.js';
import { readExtract } from '../../../migration/operations/verify/extract-rows.js';
import { extractSample } from '../../../migration/operations/verify/extract-sample.js';
import { isOfRun, openExistingRunFolder } from '../../../migration/report/folder/run-folder.js';
import { typeInWords } from '../../../migration/report/summary/amount-words.js';
import { amountInWords } from '../../../migration/shared/decimal.js';
import { counted, number, spaced } from '../../../migration/shared/format.js';
import { oneLine } from '../../../migration/shared/printable.js';
import { writeWhole } from '../../../migration/shared/write-atomically.js';
import { withLedgerOf } from '../../open/run-folder.js';
import type { RunFlags } from '../../options/run-options.js';
import { resolveText } from '../../session/next-commands.js';
import type { CommandContext } from '../../shared/command-context.js';
import { EXIT } from '../../shared/exit-codes.js';

type ExtractFlags = RunFlags & { extract: string; encoding?: string; json?: true; limit?: number };

/** The differences, in the run folder. */
const DIFFERENCES = 'extract-differences.csv';
/** Printed differences without `--limit`. */
const DEFAULT_LIMIT = 10;

export async function verifyExtract(flags: ExtractFlags, context: CommandContext): Promise<void> {
  const { out, exit } = context;
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
  out(flags.json ? `${JSON.stringify({ ...comparison, file: file ?? null })}\n` : inWords(comparison, file, context));
  exit(comparison.differing + comparison.unread > 0 ? EXIT.mismatch : EXIT.ok);
}

/** Prints the extract that the operator is expected to export, with the amounts of the ledger. */
export async function printExtractSample(flags: RunFlags, { out, exit }: CommandContext): Promise<void> {
  await withLedgerOf(flags, async (ledger) => {
    for await (const row of extractSample(ledger)) out(row);
  });
  exit(EXIT.ok);
}

function inWords(comparison: ExtractComparison, file: string | undefined, context: CommandContext): string {
  const { otherNumber, unknownInExtract, different, notInExtract, notInLedger, otherwiseWritten } = comparison;
  const { first, found, withUnreadRow, unread, firstUnread, answers, answered } = comparison;
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
  say(
    otherNumber,
    '! Another service account number in the extract than in the ledger. Ask the operator which one is correct.',
  );
  say(
    unknownInExtract,
    '? Only items whose outcome is unknown in the ledger, and which the extract has as they were sent.',
  );
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
    '+ In the extract, and not in the ledger. Another run or a person has imported them; or they are no accounts, such as rows of totals.',
  );
  say(unread, `? Rows that cannot be read. The first is line ${firstUnread?.line}: ${firstUnread?.problem}.`);
  say(withUnreadRow, '? Accounts that are not compared, because one of their rows cannot be read.');
  lines.push(...hintsIn(comparison));
  if (comparison.isWithoutStatements) lines.push('Statements are not compared: the extract has none.');
  if (found + unread > 0 && file !== undefined) lines.push(`Differences by account: ${file}`);
  lines.push(`= ${agreementInWords(comparison)}`, ...answers.map((answer) => answerInWords(answer, context)));
  if (answered > answers.length) {
    lines.push(`… and ${counted(answered - answers.length, 'more unknown outcome')}: ${resolveText([], context)}`);
  }
  return `${lines.join('\n')}\n`;
}

function agreementInWords({ same, differing, rows }: ExtractComparison): string {
  return `${counted(same, 'account agrees', 'accounts agree')}, ${number(differing)} differ; ${counted(rows, 'row')} read`;
}

/** Says that most differences are of one kind, which has a cause. */
function hintsIn({ bothDiffer, ways }: ExtractComparison): string[] {
  return Object.entries(WAYS).flatMap(([way, [what, why]]) => {
    const count = ways[way as keyof typeof WAYS];
    if (2 * count <= bothDiffer) return [];
    return [`Differing sums ${what}: ${number(count)} of ${number(bothDiffer)}. ${why}`];
  });
}

const UNIT = 'One side has hundredths: ask the operator for the unit of the service.';

const WAYS: Readonly<Record<keyof ExtractComparison['ways'], readonly [what: string, why: string]>> = {
  oppositeSign: [
    'with the opposite sign in the extract',
    'Amounts are sent as positive numbers, and the type has the sign: ask the operator to export them so.',
  ],
  hundredfold: ['that are a hundred times as high in the extract', UNIT],
  hundredth: ['that are a hundredth in the extract', UNIT],
};

/** Returns what the extract shows about an unknown outcome, and the command for it. */
function answerInWords({ supplier, account, step, as }: UnknownAnswer, context: CommandContext): string {
  const who = oneLine(`${supplier} ${account}, ${spaced(step)}`);
  const decision = [
    { flag: '--account', value: account },
    { flag: '--step', value: step },
    { flag: '--as', value: as === 'done' ? 'done' : 'not-done' },
  ];
  const found = as ?? (step === 'process' ? 'account' : 'others');
  return `Next: ${who}: the outcome is unknown in the ledger. ${FOUND[found]}: ${resolveText(as === null ? [] : decision, context)}`;
}

const FOUND = {
  done: 'The extract has the items that were sent, so they were added. Store that',
  notDone:
    'The extract does not have the items that were sent. If it is newer than the request, they were not added. Store that',
  others: 'The extract has other amounts than those that were sent. Ask the operator what was added, then',
  account: 'The extract has the account. Ask the service',
};

const SIGNS: Readonly<Record<ExtractDifference['problem'], string>> = {
  different: '!',
  'another service account number': '!',
  'not in the extract': '-',
  'not in the ledger': '+',
};

/** Returns `! ACME A-1 CHARGE: 0.30 (2) confirmed, 0.31 (1) in the extract, difference 0.01`. */
function differenceInWords(found: ExtractDifference): string {
  const { problem, supplier, account, ledger, extract } = found;
  const who = `${SIGNS[problem]} ${oneLine(supplier === '' ? account : `${supplier} ${account}`)}`;
  if (problem === 'another service account number') {
    return oneLine(`${who}: service account number ${ledger ?? 'not known'} in the ledger, ${extract} in the extract`);
  }
  const confirmed = `${amountInWords(ledger.sum)} (${number(ledger.count)}) confirmed`;
  const inExtract = `${amountInWords(extract.sum)} (${number(extract.count)}) in the extract`;
  return `${who} ${typeInWords(found.type)}: ${confirmed}, ${inExtract}, difference ${amountInWords(found.difference)}`;
}
