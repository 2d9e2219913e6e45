/**
 * Exports `openRunFolder`: the folder with the files of a run. Only this user can read it, and version control ignores it. Every file
 * except the audit log is written to a temporary file and renamed, so that a crash leaves the former version.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { expectNotLost, LEDGER_FILE } from '../../ledger/sqlite/lost-ledger.js';
import { isNotInInput } from '../../record/changed-and-removed.js';
import { openOwn, readOwn } from '../../shared/regular-file.js';
import { writeWhole } from '../../shared/write-atomically.js';
import { reportPage } from '../html/page.js';
import type { Report, RunFacts } from '../report.js';
import { OK_HEADER, UNKNOWN_HEADER, writeRecordFiles } from '../result-files/ok-and-unknown-files.js';
import { entriesOfLedger, writeLineFiles } from '../result-files/rejected-and-missing-lines.js';
import { REJECTED_CSV, writeWithCsv } from '../result-files/write-rejected-csv.js';
import { type ErrorGroup, withPlaces } from '../summary/error-groups.js';
import { createLineLog } from '../summary/line-log.js';
import { type Summary, type SummaryOptions, summarise } from '../summary/summary.js';
import { appendOwn, createAuditLog } from './audit-log.js';
import { areAsWritten, type KeptFile, writeOver } from './edited-files.js';
import { LEDGER_NOTE, readLedgerNote } from './ledger-note.js';
import { RunFolderError, whyUnusable } from './run-folder-error.js';
import { readRunFacts, readStored, type Stored } from './stored-facts.js';

export { LEDGER_FILE };

/** Records that are not on the service, and whose line is no longer in the input. */
const NOT_IN_INPUT = 'not-in-input.jsonl';

/** Lines that differ from the record that exists. */
export const CHANGED = 'changed.jsonl';

export type RunFolder = Awaited<ReturnType<typeof openRunFolder>>;

/** Opens a run folder; creates it if it does not exist. Rejects with a `RunFolderError` for a folder with other files. */
export async function openRunFolder(path: string) {
  await prepare(path);
  const at = (name: string) => join(path, name);
  // Created at the start: an empty audit log also shows that no operator changed the run.
  await appendOwn(at('audit.log'), '');
  /** The files that `writeEnded` writes. */
  const ended = [at('ok.csv'), at('unknown.jsonl'), at('unfinished.jsonl'), at('unknown.csv')] as const;
  const lines = createLineLog(at('lines.part'), at('lines-of-input.part'));
  const edited: KeptFile[] = [];
  const store = async (name: string, value: unknown): Promise<void> => {
    // The points of the charts are many.
    const text = name === 'samples.json' ? `${JSON.stringify(value)}\n` : pretty(value);
    await writeWhole([at(name)], ([write]) => write(text));
  };
  /** Writes result files that people may have changed. */
  const writeAgain = <const Paths extends readonly string[], Written>(
    paths: Paths,
    write: Parameters<typeof writeOver<Paths, Written>>[1],
  ) => writeOver(paths, write, (kept) => edited.push(kept));
  /** Whether the last session may store values of the input. */
  const areValuesShown = async () => {
    const run = await readRunFacts(at('run.json'));
    return typeof run === 'object' && run.configuration['showPersonalData'] === true;
  };
  /** Writes the rejected records that the ledger still has. Resolves with their errors and places. */
  const writeRejected = (ledger: Ledger, withValues: boolean): Promise<ErrorGroup[]> =>
    writeAgain([at('rejected.jsonl'), at(REJECTED_CSV)], async ([jsonl, csv]) => {
      const { write, errors } = await writeWithCsv(jsonl, csv, withValues);
      await keepKnown(at('rejected.jsonl'), ledger, write);
      return errors();
    });
  const folder = {
    path,
    /** Returns the path of a file of the folder. */
    at,
    audit: createAuditLog(at('audit.log')),
    /** The result files that a person had changed, and their copies from before they were written again. */
    edited: edited as readonly KeptFile[],
    /** The lines without a separate record. `RunContext.onLine` adds to it. */
    lines,
    /** Writes run.json, at the start and the end of a session. */
    writeRun: (run: RunFacts) => store('run.json', run),
    /** Resolves with the run.json of the last session; undefined if there is none. Rejects with a `RunFolderError` if it is damaged. */
    async readRun(): Promise<RunFacts | undefined> {
      const run = await readRunFacts(at('run.json'));
      if (run !== 'damaged') return run;
      throw new RunFolderError(`${at('run.json')} is damaged. Restore it, or delete it, and run again.`);
    },
    /** Writes a file such as input.json, which a later command reads. */
    write: <Name extends keyof Stored>(name: Name, value: Stored[Name]) => store(`${name}.json`, value),
    /** Resolves with the content of such a file; undefined if it is missing or damaged. */
    read: <Name extends keyof Stored>(name: Name) => readStored(path, name),
    /**
     * Writes ok.csv, unknown.jsonl, unknown.csv and unfinished.jsonl from the ledger, in its order. Resolves with the summary, which the same
     * pass computes.
     */
    writeEnded: (ledger: Ledger, options: SummaryOptions): Promise<Summary> =>
      writeAgain(ended, async (files) => {
        await files[0](OK_HEADER);
        await files[3](UNKNOWN_HEADER);
        return summarise(ledger, options, (record, waits) => writeRecordFiles(record, waits, files));
      }),
    /** Resolves with whether these files are as they were written last. */
    isEndedWritten: () => areAsWritten(ended),
    /**
     * As `writeEnded`; also writes rejected.jsonl, rejected.csv, skipped.jsonl, incomplete.jsonl, changed.jsonl and not-in-input.jsonl, with the
     * lines of the ledger, and those of `lines`. Once per session.
     */
    async writeOutcome(ledger: Ledger, options: Omit<SummaryOptions, 'lines'> = {}): Promise<Summary> {
      const summary = await folder.writeEnded(ledger, { ...options, lines: lines.counts() });
      const withValues = await areValuesShown();
      const former = [at('rejected.jsonl'), at('skipped.jsonl'), at('incomplete.jsonl'), at(NOT_IN_INPUT)] as const;
      const paths = [...former, at(CHANGED), at(REJECTED_CSV)] as const;
      const located = await writeAgain(paths, async ([jsonl, skipped, incomplete, notInInput, changed, csv]) => {
        const { write: rejected, errors } = await writeWithCsv(jsonl, csv, withValues);
        const { hasUnsentItems } = lines;
        await writeLineFiles({ ledger, former, hasUnsentItems }, { rejected, skipped, incomplete, notInInput });
        await lines.moveTo({ rejected, skipped, incomplete, changed });
        return errors();
      });
      return { ...summary, errors: withPlaces(summary.errors, located) };
    },
    /** Resolves with the records that are not on the service and no longer in the input. */
    async recordsNotInInput(ledger: Ledger): Promise<LedgerRecord[]> {
      const found: LedgerRecord[] = [];
      for await (const record of ledger.list({ difference: 'removed' })) if (isNotInInput(record)) found.push(record);
      return found;
    },
    /** Writes rejected.csv again, with values. Resolves with the errors and their places. */
    writeRejectedWithValues: (ledger: Ledger) => writeRejected(ledger, true),
    /** Removes records that the ledger no longer has from rejected.jsonl, rejected.csv, skipped.jsonl and not-in-input.jsonl. */
    async dropForgotten(ledger: Ledger): Promise<void> {
      lines.dropKept();
      await writeRejected(ledger, await areValuesShown());
      for (const name of ['skipped.jsonl', NOT_IN_INPUT]) {
        await writeAgain([at(name)], ([write]) => keepKnown(at(name), ledger, write));
      }
    },
    /** Writes report.json and report.html. */
    writeReport: (report: Report) =>
      writeWhole([at('report.json'), at('report.html')], async ([json, html]) => {
        await json(pretty(report));
        await html(reportPage(report));
      }),
  };
  return folder;
}

/** Writes the entries of a file again, without records that the ledger does not have any more. */
async function keepKnown(file: string, ledger: Ledger, write: (entry: string) => Promise<void>): Promise<void> {
  for await (const entry of entriesOfLedger(file, ledger)) await write(entry);
}

/** Opens the folder of an existing run. Rejects as `expectRun`. */
export async function openExistingRunFolder(path: string): Promise<RunFolder> {
  await expectRun(path);
  return openRunFolder(path);
}

/** Rejects with a `RunFolderError` if the folder has no run, and with a `LedgerFileError` if its ledger is missing. */
export async function expectRun(path: string): Promise<void> {
  if (await isOfRun(path)) return;
  expectNotLost(join(path, LEDGER_FILE));
  const found = await stat(path).catch(() => undefined);
  const why =
    found === undefined
      ? 'there is no such folder'
      : found.isDirectory()
        ? `there is neither ${LEDGER_FILE} nor ${LEDGER_NOTE}, which names a ledger on a server, in it`
        : 'it is a file, not a folder';
  throw new RunFolderError(
    `${path} has no run: ${why}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal. data-import-sdk run starts one.`,
  );
}

/** Resolves with whether the folder has a run with a ledger. */
export async function isOfRun(path: string): Promise<boolean> {
  const inFolder = await stat(join(path, LEDGER_FILE)).catch(() => undefined);
  return inFolder !== undefined || (await readLedgerNote(path)) !== undefined;
}

const GIT_IGNORE = '.gitignore';
/** Content of .gitignore. The file also identifies a run folder. */
const EVERYTHING = '*\n';

async function prepare(path: string): Promise<void> {
  const ignore = join(path, GIT_IGNORE);
  try {
    await makeFolder(path);
    const names = await readdir(path);
    const content = names.includes(GIT_IGNORE) ? await readOwn(ignore) : '';
    // A command that creates the folder at the same time, or was killed meanwhile, has left only an empty file.
    const isNew = content === '' && names.every((name) => name === GIT_IGNORE);
    if (!isNew && content !== EVERYTHING) {
      throw new RunFolderError(
        `${path} has other files (${names.slice(0, 3).join(', ')}); expected a new folder, or the folder of an earlier run. Give another one.`,
      );
    }
    await chmod(path, 0o700);
    if (isNew) await writeIgnore(ignore);
  } catch (error) {
    if (error instanceof RunFolderError) throw error;
    const [found, remedy] = whyUnusable(error as NodeJS.ErrnoException);
    throw new RunFolderError(
      `${path} cannot be used as the run folder (${found}); expected a folder to write in. ${remedy}`,
      { cause: error },
    );
  }
}

async function writeIgnore(path: string): Promise<void> {
  const file = await openOwn(path, 'overwrite');
  try {
    await file.writeFile(EVERYTHING);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates the folder without `recursive` for the last part: recursive creation never ends in a protected folder such as /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  // Windows refuses to create a drive, even if it exists.
  if (!existsSync(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
  const made = await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => error);
  if (made?.code === 'EEXIST' && (await stat(path)).isDirectory()) return;
  if (made !== undefined) throw made;
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
