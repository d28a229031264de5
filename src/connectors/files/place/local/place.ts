import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { OutsideError } from '../../../../outside/errors.ts';
import { fileError, folderError, RELATIVE_HINT } from '../../../../outside/file-errors.ts';
import { missingRoot } from '../../../../outside/missing-roots.ts';
import { KEPT_FOLDER } from '../../../../outside/own-places.ts';
import type { Folder, Roots } from '../../../../outside/roots.ts';
import type { Place, TargetPlace } from '../place.ts';
import { localFile } from './file.ts';
import { readAndClose, writeSafely } from './safe-write.ts';
import { LocalWork } from './work.ts';

/** Folders of this machine, within the roots. */
export function localPlace(roots: Roots): Place {
  return {
    title: 'The disk',
    pathHint: RELATIVE_HINT,
    fault: (path) => missingRoot(path, roots.folders),
    look: async (path) => {
      try {
        const found = await stat(await roots.existing(path)).catch((error: unknown) => {
          throw fileError(error, path);
        });
        return { kind: found.isDirectory() ? 'folder' : 'file' };
      } catch (error) {
        if (!(error instanceof OutsideError) || error.code !== 'FILE_MISSING') throw error;
        return { kind: 'nothing' };
      }
    },
    folder: (path) => roots.existing(path),
    entries: (path) => roots.entries(path),
    file: (path, name) => localFile(roots, path, name),
    kept: async (path, nameFor) => {
      const real = await roots.existing(path);
      const folder = await roots.folder(dirname(real));
      try {
        const kept = await folder.folder(KEPT_FOLDER);
        try {
          return await readAndClose(await kept.open(nameFor(basename(real))));
        } finally {
          kept.close();
        }
      } finally {
        folder.close();
      }
    },
    target: async (path, create) => {
      const real = await roots.writable(path);
      return localTarget(roots, real, await roots.folder(dirname(real), create));
    },
    close: async () => {},
  };
}

function localTarget(roots: Roots, path: string, folder: Folder): TargetPlace {
  const file = basename(path);
  let own: Folder | undefined;
  const ownFolder = async (): Promise<Folder> => (own ??= await madeIn(folder, KEPT_FOLDER, file));
  return {
    path,
    work: async (name) => new LocalWork(roots, path, folder, await madeIn(await ownFolder(), name, file)),
    keep: async (name, text) => writeSafely((await ownFolder()).at(name), text, file),
    close: () => {
      own?.close();
      folder.close();
    },
  };
}

/** A folder in another, made when it is missing, for a file as it is named in words. */
async function madeIn(folder: Folder, name: string, file: string): Promise<Folder> {
  return folder.folder(name, true).catch((error: unknown) => {
    throw error instanceof OutsideError ? error : folderError(error, file);
  });
}
