/** Why a run folder, or a file in it, cannot be worked with: what is wrong, and what to do. */

export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/** By the code of the file system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Give yourself the right to write it',
  EBUSY: 'Close the program that has it open',
  EDQUOT: 'Make room on the disk',
  EFBIG: 'Allow larger files',
  EIO: 'Check the disk',
  ENOSPC: 'Make room on the disk',
  EPERM: 'Close the program that has it open, or give yourself the right to write it',
};

/** An error of the system names neither the file that was being written nor what to do. */
export function cannotWrite(path: string, cause: unknown): RunFolderError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const remedy = REMEDIES[code] ?? 'Mend the cause';
  return new RunFolderError(
    `${path} cannot be written (${code || message}). ${remedy}, and give the same command again.`,
    {
      cause,
    },
  );
}
