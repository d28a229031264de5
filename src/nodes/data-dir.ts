import { readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../lib/log.ts';
import { rememberFiles } from '../lib/same-files.ts';
import type { DiskRoom } from './presence.ts';

const LOOK_INTERVAL = 1_000;
const FOR_GROUP = 0o070;
const FOR_ALL = 0o007;
const SET_GROUP = 0o2000;

/** Tells when others than this user can get at the data directory: all that Syncline knows is in it, customers and keys to other systems. */
export function tellOpenDataDir(dataDir: string, log: Logger): void {
  const mode = modeOf(dataDir);
  if (mode === undefined || !isOpen(mode)) return;
  const files = readdirSync(dataDir).filter((name) => {
    const own = modeOf(join(dataDir, name));
    return own !== undefined && isOpen(own);
  });
  log.warn(
    { data_dir: dataDir, mode: (mode & 0o777).toString(8).padStart(4, '0'), open_files: files },
    'others on this machine can look into the data directory. Give it to this user alone: chmod -R go= on it',
  );
}

/** A folder with the set-group bit was given to a group on purpose: so a platform lends a volume to the user of a container. */
function isOpen(mode: number): boolean {
  return (mode & FOR_ALL) !== 0 || ((mode & FOR_GROUP) !== 0 && (mode & SET_GROUP) === 0);
}

function modeOf(path: string): number | undefined {
  // Elsewhere the bits say nothing.
  if (process.platform === 'win32') return undefined;
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

/** The room that is left for the data directory, as its user has it; null where nobody can tell. */
export async function roomFor(dataDir: string): Promise<DiskRoom | null> {
  try {
    const { bavail, bfree, blocks, bsize } = await statfs(dataDir);
    // What only root may fill does not count, as `df` does it.
    return { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize };
  } catch {
    return null;
  }
}

export interface DataDirWatch {
  /** What is wrong with it, in words. */
  problem(): string | undefined;
  close(): void;
}

/**
 * For a node whose orders are elsewhere, on a server. Losing the folder loses none of them, but the next start would miss the key for the
 * secrets of sources, and files that synchronizations read and write are there.
 */
export function watchDataDir(dataDir: string, log: Logger): DataDirWatch {
  const lost = rememberFiles([dataDir, join(dataDir, 'secret-key')]);
  const words =
    `Its data directory ${dataDir} was removed or replaced while it runs. Orders are safe in PostgreSQL. ` +
    'Put the folder back before the next start: secret-key is in it, unless SYNCLINE_SECRET_KEY is set, and files of synchronizations.';
  let missing: string | undefined;
  const timer = setInterval(() => {
    const before = missing;
    missing = lost();
    if (missing !== undefined && before === undefined) log.error({ file: missing }, words);
    if (missing === undefined && before !== undefined) log.info({ data_dir: dataDir }, 'the data directory is back');
  }, LOOK_INTERVAL).unref();
  return { problem: () => (missing === undefined ? undefined : words), close: () => clearInterval(timer) };
}
