import { OutsideError } from '../../../../outside/errors.ts';
import { type SshReader, string, uint32, uint64 } from '../../../../outside/ssh/wire.ts';
import { OK, type RemoteHandle, type SftpAnswer, type SftpClient, statusOf } from './client.ts';
import { AnswerPace } from './pace.ts';

const [OPEN, CLOSE, READ, WRITE, LSTAT, FSTAT, SETSTAT, OPENDIR, READDIR, REMOVE, MKDIR, STAT, RENAME, EXTENDED] = [
  3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 200,
];
const [HANDLE, DATA, NAME, ATTRS] = [102, 103, 104, 105];
const [EOF, NO_SUCH_FILE, PERMISSION_DENIED] = [1, 2, 3];
const [READING, WRITING, CREATING, CUTTING] = [0x01, 0x02, 0x08, 0x10];
const [WITH_SIZE, WITH_OWNER, WITH_MODE, WITH_TIMES, WITH_MORE] = [0x01, 0x02, 0x04, 0x08, 0x80000000];
// So much is asked for at a time, which every server takes, and so many requests are under way.
const PIECE = 32 * 1024;
const AT_ONCE = 32;
const MAX_ENTRIES = 1_000_000;
const MAX_LIST = 256 * 1024 * 1024;
// A server that sends a few bytes now and then would hold a run without end.
const [SLOW_BYTES, SLOW_LIST] = [512, 64];

/** What a server tells of a file. */
export interface Attributes {
  readonly size: number;
  readonly modified: number;
  readonly mode: number;
}

export const isFolder = ({ mode }: Attributes): boolean => (mode & 0o170000) === 0o040000;
export const isRegular = ({ mode }: Attributes): boolean => (mode & 0o170000) === 0o100000;
export const isLink = ({ mode }: Attributes): boolean => (mode & 0o170000) === 0o120000;
/** Another text whenever a file may have changed; times have no more than seconds here. */
export const stampOf = ({ size, modified }: Attributes): string => `${size}-${modified}`;

/** Files and folders of the other side. What is missing is an error with the code `FILE_MISSING`. */
export class RemoteFiles {
  readonly #client: SftpClient;

  constructor(client: SftpClient) {
    this.#client = client;
  }

  async stat(path: string, follows = true): Promise<Attributes | undefined> {
    const answer = await this.#client.ask(follows ? STAT : LSTAT, string(path));
    if (answer.kind === ATTRS) return attributesOf(answer.reader);
    const code = statusOf(answer);
    if (code === NO_SUCH_FILE) return undefined;
    throw this.#fault(code, path);
  }

  async list(path: string): Promise<{ name: string; about: Attributes }[]> {
    const handle = await this.#handle(path, OPENDIR, string(path));
    const pace = this.#pace(SLOW_LIST);
    const found: { name: string; about: Attributes }[] = [];
    // What is passed by counts as well: a list of nothing could be without end.
    let [entries, bytes] = [0, 0];
    try {
      for (;;) {
        const answer = await pace.during(this.#client.askAbout(handle, READDIR, string(handle.bytes)));
        if (answer.kind !== NAME) {
          const code = statusOf(answer);
          if (code === EOF) return found;
          throw this.#fault(code, path);
        }
        const { reader } = answer;
        pace.add(reader.left);
        bytes += reader.left;
        const count = reader.uint32();
        if (count === 0) throw this.#client.broken('a part of a list has nothing in it');
        entries += count;
        if (entries > MAX_ENTRIES || bytes > MAX_LIST)
          throw new OutsideError('config', 'TOO_MANY_FILES', `"${path}" has too many files.`, { field: 'path' });
        for (let n = 0; n < count; n++) {
          const name = reader.text();
          reader.string();
          const about = attributesOf(reader);
          // A name is a name: one that leads elsewhere is none.
          if (name !== '.' && name !== '..' && name !== '' && !/[/\0]/.test(name)) found.push({ name, about });
        }
      }
    } finally {
      await this.letGo(handle);
    }
  }

  /** The bytes of a file from an offset on; several requests are under way at a time. */
  async *bytes(path: string, from: number): AsyncGenerator<Buffer> {
    const handle = await this.#handle(path, OPEN, string(path), uint32(READING), uint32(0));
    const pending: Promise<Buffer>[] = [];
    const pace = this.#pace(SLOW_BYTES);
    let next = from;
    const more = (): void => {
      const piece = this.#piece(handle, path, next, PIECE, pace);
      // It is told when its turn comes.
      piece.catch(() => {});
      pending.push(piece);
      next += PIECE;
    };
    try {
      while (pending.length < AT_ONCE) more();
      for (;;) {
        const bytes = await (pending.shift() as Promise<Buffer>);
        if (bytes.length > 0) yield bytes;
        if (bytes.length < PIECE) return;
        more();
      }
    } finally {
      await Promise.allSettled(pending);
      await this.letGo(handle);
    }
  }

  /** A part of a file. */
  async slice(path: string, from: number, to: number): Promise<Buffer> {
    const handle = await this.#handle(path, OPEN, string(path), uint32(READING), uint32(0));
    const pace = this.#pace(SLOW_BYTES);
    try {
      const parts: Buffer[] = [];
      for (let at = from; at < to; at += PIECE * AT_ONCE) {
        const offsets = Array.from({ length: AT_ONCE }, (_, n) => at + n * PIECE).filter((offset) => offset < to);
        parts.push(...(await Promise.all(offsets.map((offset) => this.#piece(handle, path, offset, Math.min(PIECE, to - offset), pace)))));
      }
      return Buffer.concat(parts);
    } finally {
      await this.letGo(handle);
    }
  }

  /** As many bytes as are asked for, or fewer at the end of the file. */
  async #piece(handle: RemoteHandle, path: string, from: number, length: number, pace: AnswerPace): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = 0; at < length; ) {
      const answer = await pace.during(this.#client.askAbout(handle, READ, string(handle.bytes), uint64(from + at), uint32(length - at)));
      if (answer.kind !== DATA) {
        const code = statusOf(answer);
        if (code === EOF) break;
        throw this.#fault(code, path);
      }
      const bytes = answer.reader.string();
      if (bytes.length === 0 || bytes.length > length - at) throw this.#client.broken('a part of a file has an impossible length');
      pace.add(bytes.length);
      parts.push(Buffer.from(bytes));
      at += bytes.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Opens a file for writing, made when it is missing; `isNew`: whatever it holds is forgotten. */
  create(path: string, isNew: boolean, mode: number): Promise<RemoteHandle> {
    const flags = WRITING | CREATING | (isNew ? CUTTING : 0);
    return this.#handle(path, OPEN, string(path), uint32(flags), uint32(WITH_MODE), uint32(mode));
  }

  async write(handle: RemoteHandle, path: string, from: number, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE * AT_ONCE) {
      const offsets = Array.from({ length: AT_ONCE }, (_, n) => at + n * PIECE).filter((offset) => offset < bytes.length);
      const answers = offsets.map((offset) => {
        const piece = bytes.subarray(offset, offset + PIECE);
        return this.#done(path, this.#client.askAbout(handle, WRITE, string(handle.bytes), uint64(from + offset), string(piece)));
      });
      await Promise.all(answers);
    }
  }

  /** Waits until what was written is on the disk, where the server can tell. */
  async sync(handle: RemoteHandle, path: string): Promise<void> {
    if (await this.#client.can('fsync@openssh.com'))
      await this.#done(path, this.#client.askAbout(handle, EXTENDED, string('fsync@openssh.com'), string(handle.bytes)));
  }

  async statOpen(handle: RemoteHandle, path: string): Promise<Attributes> {
    const answer = await this.#client.askAbout(handle, FSTAT, string(handle.bytes));
    if (answer.kind === ATTRS) return attributesOf(answer.reader);
    throw this.#fault(statusOf(answer), path);
  }

  async closeOpen(handle: RemoteHandle, path: string): Promise<void> {
    await this.#done(path, this.#client.askAbout(handle, CLOSE, string(handle.bytes)));
  }

  async setMode(path: string, mode: number): Promise<void> {
    await this.#done(path, this.#client.ask(SETSTAT, string(path), uint32(WITH_MODE), uint32(mode & 0o777)));
  }

  /** False when there was none. */
  async remove(path: string): Promise<boolean> {
    return this.#unlessMissing(path, await this.#client.ask(REMOVE, string(path)));
  }

  /** Puts a file in the place of another in one step. False when it is not there. */
  async replace(from: string, to: string): Promise<boolean> {
    if (await this.#client.can('posix-rename@openssh.com'))
      return this.#unlessMissing(to, await this.#client.ask(EXTENDED, string('posix-rename@openssh.com'), string(from), string(to)));
    const answer = statusOf(await this.#client.ask(RENAME, string(from), string(to)));
    if (answer === OK || answer === NO_SUCH_FILE) return answer === OK;
    if (!(await this.stat(to))) throw this.#fault(answer, to);
    throw new OutsideError(
      'config',
      'REPLACE_UNSUPPORTED',
      `${this.#client.where} cannot put a file in the place of another in one step.`,
      {
        field: 'place.host',
        hint: 'It needs the extension posix-rename@openssh.com, which OpenSSH has. New files can be written, files that are there cannot be written anew.',
      },
    );
  }

  /** Makes a folder; one that is there stays. */
  async makeFolder(path: string, mode: number): Promise<void> {
    const code = statusOf(await this.#client.ask(MKDIR, string(path), uint32(WITH_MODE), uint32(mode)));
    if (code === OK) return;
    const found = await this.stat(path);
    if (!found || !isFolder(found)) throw this.#fault(code, path);
  }

  #unlessMissing(path: string, answer: SftpAnswer): boolean {
    const code = statusOf(answer);
    if (code === OK || code === NO_SUCH_FILE) return code === OK;
    throw this.#fault(code, path);
  }

  async #done(path: string, answer: Promise<SftpAnswer>): Promise<void> {
    const code = statusOf(await answer);
    if (code !== OK) throw this.#fault(code, path);
  }

  async #handle(path: string, kind: number, ...parts: Buffer[]): Promise<RemoteHandle> {
    const answer = await this.#client.ask(kind, ...parts);
    if (answer.kind === HANDLE) return this.#client.handleOf(answer.reader.string());
    throw this.#fault(statusOf(answer), path);
  }

  /** Nothing depends on whether that arrives: a connection that is lost takes its handles with it. */
  async letGo(handle: RemoteHandle): Promise<void> {
    await this.#client.askAbout(handle, CLOSE, string(handle.bytes)).catch(() => {});
  }

  #pace(bytesPerSecond: number): AnswerPace {
    return new AnswerPace(this.#client.silence, bytesPerSecond, () => this.#client.tooSlow());
  }

  #fault(code: number | undefined, path: string): OutsideError {
    if (code === NO_SUCH_FILE)
      return new OutsideError('config', 'FILE_MISSING', `There is no file "${path}" at ${this.#client.where}.`, {
        field: 'path',
        hint: 'Check the path.',
      });
    if (code === PERMISSION_DENIED)
      return new OutsideError('auth', 'FILE_FORBIDDEN', `${this.#client.where} does not let Syncline touch "${path}".`, {
        field: 'path',
        hint: 'Give the user of the source the right to it.',
      });
    return new OutsideError(
      'transient',
      'FILE_FAILED',
      `${this.#client.where} could not use "${path}" (SFTP status ${code ?? 'unknown'}).`,
      {
        hint: 'Look whether its disk is full, and what its log says.',
      },
    );
  }
}

function attributesOf(reader: SshReader): Attributes {
  const flags = reader.uint32();
  const size = flags & WITH_SIZE ? reader.uint64() : 0;
  if (flags & WITH_OWNER) reader.take(8);
  const mode = flags & WITH_MODE ? reader.uint32() : 0;
  const modified = flags & WITH_TIMES ? reader.take(8).readUInt32BE(4) : 0;
  if ((flags & WITH_MORE) !== 0) {
    for (let count = reader.uint32(); count > 0; count--) {
      reader.string();
      reader.string();
    }
  }
  return { size, mode, modified };
}
