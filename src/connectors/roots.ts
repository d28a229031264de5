import { constants, realpathSync } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, ConnectorError } from './errors.ts';

/** Which files may be touched. Every path that a connector opens comes from here. */
export interface Roots {
  /** The folders below which files may be read and written. */
  readonly folders: readonly string[];
  /** The real path of a file or folder that is there; throws when it is missing or out of bounds. */
  existing(path: string): Promise<string>;
  /** The real path of a file that may be made: its folder is there and within bounds. */
  writable(path: string): Promise<string>;
  /** Opens for reading. What was opened is what was checked, also when somebody swaps a link in between. */
  open(path: string): Promise<FileHandle>;
}

export interface RootsOptions {
  folders: readonly string[];
  /** Syncline's own data directory: nothing in it may be touched, except below one of `folders` inside it. */
  dataDir: string;
}

export function rootsOf({ folders, dataDir }: RootsOptions): Roots {
  const roots = folders.map(real);
  const own = real(dataDir);
  const inOwn = roots.filter((root) => isBelow(root, own) && root !== own);

  const demand = (path: string, given: string): string => {
    if (!roots.some((root) => isBelow(path, root)))
      throw new ConnectorError('config', 'PATH_REFUSED', `"${given}" lies outside the folders that Syncline may touch.`, {
        field: 'path',
        hint: `Allowed are: ${roots.join(', ')}. Whoever runs Syncline can add folders with SYNCLINE_FILE_ROOTS.`,
      });
    if (isBelow(path, own) && !inOwn.some((root) => isBelow(path, root)))
      throw new ConnectorError('config', 'PATH_REFUSED', `"${given}" belongs to Syncline itself.`, {
        field: 'path',
        hint: 'The data directory holds the database and keys of Syncline. Put files elsewhere below SYNCLINE_FILE_ROOTS.',
      });
    return path;
  };
  // A relative path is looked for in each root; the first that has it wins.
  const candidates = (path: string): string[] => (path.startsWith(sep) ? [resolve(path)] : roots.map((root) => resolve(root, path)));

  const existing = async (path: string): Promise<string> => {
    let refusal: unknown;
    let missing: unknown;
    for (const candidate of candidates(path)) {
      try {
        return demand(await realpath(candidate), path);
      } catch (error) {
        if (error instanceof ConnectorError) refusal ??= error;
        else {
          try {
            // Whether a file exists out of bounds is nobody's business.
            demand(await wouldBe(candidate), path);
            missing ??= error;
          } catch (outside) {
            refusal ??= outside;
          }
        }
      }
    }
    throw refusal ?? fileError(missing, path);
  };
  const writable = async (path: string): Promise<string> => {
    const [first = '', ...others] = candidates(path);
    // A file that is there is meant, wherever it is; a new one goes where its folder is, else below the first root.
    const present = await existing(path).catch((error: unknown) => {
      if (error instanceof ConnectorError && error.code === 'FILE_MISSING') return undefined;
      throw error;
    });
    if (present !== undefined) return present;
    for (const candidate of [first, ...others]) if (await isThere(dirname(candidate))) return demand(await wouldBe(candidate), path);
    return demand(await wouldBe(first), path);
  };
  return {
    folders: roots,
    existing,
    writable,
    open: async (path) => {
      const checked = await existing(path);
      // A pipe would keep whoever opens it waiting for ever.
      if (!(await stat(checked)).isFile()) throw notAFile(path);
      const handle = await open(checked, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
        throw fileError(error, path);
      });
      try {
        const [opened, again] = [await handle.stat(), await stat(await existing(path))];
        if (opened.ino !== again.ino || opened.dev !== again.dev)
          throw new ConnectorError('transient', 'FILE_CHANGED', `"${path}" was replaced while it was being opened.`);
        if (!opened.isFile()) throw notAFile(path);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
  };
}

function notAFile(path: string): ConnectorError {
  return new ConnectorError('config', 'NOT_A_FILE', `"${path}" is not a file.`, { field: 'path' });
}

export const FULL_HINT = 'Make room on it, or write to another disk.';

/** What a failed access to a file means, in words. */
export function fileError(error: unknown, path: string): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP')
    return new ConnectorError('config', 'FILE_MISSING', `There is no file "${path}".`, {
      field: 'path',
      hint: 'Check the path; a relative one is looked for below SYNCLINE_FILE_ROOTS.',
      cause: error,
    });
  if (code === 'EACCES' || code === 'EPERM')
    return new ConnectorError('auth', 'FILE_FORBIDDEN', `The system does not let Syncline touch "${path}".`, {
      field: 'path',
      hint: 'Give the user that runs Syncline the right to this file.',
      cause: error,
    });
  if (code === 'ENOSPC')
    return new ConnectorError('transient', 'DISK_FULL', `The disk of "${path}" is full.`, { hint: FULL_HINT, cause: error });
  if (code === 'EROFS')
    return new ConnectorError('config', 'READ_ONLY', `"${path}" lies on a disk that is read-only.`, {
      field: 'path',
      hint: 'Make the disk writable, or write to another folder.',
      cause: error,
    });
  return new ConnectorError('transient', 'FILE_FAILED', `"${path}" could not be used${code ? ` (${code})` : ''}.`, { cause: error });
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A folder that need not be there yet, with the links above it followed. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

/** The real path that a file would have: links are followed as far as there is something. */
async function wouldBe(path: string): Promise<string> {
  const near = await nearest(path);
  return join(await realpath(near), relative(near, path));
}

/** The nearest folder above that is there. */
async function nearest(path: string): Promise<string> {
  if (await isThere(path)) return path;
  const parent = dirname(path);
  return parent === path ? path : nearest(parent);
}

async function isThere(path: string): Promise<boolean> {
  return realpath(path).then(
    () => true,
    () => false,
  );
}
