import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileError } from '../roots.ts';

/** The folder beside written files that holds what is not meant for readers: collected rows, checkpoints, types. */
export const OWN_FOLDER = '.syncline';

/** Writes a small file so that it is there as a whole or not at all. */
export async function writeSafely(path: string, text: string): Promise<void> {
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
    throw fileError(error, basename(path));
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
