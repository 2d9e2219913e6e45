/**
 * Two copies of a ledger send the same: what one has sent, the other does not know. Exports `expectNotCopied`, which compares the ledger
 * with that of the last session, and `claimLedger`, which stores that of this one. A ledger in memory has nothing to compare.
 */
import { readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { isImported, type Ledger, type LedgerRecord } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { hasAny } from '../record/items/item-states.js';
import type { AuditLog } from '../report/folder/audit-log.js';
import { LEDGER_NOTE } from '../report/folder/ledger-note.js';
import { ofAnyCopy } from '../shared/error-of-any-copy.js';
import { counted } from '../shared/format.js';
import { openOwn } from '../shared/regular-file.js';
import { RunTargetError } from './expect-target.js';

/** The ledger is not the one of the last session, or is older than its folder. */
export interface CopiedLedger {
  /** Path of the ledger file in the last session that it knows; of one on a server, schema, database, host and port. */
  path: string;
  /** Name of the machine of that session. */
  host: string;
  /** When that session started, an ISO datetime. */
  at: string;
  /** Whether the folder has had a later session, which the ledger does not know. */
  isOlder: boolean;
  /** Number of records of the service whose statements or payment instructions are still to be sent, according to the ledger. */
  unsent: number;
}

/** The ledger was copied or restored since its last session, and the user has not agreed to continue. Nothing was sent. */
export class CopiedLedgerError extends Error {
  /** Discriminates this class. */
  override readonly name = 'CopiedLedgerError';
  /** The last session that the ledger knows. */
  readonly copied: CopiedLedger;
  /** @internal */
  constructor(copied: CopiedLedger) {
    super(`${copiedInWords(copied)} Nothing was sent. To continue nevertheless, give onCopied and return true.`);
    this.copied = copied;
  }
}
ofAnyCopy(CopiedLedgerError, 'CopiedLedgerError');

/** Returns sentences with the session, and when it is right to continue. */
export function copiedInWords({ path, host, at, isOlder, unsent }: CopiedLedger): string {
  const later = isOlder ? ' A later session worked in this folder, and the ledger does not know it.' : '';
  const risk =
    unsent === 0
      ? ''
      : `According to the ledger, statements or payment instructions of ${counted(unsent, 'record that exists', 'records that exist')} are still to be sent. `;
  return (
    `The ledger was copied or restored since its last session, of ${at} on ${host} as ${path}.${later} ` +
    'It does not know the requests that another copy has sent since: statements and payment instructions would be sent twice. ' +
    `${risk}Continue only if no other copy was continued; data-import-sdk verify compares the ledger with the service.`
  );
}

/** Name of the ledger fact. */
const LAST = 'last session';

/**
 * The file as the system knows it; a name may change. `born`: empty if the file system does not store it. Of a ledger on a server: the
 * tables as the server knows them.
 */
const SessionSchema = z.object({
  ...{ path: z.string(), inode: z.string(), born: z.string() },
  ...{ host: z.string(), at: z.string(), number: z.number() },
});
type FileIdentity = Pick<z.infer<typeof SessionSchema>, 'inode' | 'born'>;

const isSession = fits(SessionSchema);

export interface CopyOptions {
  folder: string;
  onCopied: ((copied: CopiedLedger) => boolean | Promise<boolean>) | undefined;
  audit: AuditLog;
  now: () => Date;
}

type StoredLedger = Pick<Ledger, 'fact' | 'setFact' | 'file' | 'tables' | 'list'>;

/**
 * Rejects with a `RunTargetError` if the file is a copy and the original is in its place; with a `CopiedLedgerError` if it is another ledger
 * for another reason, unless `onCopied` resolves with true, which the audit log notes.
 */
export async function expectNotCopied(ledger: StoredLedger, options: CopyOptions): Promise<void> {
  const { folder, onCopied, audit, now } = options;
  const copied = await copyIn(ledger, folder);
  if (copied === undefined) return;
  if (!(await onCopied?.(copied))) throw new CopiedLedgerError(copied);
  const { path, host, at } = copied;
  const what = `continued a ledger that was copied or restored since its session of ${at} on ${host} as ${path}`;
  await audit.append({ at: now().toISOString(), by: 'operator', what });
}

/** Stores that a person continues with this ledger. Resolves with whether it was copied or restored. Rejects as `expectNotCopied`. */
export async function acceptCopy(ledger: StoredLedger, options: Pick<CopyOptions, 'folder' | 'now'>): Promise<boolean> {
  const isCopy = (await copyIn(ledger, options.folder)) !== undefined;
  if (isCopy) await claimLedger(ledger, options);
  return isCopy;
}

async function copyIn(ledger: StoredLedger, folder: string): Promise<CopiedLedger | undefined> {
  const stored = await placeOf(ledger, folder);
  const last = stored && (await jsonFact(ledger, LAST, isSession));
  if (stored === undefined || last === undefined) return undefined;
  const isSame = isOf(stored.identity, last);
  const isOlder = newestSession(stored.marks) > last.number;
  if (isSame && !isOlder) return undefined;
  const { path, host, at } = last;
  if (!isSame && ledger.file !== undefined && isOf(identityOf(path), last)) {
    throw new RunTargetError(
      `ledger: ${ledger.file} is a copy of ${path}, which still exists. Neither of them knows the requests of the other: ` +
        `statements and payment instructions would be sent twice. Nothing was sent. Continue in ${dirname(path)}. ` +
        `If only the copy is to be continued, rename or delete ${path}, and repeat the command.`,
    );
  }
  let unsent = 0;
  for await (const record of ledger.list()) if (isAtRisk(record)) unsent++;
  return { path, host, at, isOlder, unsent };
}

/** Whether this run would send items that the service does not skip, of a record that another copy may have created or continued. */
function isAtRisk(record: LedgerRecord): boolean {
  const { items, intent, serviceNumber } = record;
  const mayExist = isImported(record) || intent !== null || serviceNumber !== null;
  return mayExist && (hasAny(items, ['waiting'], 'statements') || hasAny(items, ['waiting'], 'paymentInstruction'));
}

/** Stores the ledger as that of this session. Call it before anything is sent. */
export async function claimLedger(ledger: StoredLedger, { folder, now }: Pick<CopyOptions, 'folder' | 'now'>) {
  const stored = await placeOf(ledger, folder);
  if (stored?.identity === undefined) return;
  const { path, marks, identity } = stored;
  const last = await jsonFact(ledger, LAST, isSession);
  const number = Math.max(last?.number ?? 0, newestSession(marks)) + 1;
  const session = { path, ...identity, host: hostname(), at: now().toISOString(), number };
  // A crash in between leaves an older mark, which is no difference.
  await ledger.setFact(LAST, JSON.stringify(session));
  await (await openOwn(`${marks}${MARK}${number}`, 'append')).close();
  for (const other of marksOf(marks)) if (other.number !== number) rmSync(other.path, { force: true });
}

/** Returns undefined for a ledger in memory. `marks`: the start of the names of the marks. */
async function placeOf({ file, tables }: StoredLedger, folder: string) {
  if (file !== undefined) return { path: realpathSync(file), marks: file, identity: identityOf(file) };
  const found = await tables?.();
  return found && { path: found.where, marks: join(folder, LEDGER_NOTE), identity: { inode: found.id, born: '' } };
}

/**
 * An empty file next to the ledger, with the number of the last session; of one on a server, in the run folder. An older ledger that is
 * restored does not replace it.
 */
const MARK = '.session-';

function newestSession(file: string): number {
  return Math.max(0, ...marksOf(file).map(({ number }) => number));
}

function marksOf(file: string): { path: string; number: number }[] {
  const start = basename(file) + MARK;
  const folder = dirname(file);
  const names = readdirSync(folder).filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)));
  return names.map((name) => ({ path: join(folder, name), number: Number(name.slice(start.length)) }));
}

function isOf(found: FileIdentity | undefined, { inode, born }: FileIdentity): boolean {
  return found?.inode === inode && (found.born === born || found.born === '' || born === '');
}

/** Returns undefined if there is no such file, or this user cannot see it. A file system may give the number of a deleted file to the next one. */
function identityOf(path: string): FileIdentity | undefined {
  try {
    const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
    // In place of a time that the file system does not store, Node.js gives that of the last change, or zero.
    const isStored = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
    return { inode: `${ino}`, born: isStored ? `${birthtimeNs}` : '' };
  } catch {
    return undefined;
  }
}
