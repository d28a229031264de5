import { OutsideError } from '../../../../outside/errors.ts';
import { KEPT_FOLDER } from '../../../../outside/own-places.ts';
import type { Reach } from '../../../../outside/reach.ts';
import type { S3Config } from '../config.ts';
import { keptRefused } from '../kept.ts';
import type { Entry, Place } from '../place.ts';
import { S3Client } from './client.ts';
import { headOf, list, objectFile } from './objects.ts';
import { putText, S3Work, textOf } from './work.ts';

/** A bucket. Slashes in the names of objects make folders. */
export function s3Place(config: S3Config, reach: Reach, closing: AbortSignal): Place {
  const client = new S3Client(config, reach);
  const prefixOf = (folder: string): string => (folder === '' ? '' : `${folder}/`);
  return {
    title: client.host,
    pathHint: 'it begins at the top of the bucket',
    look: async (path, signal) => {
      const key = keyOf(path);
      if (key !== '' && !path.endsWith('/') && (await headOf(client, key, signal))) return { kind: 'file' };
      const { files, folders } = await list(client, prefixOf(key), signal, 1);
      // A bucket has no folders but by what is in them: one that is named as such is empty so far.
      return { kind: key === '' || path.endsWith('/') || files.length + folders.length > 0 ? 'folder' : 'nothing' };
    },
    folder: async (path) => keyOf(path),
    entries: async (path, signal) => {
      const { files, folders } = await list(client, prefixOf(keyOf(path)), signal);
      return [...folders.map((name) => folderEntry(name)), ...files.map((file) => fileEntry(file))].filter(({ name }) => isName(name));
    },
    file: async (path, name, signal, entry) => {
      const key = keyOf(path);
      const about = entry?.about ?? (await headOf(client, key, signal));
      if (about) return objectFile(client, key, name, about);
      throw new OutsideError('config', 'FILE_MISSING', `There is no file "${key}" in the bucket "${client.bucket}".`, {
        field: 'path',
        hint: 'Check the path.',
      });
    },
    kept: async (path, nameFor, signal) => {
      const { folder, file } = partsOfKey(keyOf(path));
      return textOf(client, `${folder}${KEPT_FOLDER}/${nameFor(file)}`, signal);
    },
    target: async (path) => {
      const key = keyOf(path);
      const { folder } = partsOfKey(key);
      return {
        path: key,
        work: async (name) => new S3Work(client, key, `${folder}${KEPT_FOLDER}/${name}/`, closing),
        keep: (name, text) => putText(client, `${folder}${KEPT_FOLDER}/${name}`, text, closing),
        close: () => {},
      };
    },
    close: async () => client.close(),
  };
}

/** The key that a path means: without slashes around it, and without what a URL could not carry. */
function keyOf(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..'))
    throw new OutsideError('config', 'PATH_REFUSED', `"${path}" leads upwards, which a bucket cannot.`, { field: 'path' });
  if (names.some((name) => name.toLowerCase() === KEPT_FOLDER)) throw keptRefused(path);
  return names.join('/');
}

/** Objects may be called in ways that no file is: what a path cannot say is passed by. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

function partsOfKey(key: string): { folder: string; file: string } {
  const at = key.lastIndexOf('/') + 1;
  return { folder: key.slice(0, at), file: key.slice(at) };
}

function folderEntry(name: string): Entry {
  return { name, isFile: () => false, isDirectory: () => true, isSymbolicLink: () => false };
}

function fileEntry({ name, size, stamp }: { name: string; size: number; stamp: string }): Entry {
  return { name, isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false, about: { size, stamp } };
}
