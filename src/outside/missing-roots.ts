import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from '../lib/log.ts';
import { OutsideError } from './errors.ts';
import { FILES_FOLDER, isBelow } from './own-places.ts';

/** Tells which of the folders that files may be in are not there. The one in the data directory is made when it is needed. */
export function tellMissingRoots({ folders, dataDir }: { folders: readonly string[]; dataDir: string }, log: Logger): void {
  const missing = folders.filter((folder) => folder !== join(dataDir, FILES_FOLDER) && !isFolder(folder));
  for (const folder of missing)
    log.warn({ folder }, 'a folder that SYNCLINE_FILE_ROOTS names is not there. Make or mount it, or correct the setting');
}

/** Why nothing can be at a path: the folder that files may be in is itself not there. */
export function missingRoot(path: string, folders: readonly string[]): OutsideError | undefined {
  const full = resolve(folders[0] ?? '.', path);
  const root = folders.find((folder) => isBelow(full, folder) && !isFolder(folder));
  if (root === undefined) return undefined;
  return new OutsideError('config', 'FILE_MISSING', `The folder ${root}, where "${path}" would be, is not there.`, {
    field: 'path',
    hint: 'It is one of the folders for files (SYNCLINE_FILE_ROOTS). The operator makes or mounts it, or corrects the setting. It is also made when something is written there.',
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
