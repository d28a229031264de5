import { constants, type Dirent, realpathSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { codeOf, OutsideError } from './errors.ts';
import { fileError, folderError } from './file-errors.ts';
import { FILES_FOLDER, isBelow, KEPT_FOLDER, type Owner, OwnPlaces } from './own-places.ts';
import { missingRoot } from './missing-roots.ts';
import { identityAt, Pinned, timesOpen } from './pinned.ts';

/** Which files may be touched. Every path that a connector opens comes from here. */
export interface Roots {
  /** The folders below which files may be read and written. A relative path begins at the first. */
  readonly folders: readonly string[];
  /** The real path of a file or folder that is there; throws when it is missing or out of bounds. */
  existing(path: string): Promise<string>;
  /** The real path of a file that may be made: what there is of the way to it is within bounds. */
  writable(path: string): Promise<string>;
  /** Opens for reading. What was opened is what was judged, whatever happens to its name meanwhile. */
  open(path: string): Promise<FileHandle>;
  /** Holds a file that others open by its name, such as SQLite, to compare what they opened with it. */
  hold(path: string): Promise<HeldFile>;
  /** What is in a folder. */
  entries(path: string): Promise<Dirent[]>;
  /** Holds a folder to write into; with `create`, it and those above it are made when they are missing. */
  folder(path: string, create?: boolean): Promise<Folder>;
}

/** A folder that is held: what is written below `at` gets into this one, also when it is moved or a link is put in its place. */
export interface Folder {
  /** Where it was found. */
  readonly path: string;
  /** A path for a name in it. */
  at(name: string): string;
  /** Opens a file in it for reading; throws when it is a link, or not ours to open. */
  open(name: string): Promise<FileHandle>;
  /** A folder in it. */
  folder(name: string, create?: boolean): Promise<Folder>;
  close(): void;
}

/** A file that is held, but not open: to close an open one would lose all locks on it. */
interface HeldFile {
  readonly path: string;
  /** Throws when nobody in this process has opened this very file, or when it has lost its name. */
  demandOpened(): void;
  close(): void;
}

export interface RootsOptions {
  folders: readonly string[];
  /** Syncline's own data directory: nothing in it may be touched, except in its folder `files`. */
  dataDir: string;
}

/** A file that is written anew is replaced just now and then. */
const TRIES = 5;
/** Folders that are made can be read by the group, not by others. */
const FOLDER_MODE = 0o750;

export function rootsOf({ folders, dataDir }: RootsOptions): Roots {
  const roots = folders.map(real);
  const files = join(real(dataDir), FILES_FOLDER);
  const own = new OwnPlaces(real(dataDir));
  const [first = real('.')] = roots;

  const judge = async (opened: Pinned, given: string): Promise<Pinned> => {
    const folder = opened.stats.isDirectory() ? opened : opened.parent();
    if (!folder) throw changed(given);
    try {
      const above = [...folder.upwards()];
      if (!roots.some((root) => above.includes(identityAt(root) ?? ''))) throw outside(given, roots);
      const owner = await own.ownerOf(opened, folder, above);
      if (owner) throw belongsTo(owner, given);
      return opened;
    } finally {
      if (folder !== opened) folder.close();
    }
  };
  /** Opens something that is there, and judges it. */
  const pin = async (path: string, given: string, isLast = false): Promise<Pinned> => {
    const opened = Pinned.open(path, { isLast });
    try {
      return await judge(opened, given);
    } catch (error) {
      opened.close();
      throw error;
    }
  };
  const found = async (given: string, tries = TRIES): Promise<Pinned> => {
    const path = resolve(first, given);
    try {
      const opened = await pin(path, given);
      if (!isKept(opened.path)) return opened;
      opened.close();
      throw belongsTo('kept', given);
    } catch (error) {
      if (error instanceof OutsideError) {
        if (error.code === 'FILE_CHANGED' && tries > 1) return found(given, tries - 1);
        throw error;
      }
      // Whether something exists out of bounds is not told.
      await wayTo(path, given);
      throw missingRoot(given, roots) ?? fileError(error, given);
    }
  };
  /** Whether it is in a folder that Syncline keeps beside written files. Writers come there from the folder they write to. */
  const isKept = (path: string): boolean => {
    const root = roots.find((one) => isBelow(path, one));
    return namesBetween(root ?? '/', path).some((name) => name.toLowerCase() === KEPT_FOLDER);
  };
  /** The nearest folder above that is there, judged, and the names that are missing below it. */
  const wayTo = async (path: string, given: string): Promise<{ near: string; missing: string[] }> => {
    const root = roots.find((one) => isBelow(path, one) && identityAt(one) === undefined);
    // The operator has named it: it is made when it is needed.
    if (root !== undefined && isKept(path)) throw belongsTo('kept', given);
    if (root !== undefined) return { near: root, missing: namesBetween(root, path) };
    for (let near = path; ; near = dirname(near)) {
      const opened = await pin(near, given).catch((error: unknown) => {
        if (error instanceof OutsideError || dirname(near) === near) throw error;
        return undefined;
      });
      if (!opened) continue;
      const at = opened.path;
      opened.close();
      const missing = namesBetween(near, path);
      if (isKept(join(at, ...missing))) throw belongsTo('kept', given);
      return { near: at, missing };
    }
  };
  /** Makes a root that is missing, unless it would be in a place where none can be. */
  const makeRoot = async (root: string, given: string): Promise<void> => {
    let above = root;
    while (identityAt(above) === undefined) above = dirname(above);
    const near = Pinned.open(above);
    try {
      const owner = root === files ? undefined : await own.ownerOf(near, near, [...near.upwards()]);
      if (owner) throw belongsTo(owner, given);
    } finally {
      near.close();
    }
    await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  };
  const folderOf = (pinned: Pinned, given: string): Folder => ({
    path: pinned.path,
    at: (name) => pinned.at(name),
    open: async (name) => {
      const opened = await pin(pinned.at(name), given, true);
      return reopened(opened, given);
    },
    folder: async (name, create) => folderOf(await inside(pinned, name, given, create), given),
    close: () => pinned.close(),
  });
  const inside = async (pinned: Pinned, name: string, given: string, create = false): Promise<Pinned> => {
    if (create) await mkdir(pinned.at(name), FOLDER_MODE).catch(unlessThere);
    const opened = await pin(pinned.at(name), given, true);
    if (opened.stats.isDirectory()) return opened;
    opened.close();
    throw Object.assign(new Error('a folder is expected'), { code: 'ENOTDIR' });
  };

  return {
    folders: roots,
    existing: async (path) => {
      const opened = await found(path);
      opened.close();
      return opened.path;
    },
    writable: async (path) => {
      const { near, missing } = await wayTo(resolve(first, path), path);
      return join(near, ...missing);
    },
    open: async (path) => reopened(await found(path), path),
    hold: async (path) => {
      const opened = await found(path);
      if (!opened.stats.isFile()) {
        opened.close();
        throw notAFile(path);
      }
      return {
        path: opened.path,
        demandOpened: () => {
          // Once is ours.
          if ((timesOpen(opened.identity) ?? 2) < 2 || identityAt(opened.path) !== opened.identity) throw changed(path);
        },
        close: () => opened.close(),
      };
    },
    entries: async (path) => {
      const opened = await found(path);
      try {
        return await readdir(opened.at(), { withFileTypes: true });
      } catch (error) {
        throw fileError(error, path);
      } finally {
        opened.close();
      }
    },
    folder: async (path, create = false) => {
      const { near, missing } = await wayTo(resolve(first, path), path);
      let at: Pinned | undefined;
      try {
        if (create && roots.includes(near)) await makeRoot(near, path);
        at = await pin(near, path);
        for (const name of missing) {
          const next = await inside(at, name, path, create);
          at.close();
          at = next;
        }
        return folderOf(at, path);
      } catch (error) {
        at?.close();
        throw error instanceof OutsideError ? error : create ? folderError(error, path) : fileError(error, path);
      }
    },
  };
}

/** What is pinned, opened for reading. A pipe would keep the process that opens it waiting without end. */
async function reopened(pinned: Pinned, given: string): Promise<FileHandle> {
  try {
    if (!pinned.stats.isFile()) throw notAFile(given);
    const handle = await open(pinned.at(), constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      throw fileError(error, given);
    });
    const { dev, ino } = await handle.stat({ bigint: true });
    if (dev === pinned.stats.dev && ino === pinned.stats.ino) return handle;
    await handle.close();
    throw changed(given);
  } finally {
    pinned.close();
  }
}

function notAFile(given: string): OutsideError {
  return new OutsideError('config', 'NOT_A_FILE', `"${given}" is not a file.`, { field: 'path' });
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function namesBetween(folder: string, path: string): string[] {
  return relative(folder, path)
    .split('/')
    .filter((name) => name !== '');
}

function changed(given: string): OutsideError {
  return new OutsideError('transient', 'FILE_CHANGED', `"${given}" was moved or replaced while it was being opened.`);
}

function outside(given: string, roots: readonly string[]): OutsideError {
  return new OutsideError('config', 'PATH_REFUSED', `"${given}" lies outside the folders that Syncline may touch.`, {
    field: 'path',
    hint: `Allowed are: ${roots.join(', ')}. The operator of Syncline can add folders with SYNCLINE_FILE_ROOTS.`,
  });
}

function belongsTo(owner: Owner | 'kept', given: string): OutsideError {
  const what = {
    syncline: `"${given}" belongs to Syncline itself.`,
    kept: `"${given}" belongs to Syncline itself.`,
    system: `"${given}" belongs to the operating system.`,
  };
  const why = {
    syncline: `The folder of the program, and the data directory except for "${FILES_FOLDER}" in it, are never touched`,
    kept: `What Syncline keeps in a folder "${KEPT_FOLDER}" beside the files it writes is never touched`,
    system: '/proc, /sys and /dev are never touched',
  };
  return new OutsideError('config', 'PATH_REFUSED', what[owner], {
    field: 'path',
    hint: `${why[owner]}, whatever SYNCLINE_FILE_ROOTS says. Put files elsewhere below these folders.`,
  });
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
