/** Exports `RunFolderError`: a run folder, or a file in it, cannot be used. The message has the cause and the remedy. */

export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/** Remedies by the error code of the system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Give this user the right to write it',
  EBUSY: 'Close the program that has it open',
  EDQUOT: 'Free disk space',
  EEXIST: 'Wait until the other command that writes it has ended',
  EFBIG: 'Allow larger files',
  EIO: 'Check the disk',
  EMFILE: 'Raise the limit of open files (ulimit -n)',
  ENFILE: 'Close other programs, or raise the limit of open files of this machine',
  EISDIR: 'Move the folder with that name away',
  ENOSPC: 'Free disk space',
  EPERM: 'Close the program that has it open, or give this user the right to write it',
};

/** Returns the error for a file that cannot be written, with file and remedy. */
export function cannotWrite(path: string, cause: unknown): RunFolderError {
  return fileError(path, 'written', cause);
}

/** Returns the error for a file that cannot be read, with file and remedy. */
export function cannotRead(path: string, cause: unknown): RunFolderError {
  return fileError(path, 'read', cause);
}

function fileError(path: string, what: 'read' | 'written', cause: unknown): RunFolderError {
  if (cause instanceof RunFolderError) return cause;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const isRefused = what === 'read' && (code === 'EACCES' || code === 'EPERM');
  const remedy = isRefused ? 'Give this user the right to read it' : (REMEDIES[code] ?? 'Correct the cause');
  const text = `${path} cannot be ${what} (${code || message}). ${remedy}, and repeat the command.`;
  return new RunFolderError(text, { cause });
}

/** Cause and remedy by the error code of the system. */
const UNUSABLE: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  EACCES: ['no permission, EACCES', 'Give this user the right to read and write it, or give another one with --run.'],
  EPERM: ['no permission, EPERM', 'Give this user the right to read and write it, or give another one with --run.'],
  EEXIST: ['a file has this name, EEXIST', 'Give another one with --run.'],
  ENOTDIR: ['a part of the path is a file, ENOTDIR', 'Give another one with --run.'],
  EROFS: [
    'the disk is read-only, EROFS',
    'Give one on another disk with --run; of a run that exists, a copy of its folder.',
  ],
  ENOSPC: ['the disk is full, ENOSPC', 'Free disk space, and repeat the command.'],
};

/** Returns why a folder cannot be written, and the remedy. */
export function whyUnusable({ code, message }: NodeJS.ErrnoException): readonly [found: string, remedy: string] {
  return UNUSABLE[code ?? ''] ?? [code ?? message, 'Give another one with --run.'];
}
