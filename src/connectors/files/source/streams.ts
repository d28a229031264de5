import { basename, join } from 'node:path';
import { OutsideError } from '../../../outside/errors.ts';
import { type DataFile, formatOf, partsOf } from './data-file.ts';
import { expandBraces, filesMatching, isPattern, splitPattern } from './glob.ts';
import type { FilesConfig } from '../manifest.ts';
import type { Place } from '../place/place.ts';
import type { Reach } from '../../../outside/reach.ts';
import { remoteFile } from './remote.ts';
import { remoteOf } from './request.ts';
import { recall, type RememberedFile } from './remembered.ts';

/** One stream: a file, or several that belong together. */
export interface FileStream {
  readonly name: string;
  /** Its files, in the order in which they are read. */
  list(signal: AbortSignal): Promise<DataFile[]>;
  /** What we wrote down about a file when we wrote it. */
  remembered(file: DataFile, signal: AbortSignal): Promise<RememberedFile | undefined>;
  /** The full path, when it is one file that can be written. */
  readonly path?: string;
  /** The configuration means this one and no other. */
  readonly isOnly?: true;
}

/** What a path means. */
type PathMeaning =
  | { kind: 'url'; url: string }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string };

type Meaning = PathMeaning & { isMissing?: true };

/** What a configuration is about: where its files lie, and the way to addresses. */
export interface Whereabouts {
  readonly place: Place;
  readonly reach: Reach;
}

/** What the configuration points to. A path that is not there is a folder when it has no ending of a file. */
export async function meaningOf({ path = '', url }: FilesConfig, { place }: Whereabouts, signal: AbortSignal): Promise<Meaning> {
  if (url !== undefined) return { kind: 'url', url };
  // A file may really be called `a[1].csv`.
  const { kind } = await place.look(path, signal).catch((error: unknown) => {
    if (!isPattern(path) || !(error instanceof OutsideError) || error.code === 'PATH_REFUSED') throw error;
    return { kind: 'nothing' as const };
  });
  if (kind !== 'nothing') return { kind, path };
  if (isPattern(path)) return { kind: 'pattern', pattern: path };
  return { kind: path.endsWith('/') || partsOf(path).extension === '' ? 'folder' : 'file', path, isMissing: true };
}

/** Throws when there is nothing at the path. */
export function demandThere({ kind, isMissing }: Meaning, { path }: FilesConfig, { place }: Whereabouts): void {
  if (!isMissing) return;
  throw new OutsideError('config', 'FILE_MISSING', `There is no ${kind} "${path}".`, {
    field: 'path',
    hint: `Check the path; ${place.pathHint}. To write files that are not there yet, give their folder.`,
  });
}

/** The streams of a configuration. With names, of a folder only those that may be meant by them. */
export async function streamsOf(
  config: FilesConfig,
  where: Whereabouts,
  signal: AbortSignal,
  names?: readonly string[],
): Promise<FileStream[]> {
  const meaning = await meaningOf(config, where, signal);
  switch (meaning.kind) {
    case 'url':
      return [{ ...urlStream(config, where, meaning.url), isOnly: true }];
    case 'pattern':
      return [{ ...patternStream(config, where, meaning.pattern), isOnly: true }];
    case 'file':
      return [{ ...fileStream(where, meaning.path, config.name ?? basename(partsOf(meaning.path).stem)), isOnly: true }];
    default:
      return meaning.isMissing ? [] : folderStreams(config, where, meaning.path, signal, names);
  }
}

/** The stream of a name; throws when there is none. */
export async function findStream(config: FilesConfig, where: Whereabouts, name: string, signal: AbortSignal): Promise<FileStream> {
  const found = streamNamed(await streamsOf(config, where, signal, [name]), name);
  if (found) return found;
  const streams = await streamsOf(config, where, signal);
  throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${name}" here.`, {
    hint:
      streams.length > 0
        ? `There is: ${streams
            .slice(0, 10)
            .map((stream) => stream.name)
            .join(', ')}${streams.length > 10 ? ', …' : ''}.`
        : 'There are no files yet.',
  });
}

/** The stream that a name means: its own, or that of its file. */
export function streamNamed(streams: readonly FileStream[], name: string): FileStream | undefined {
  return streams.find((stream) => stream.name === name) ?? streams.find((stream) => stream.path && basename(stream.path) === name);
}

function fileStream({ place }: Whereabouts, path: string, name: string): FileStream {
  return {
    name,
    path,
    list: async (signal) => [await place.file(path, basename(path), signal)],
    remembered: (file, signal) => recall(place, path, file, signal),
  };
}

/** Every file of a folder is a stream, and every folder in it is one of all the files below. */
async function folderStreams(
  config: FilesConfig,
  where: Whereabouts,
  path: string,
  signal: AbortSignal,
  wanted?: readonly string[],
): Promise<FileStream[]> {
  const { place } = where;
  const folder = await place.folder(path, signal);
  const isData = (name: string): boolean => config.format !== 'auto' || formatOf(name) !== undefined;
  // A file is called by its stem or in full, a folder by its name, with a slash where a file has the stem.
  const stemsOf = wanted && new Set(wanted.flatMap((name) => [name, name.replace(/\/$/, ''), partsOf(name).stem]));
  const isWanted = (stem: string): boolean => stemsOf === undefined || stemsOf.has(stem);
  const found = await filesMatching(place, folder, ['*'], path, signal);
  const data = found.flatMap(({ path: name }) => (isData(name) && (isWanted(partsOf(name).stem) || isWanted(name)) ? [name] : []));
  const folders: string[] = [];
  for (const entry of await place.entries(folder, signal)) {
    if (!entry.isDirectory() || entry.name.startsWith('.') || !isWanted(entry.name)) continue;
    const below = await filesMatching(place, join(folder, entry.name), ['**'], path, signal).catch((error: unknown) => {
      if (error instanceof OutsideError && error.code === 'PATH_REFUSED') return [];
      throw error;
    });
    if (below.some(({ path: name }) => isData(name))) folders.push(entry.name);
  }
  // Two files with the same stem are told apart by their endings.
  const stems = new Map<string, number>();
  for (const name of [...data.map((file) => partsOf(file).stem), ...folders]) stems.set(name, (stems.get(name) ?? 0) + 1);
  const files = data.map((file) => {
    const { stem } = partsOf(file);
    return fileStream(where, join(folder, file), stems.get(stem) === 1 ? stem : file);
  });
  const deep = folders.map((name) => {
    const label = stems.get(name) === 1 ? name : `${name}/`;
    return filesStream(config, where, label, join(folder, name), ['**'], name);
  });
  return [...files, ...deep].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function filesStream(
  config: FilesConfig,
  { place }: Whereabouts,
  name: string,
  folder: string,
  segments: readonly string[],
  given: string,
): FileStream {
  return {
    name,
    list: async (signal) => {
      const found = await filesMatching(place, folder, segments, given, signal);
      const isPlain = segments.length === 1 && segments[0] === '**';
      const wanted = isPlain && config.format === 'auto' ? found.filter(({ path }) => formatOf(path) !== undefined) : found;
      // One after the other: there may be thousands.
      const files: DataFile[] = [];
      for (const { path, entry } of wanted) files.push(await place.file(join(folder, path), path, signal, entry));
      return files;
    },
    remembered: async () => undefined,
  };
}

function patternStream(config: FilesConfig, where: Whereabouts, pattern: string): FileStream {
  const { folder, segments } = splitPattern(pattern);
  const { place } = where;
  const name = config.name ?? nameOfPattern(folder, segments);
  return {
    name,
    list: async (signal) => {
      try {
        return await filesStream(config, where, name, await place.folder(folder, signal), segments, pattern).list(signal);
      } catch (error) {
        if (!(error instanceof OutsideError) || error.code !== 'FILE_MISSING') throw error;
        throw new OutsideError('config', 'FILE_MISSING', `No file matches "${pattern}".`, {
          field: 'path',
          hint: `Check the pattern; ${place.pathHint}. "*" stays within a folder, "**" goes into all below.`,
        });
      }
    },
    remembered: async () => undefined,
  };
}

/** `exports/orders-*.csv` is called `orders`; `exports/*.csv` after its folder. */
function nameOfPattern(folder: string, segments: readonly string[]): string {
  const last = partsOf(segments.at(-1) ?? '').stem.replace(/\{[^}]*\}|\[[^\]]*\]/g, '*');
  const word = last
    .split(/[*?]+/)
    .map((part) => part.replace(/^[-_. ]+|[-_. ]+$/g, ''))
    .find((part) => part !== '');
  const above = basename(folder);
  return word ?? (above === '' || above === '.' ? 'files' : above);
}

function urlStream(config: FilesConfig, { reach }: Whereabouts, url: string): FileStream {
  const urls = expandBraces(url);
  const remote = remoteOf(reach, config.authorization);
  const nameOf = (one: string): string => {
    const { origin, pathname } = new URL(one);
    return origin + pathname;
  };
  const name =
    config.name ?? (basename(partsOf(decodeURIComponent(new URL(urls[0] as string).pathname)).stem).replace(/[-_.]+$/, '') || 'file');
  return {
    name: config.name ?? (urls.length > 1 ? stemOfUrl(url, name) : name),
    list: async (signal) => {
      const files: DataFile[] = [];
      for (const one of urls) {
        const file = await remoteFile(remote, one, urls.length === 1 ? nameOf(one) : withQuery(one), signal);
        if (file) files.push(file);
      }
      if (files.length === 0)
        throw new OutsideError('config', 'FILE_MISSING', `There is nothing at ${nameOf(urls[0] as string)} (404).`, {
          field: 'url',
          hint: 'Check the address.',
        });
      return files;
    },
    remembered: async () => undefined,
  };
}

/** Several addresses may differ in their queries alone; what they hold is not shown. */
function withQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return search === '' ? origin + pathname : `${origin}${pathname}?${hashOf(search)}`;
}

function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash.toString(36);
}

function stemOfUrl(url: string, fallback: string): string {
  const last = url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  const word = partsOf(last)
    .stem.replace(/\{[^}]*\}/g, '')
    .replace(/^[-_.]+|[-_.]+$/g, '');
  return word || fallback;
}
