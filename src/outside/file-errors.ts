import { codeOf, OutsideError } from './errors.ts';

/** Where a relative path begins. */
export const RELATIVE_HINT = 'a relative one begins at the first folder of SYNCLINE_FILE_ROOTS';
export const FULL_HINT = 'Make room on it, or write to another disk.';

/** What a failed access to a file means, in words. */
export function fileError(error: unknown, path: string): OutsideError {
  if (error instanceof OutsideError) return error;
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP')
    return new OutsideError('config', 'FILE_MISSING', `There is no file "${path}".`, {
      field: 'path',
      hint: `Check the path; ${RELATIVE_HINT}.`,
      cause: error,
    });
  if (code === 'EACCES' || code === 'EPERM')
    return new OutsideError('auth', 'FILE_FORBIDDEN', `The system does not let Syncline touch "${path}".`, {
      field: 'path',
      hint: 'Give the user that runs Syncline the right to this file.',
      cause: error,
    });
  if (code === 'ENOSPC')
    return new OutsideError('transient', 'DISK_FULL', `The disk of "${path}" is full.`, { hint: FULL_HINT, cause: error });
  if (code === 'EROFS')
    return new OutsideError('config', 'READ_ONLY', `"${path}" lies on a disk that is read-only.`, {
      field: 'path',
      hint: 'Make the disk writable, or write to another folder.',
      cause: error,
    });
  return new OutsideError('transient', 'FILE_FAILED', `"${path}" could not be used${code ? ` (${code})` : ''}.`, { cause: error });
}

const READ_ONLY_HINT = 'Make it writable for the user that runs Syncline, or choose another folder.';

/** What it means that a folder cannot be made or written to. `file` is what it is for, as it is named in words. */
export function folderError(error: unknown, file: string): OutsideError {
  const code = codeOf(error);
  const options = { field: 'path', hint: READ_ONLY_HINT, cause: error };
  if (code === 'EROFS')
    return new OutsideError('config', 'READ_ONLY', `The folder of "${file}" cannot be written to: its disk is read-only.`, options);
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT')
    return new OutsideError('auth', 'FILE_FORBIDDEN', `The folder of "${file}" cannot be written to.`, options);
  return fileError(error, file);
}
