import { randomBytes } from 'node:crypto';
import { chmod, chown, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileError } from '../../../../outside/file-errors.ts';

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

/** All of a small file, which is closed then. */
export async function readAndClose(handle: FileHandle): Promise<string> {
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** New files can be read by the group, not by others: exports may hold private data. */
export const FILE_MODE = 0o640;

/** Gives a file that is about to take another's place the rights of that one, and its owner where we may. */
export async function takeAfter(old: string, young: string): Promise<void> {
  const before = await lstat(old).catch(() => undefined);
  if (!before?.isFile()) return;
  const { uid, gid } = await lstat(young);
  if (before.uid !== uid || before.gid !== gid) await chown(young, before.uid, before.gid).catch(() => {});
  await chmod(young, before.mode & 0o777);
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
