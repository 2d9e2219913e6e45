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
  const remedy = REMEDIES[code] ?? 'Correct the cause';
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

/** What was found, and what to do about it, by the code of the file system. */
const UNUSABLE: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  EACCES: ['no right to it, EACCES', 'Give yourself the right to read and write it, or name another one with --run.'],
  EPERM: ['no right to it, EPERM', 'Give yourself the right to read and write it, or name another one with --run.'],
  EEXIST: ['a file has this name, EEXIST', 'Name another one with --run.'],
  ENOTDIR: ['a part of the path is a file, ENOTDIR', 'Name another one with --run.'],
  EROFS: ['the disk is read-only, EROFS', 'Name one on another disk with --run.'],
  ENOSPC: ['the disk is full, ENOSPC', 'Make room on the disk, and give the same command again.'],
};

/** Why nothing can be written in a folder. */
export function whyUnusable({ code, message }: NodeJS.ErrnoException): readonly [found: string, remedy: string] {
  return UNUSABLE[code ?? ''] ?? [code ?? message, 'Name another one with --run.'];
}
