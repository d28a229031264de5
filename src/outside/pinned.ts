import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

// Opens something to look at it and to begin paths at it, and for nothing else: no pipe waits, no device wakes up, and closing it
// lets go of no locks.
const O_PATH = 0o10000000;
const OPEN_FILES = '/proc/self/fd';
/** Elsewhere things are known by their names alone, which are looked at before and after. */
const CAN_PIN = process.platform === 'linux' && existsSync(OPEN_FILES);

/** What tells a file or folder from every other one, whatever it is called. */
export type Identity = string;

export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): Identity {
  return `${dev}:${ino}`;
}

/** The identity of what a path leads to; undefined when nothing is there. */
export function identityAt(path: string): Identity | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && identityOf(stats);
}

/** A file or folder that is held, so that nobody can put another in its place between looking and using. */
export class Pinned {
  readonly #fd: number | undefined;
  #isClosed = false;
  /** Its real path, when it was opened. */
  readonly path: string;
  readonly stats: BigIntStats;

  private constructor(fd: number | undefined, path: string, stats: BigIntStats) {
    this.#fd = fd;
    this.path = path;
    this.stats = stats;
  }

  /** Throws what the system says. With `isLast`, a link is not followed: it is what was opened. */
  static open(path: string, { isLast = false } = {}): Pinned {
    if (!CAN_PIN) {
      const real = isLast ? join(realpathSync(dirname(path)), basename(path)) : realpathSync(path);
      return new Pinned(undefined, real, lstatSync(real, { bigint: true }));
    }
    const fd = openSync(path, O_PATH | (isLast ? constants.O_NOFOLLOW : 0));
    try {
      return new Pinned(fd, readlinkSync(`${OPEN_FILES}/${fd}`), fstatSync(fd, { bigint: true }));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get identity(): Identity {
    return identityOf(this.stats);
  }

  /** A path that leads to it, or to a name in it, wherever it has been moved to since. */
  at(name?: string): string {
    // The number may be another file's by now.
    if (this.#isClosed) throw new Error(`"${this.path}" was let go of.`);
    const self = this.#fd === undefined ? this.path : `${OPEN_FILES}/${this.#fd}`;
    return name === undefined ? self : `${self}/${name}`;
  }

  /** Which mount it was opened through; undefined where nobody can tell. Within one mount, a folder has one name. */
  get mount(): string | undefined {
    if (this.#fd === undefined) return undefined;
    return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${this.#fd}`, 'latin1'))?.[1];
  }

  /** The folder that a file lies in; undefined when it is there no longer. */
  parent(): Pinned | undefined {
    const folder = Pinned.open(dirname(this.path));
    const found = lstatSync(folder.at(basename(this.path)), { bigint: true, throwIfNoEntry: false });
    if (found && identityOf(found) === this.identity) return folder;
    folder.close();
    return undefined;
  }

  /** A folder and those above it, the nearest first. */
  *upwards(): Generator<Identity> {
    yield this.identity;
    const depth = this.path.split('/').filter((name) => name !== '').length;
    for (let above = 1; above <= depth; above++)
      yield identityOf(
        statSync(this.#fd === undefined ? join(this.path, '../'.repeat(above)) : this.at('../'.repeat(above)), { bigint: true }),
      );
  }

  close(): void {
    if (this.#fd !== undefined && !this.#isClosed) closeSync(this.#fd);
    this.#isClosed = true;
  }
}

/** A path that leads to a file which is open, whatever became of its name. */
export function pathOfOpen(fd: number, path: string): string {
  return CAN_PIN ? `${OPEN_FILES}/${fd}` : path;
}

/** How many of the files that this process has open are this one; undefined where nobody can tell. */
export function timesOpen(identity: Identity): number | undefined {
  if (!CAN_PIN) return undefined;
  return readdirSync(OPEN_FILES).filter((fd) => identityAt(`${OPEN_FILES}/${fd}`) === identity).length;
}
