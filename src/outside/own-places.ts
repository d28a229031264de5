import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Identity, identityAt, identityOf, Pinned } from './pinned.ts';

/** Where files for connectors lie in the data directory: the one folder in it that is not Syncline's own. */
export const FILES_FOLDER = 'files';

/** The folder beside written files that holds what is not meant for readers: collected rows, checkpoints, types. */
export const KEPT_FOLDER = '.syncline';

/** Whose a file or folder is that no connector may touch. */
export type Owner = 'syncline' | 'system';

/** A folder of Syncline's own, or one that is mounted in it. */
interface OwnFolder {
  readonly path: string;
  readonly dev: bigint;
  readonly mount: string | undefined;
}

/** Tells what is Syncline's own or the system's, by what was opened and not by its name. */
export class OwnPlaces {
  readonly #dataDir: string;
  #places: OwnFolder[] | undefined;
  #program: string[] | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Whose it is, when no connector may touch it. `folder` is the one it lies in, or itself, `above` that one and all above it. */
  async ownerOf(opened: Pinned, folder: Pinned, above: readonly Identity[]): Promise<Owner | undefined> {
    if (isOfSystem(folder, above)) return 'system';
    // What lies below the folder for files is not Syncline's, even if that folder is below the program's.
    const files = identityAt(join(this.#dataDir, FILES_FOLDER));
    const shield = above.findIndex((identity) => identity === files);
    const near = shield < 0 ? above : above.slice(0, shield);
    this.#program ??= programFolders();
    if ([...this.#program, this.#dataDir].some((path) => near.includes(identityAt(path) ?? ''))) return 'syncline';
    if (!mayHaveAnotherName(opened, folder, this.#ownPlaces(this.#program))) return undefined;
    const own = await this.#everythingOwn(files);
    return own.has(opened.identity) || near.some((identity) => own.has(identity)) ? 'syncline' : undefined;
  }

  #ownPlaces(program: readonly string[]): OwnFolder[] {
    this.#places ??= [...program, this.#dataDir]
      .flatMap((path) => [path, ...mountedBelow(path).filter((point) => !isBelow(point, join(this.#dataDir, FILES_FOLDER)))])
      .flatMap((path) => placeAt(path) ?? []);
    return this.#places;
  }

  /** All that is in the places. The program does not change while it works, or hardly; the data directory does. */
  async #everythingOwn(files: Identity | undefined): Promise<Set<Identity>> {
    const program = this.#program ?? [];
    if (!walked || walked.files !== files || performance.now() - walked.at > KEPT_MS)
      walked = { at: performance.now(), files, found: Promise.all(program.map((folder) => everythingIn(folder, files))) };
    const found = [...(await walked.found), await everythingIn(this.#dataDir, files)];
    return new Set(found.flatMap((some) => [...some]));
  }
}

const KEPT_MS = 60_000;
let walked: { at: number; files: Identity | undefined; found: Promise<Set<Identity>[]> } | undefined;

/** A folder has another name only through another mount of the same disk, a file also by a second link. */
function mayHaveAnotherName(opened: Pinned, folder: Pinned, places: readonly OwnFolder[]): boolean {
  const { mount } = folder;
  const isFile = opened !== folder;
  if (mount === undefined || (isFile && (opened.stats.nlink > 1n || opened.mount !== mount))) return true;
  return places.some((place) => place.dev === folder.stats.dev && place.mount !== mount);
}

async function everythingIn(folder: string, except: Identity | undefined): Promise<Set<Identity>> {
  const found = new Set<Identity>();
  const visit = async (path: string): Promise<void> => {
    // Others have their turn between folders.
    await setImmediate();
    try {
      const identity = identityAt(path);
      if (identity === undefined || identity === except || found.has(identity)) return;
      found.add(identity);
      const folders: string[] = [];
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const inside = join(path, entry.name);
        if (entry.isDirectory()) folders.push(inside);
        else if (entry.isFile()) found.add(identityOf(lstatSync(inside, { bigint: true })));
      }
      for (const inside of folders) await visit(inside);
    } catch {
      // Gone meanwhile, or not for us to read: then nothing in it can be opened, either.
    }
  };
  await visit(folder);
  return found;
}

/**
 * The folders that code is loaded from: that of `package.json`, the packages, also where these lie beside or above, and the cache of
 * what was compiled.
 */
function programFolders(): string[] {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const packages = `${sep}node_modules${sep}`;
  const installed = folder.includes(packages) ? folder.slice(0, folder.indexOf(packages) + packages.length - 1) : undefined;
  const candidates = [folder, join(folder, 'node_modules'), installed, getCompileCacheDir()];
  const real = candidates.flatMap((path) => (path !== undefined && existsSync(path) ? realpathSync(path) : []));
  return real.filter((path, at) => real.indexOf(path) === at && !real.some((other) => other !== path && isBelow(path, other)));
}

function placeAt(path: string): OwnFolder | undefined {
  try {
    const pinned = Pinned.open(path);
    const place = { path, dev: pinned.stats.dev, mount: pinned.mount };
    pinned.close();
    return place;
  } catch {
    return undefined;
  }
}

/** Where something is mounted below a folder. */
function mountedBelow(folder: string): string[] {
  if (process.platform !== 'linux' || !existsSync('/proc/self/mountinfo')) return [];
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  // Spaces and the like are written as octal numbers.
  const plain = points.map((point) => point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
  return plain.filter((point) => point !== folder && isBelow(point, folder));
}

// What the kernel makes up: no user's files.
const KERNEL_TYPES: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0x6e736673, // namespaces
  0xcafe4a11, // bpf
  0x19800202, // message queues
  0xde5e81e4, // efi variables
  0xf97cff8c, // selinux
]);
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];

function isOfSystem(folder: Pinned, above: readonly Identity[]): boolean {
  if (SYSTEM_FOLDERS.some((path) => above.includes(identityAt(path) ?? ''))) return true;
  if (process.platform !== 'linux') return false;
  const devices = statSync('/dev', { bigint: true, throwIfNoEntry: false })?.dev;
  if (folder.stats.dev === devices && devices !== statSync('/', { bigint: true }).dev) return true;
  return KERNEL_TYPES.has(statfsSync(folder.at()).type);
}

/** Whether a path is a folder's or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
