/** Whether it is the disk that stands in the way: full, or failing. The same command goes on once it does no more. */
import { isOfDisk as isOfDiskToSqlite } from '../../migration/ledger/sqlite/file-error.js';

/** Of the file system; and of PostgreSQL, for the disk of its server. */
const CODE = /^(ENOSPC|EDQUOT|EFBIG|EIO|53100|58...)$/;

/** Also where what stands in the way is the cause of the error. */
export function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && CODE.test(code)) || isOfDiskToSqlite(error) || isOfDisk(error.cause);
}
