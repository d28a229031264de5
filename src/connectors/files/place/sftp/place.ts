import { posix } from 'node:path';
import { aborted, OutsideError } from '../../../../outside/errors.ts';
import { KEPT_FOLDER } from '../../../../outside/own-places.ts';
import type { Reach } from '../../../../outside/reach.ts';
import type { DataFile } from '../../source/data-file.ts';
import type { SftpConfig } from '../config.ts';
import { keptRefused } from '../kept.ts';
import type { Entry, Place } from '../place.ts';
import { SftpClient } from './client.ts';
import { type Attributes, isFolder, isLink, isRegular, RemoteFiles, stampOf } from './files.ts';
import { saveText, SftpWork, textOf } from './work.ts';

const MAX_TRIES = 5;
const FOLDER_MODE = 0o750;
const OWN_FOLDER_MODE = 0o700;

/** Folders of another machine, over SSH. A relative path begins where the server starts, mostly in the home of the user. */
export function sftpPlace(config: SftpConfig, reach: Reach, closing: AbortSignal): Place {
  const client = new SftpClient(config, reach, closing);
  const files = new RemoteFiles(client);
  const missing = (path: string): OutsideError =>
    new OutsideError('config', 'FILE_MISSING', `There is no file "${path}" at ${client.where}.`, {
      field: 'path',
      hint: 'Check the path.',
    });
  return {
    title: client.where,
    pathHint: 'a relative one begins where the server starts, mostly in the home of the user',
    warnings: async () => {
      const found = await client.fingerprint();
      return config.host_key === undefined
        ? [`Any server that answers at ${client.where} is believed. To be sure that it is always this one, set its host key: ${found}`]
        : [];
    },
    look: async (path) => {
      const about = await files.stat(pathOf(path));
      return { kind: !about ? 'nothing' : isFolder(about) ? 'folder' : 'file' };
    },
    folder: async (path) => {
      const about = await files.stat(pathOf(path));
      if (!about || !isFolder(about)) throw missing(path);
      return pathOf(path);
    },
    entries: async (path) => (await files.list(pathOf(path))).map(entryOf),
    file: async (path, name, _, entry) => {
      const at = pathOf(path);
      const about = entry?.about ?? (await found(files, at));
      if (!about) throw missing(path);
      return remoteFile(files, at, name, about);
    },
    kept: async (path, nameFor) => textOf(files, posix.join(posix.dirname(pathOf(path)), KEPT_FOLDER, nameFor(posix.basename(path)))),
    target: async (path, create) => {
      const at = pathOf(path);
      const folder = posix.dirname(at);
      if (create) await makeFolders(files, folder);
      const own = posix.join(folder, KEPT_FOLDER);
      const ownFolder = async (): Promise<string> => {
        await files.makeFolder(own, OWN_FOLDER_MODE);
        return own;
      };
      return {
        path: at,
        work: async (name) => {
          const work = posix.join(await ownFolder(), name);
          await files.makeFolder(work, OWN_FOLDER_MODE);
          return new SftpWork(client, files, at, work);
        },
        keep: async (name, text) => saveText(files, posix.join(await ownFolder(), name), text),
        close: () => {},
      };
    },
    close: async () => client.close(),
  };
}

async function found(files: RemoteFiles, path: string): Promise<{ size: number; stamp: string } | undefined> {
  const about = await files.stat(path);
  if (!about) return undefined;
  if (!isRegular(about)) throw new OutsideError('config', 'NOT_A_FILE', `"${path}" is not a file.`, { field: 'path' });
  return { size: about.size, stamp: stampOf(about) };
}

function remoteFile(files: RemoteFiles, path: string, name: string, about: { size: number; stamp: string }): DataFile {
  const { size, stamp } = about;
  return {
    name,
    size,
    stamp,
    bytes: (from, signal) => bytesFrom(from, signal),
    slice: async (from, to, signal) => {
      if (signal.aborted) throw aborted();
      return files.slice(path, from, to);
    },
    close: async () => {},
  };

  /** When the connection is lost, it goes on where it was, if the file is still the same. */
  async function* bytesFrom(from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let at = from;
    for (let attempt = 1; ; attempt++) {
      const begun = at;
      try {
        for await (const chunk of files.bytes(path, at)) {
          if (signal.aborted) throw aborted();
          at += chunk.length;
          yield chunk;
        }
        if (at < size)
          throw new OutsideError(
            'transient',
            'FILE_CHANGED',
            `"${path}" ended before its length: it was changed while it was being read.`,
            {
              hint: 'It is read anew.',
            },
          );
        return;
      } catch (error) {
        if (signal.aborted) throw aborted();
        if (at > begun) attempt = 1;
        const isLost = error instanceof OutsideError && error.code === 'CONNECTION_LOST' && attempt < MAX_TRIES;
        if (!isLost || (await found(files, path))?.stamp !== stamp) throw error;
      }
    }
  }
}

/** The path at the other side; a relative one stays so. */
function pathOf(path: string): string {
  const names = path.split('/');
  if (names.some((name) => name.toLowerCase() === KEPT_FOLDER)) throw keptRefused(path);
  return posix.normalize(path === '' ? '.' : path).replace(/(.)\/$/, '$1');
}

async function makeFolders(files: RemoteFiles, folder: string): Promise<void> {
  if (await files.stat(folder)) return;
  if (posix.dirname(folder) !== folder) await makeFolders(files, posix.dirname(folder));
  await files.makeFolder(folder, FOLDER_MODE);
}

function entryOf({ name, about }: { name: string; about: Attributes }): Entry {
  return {
    name,
    isFile: () => isRegular(about),
    isDirectory: () => isFolder(about),
    isSymbolicLink: () => isLink(about),
    ...(isRegular(about) && { about: { size: about.size, stamp: stampOf(about) } }),
  };
}
