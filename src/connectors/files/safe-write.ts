import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, ConnectorError } from '../errors.ts';
import { fileError } from '../roots.ts';

/** The folder beside written files that holds what is not meant for readers: collected rows, checkpoints, types. */
export const OWN_FOLDER = '.syncline';

/**
 * Makes a folder and those above it. `file` is what it is made for, as it is named in words. One by one, as the system's own way to make
 * several at once says of a disk that is read-only that nothing is there.
 */
export async function makeFolder(folder: string, file: string): Promise<void> {
  try {
    await makeEach(folder);
  } catch (error) {
    throw folderError(error, file);
  }
}

async function makeEach(folder: string): Promise<void> {
  const error = await made(folder);
  if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) return demandMade(error);
  await makeEach(dirname(folder));
  return demandMade(await made(folder));
}

async function made(folder: string): Promise<unknown> {
  return mkdir(folder).then(
    () => undefined,
    (error: unknown) => error,
  );
}

function demandMade(error: unknown): void {
  if (error !== undefined && codeOf(error) !== 'EEXIST') throw error;
}

const READ_ONLY_HINT = 'Make it writable for the user that runs Syncline, or choose another folder.';

function folderError(error: unknown, file: string): ConnectorError {
  const code = codeOf(error);
  const options = { field: 'path', hint: READ_ONLY_HINT, cause: error };
  if (code === 'EROFS')
    return new ConnectorError('config', 'READ_ONLY', `The folder of "${file}" cannot be written to: its disk is read-only.`, options);
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT')
    return new ConnectorError('auth', 'FILE_FORBIDDEN', `The folder of "${file}" cannot be written to.`, options);
  return fileError(error, file);
}

/** Writes a small file so that it is there as a whole or not at all. `file` is what it belongs to, as it is named in words. */
export async function writeSafely(path: string, text: string, file = basename(path)): Promise<void> {
  const scratch = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(scratch, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(scratch, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(scratch, { force: true });
    throw fileError(error, file);
  }
}

/** Makes sure that what was renamed in a folder stays so. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
