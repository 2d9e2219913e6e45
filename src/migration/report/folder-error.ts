/** Why a run folder, or a file in it, cannot be worked with: what is wrong, and what to do. */

export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/** By the code of the file system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Give yourself the right to write it',
  EBUSY: 'Close the program that has it open',
  EDQUOT: 'Make room on the disk',
  EEXIST: 'Wait until the other command that writes it has ended',
  EFBIG: 'Allow larger files',
  EIO: 'Check the disk',
  EISDIR: 'Move the folder of that name away',
  ENOSPC: 'Make room on the disk',
  EPERM: 'Close the program that has it open, or give yourself the right to write it',
};

/** An error of the system names neither the file that was being written nor what to do. */
export function cannotWrite(path: string, cause: unknown): RunFolderError {
  if (cause instanceof RunFolderError) return cause;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const remedy = REMEDIES[code] ?? 'Mend the cause';
  return new RunFolderError(
    `${path} cannot be written (${code || message}). ${remedy}, and give the same command again.`,
    {
      cause,
    },
  );
}

/** The same for a file that an earlier session left. */
export function cannotRead(path: string, cause: unknown): RunFolderError {
  if (cause instanceof RunFolderError) return cause;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const remedy = code === 'EACCES' || code === 'EPERM' ? 'Give yourself the right to read it' : REMEDIES[code];
  return new RunFolderError(
    `${path} cannot be read (${code || message}). ${remedy ?? 'Correct the cause'}, and give the same command again.`,
    { cause },
  );
}
