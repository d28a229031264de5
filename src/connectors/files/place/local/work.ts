import { randomBytes } from 'node:crypto';
import { constants, copyFile, type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf, OutsideError } from '../../../../outside/errors.ts';
import { fileError } from '../../../../outside/file-errors.ts';
import { pathOfOpen } from '../../../../outside/pinned.ts';
import type { Folder, Roots } from '../../../../outside/roots.ts';
import type { Segment } from '../../target/stage-state.ts';
import type { WorkPlace } from '../place.ts';
import { FILE_MODE, readAndClose, syncFolder, takeAfter, writeSafely } from './safe-write.ts';

const PORTION = 1024 * 1024;

/** A folder beside the target. */
export class LocalWork implements WorkPlace {
  readonly #roots: Roots;
  readonly #path: string;
  readonly #name: string;
  readonly #target: Folder;
  readonly #folder: Folder;
  /** The segments that are being added to. */
  readonly #open = new Map<string, FileHandle>();

  constructor(roots: Roots, path: string, target: Folder, folder: Folder) {
    this.#roots = roots;
    this.#path = path;
    this.#name = basename(path);
    this.#target = target;
    this.#folder = folder;
  }

  names(): Promise<string[]> {
    return readdir(this.#folder.at('.')).catch((error: unknown) => {
      throw fileError(error, basename(this.#folder.path));
    });
  }

  async read(name: string): Promise<string | undefined> {
    try {
      return await readAndClose(await this.#folder.open(name));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error instanceof OutsideError ? error : fileError(error, name);
    }
  }

  save(name: string, text: string): Promise<void> {
    return writeSafely(this.#folder.at(name), text, this.#name);
  }

  remove(name: string): Promise<void> {
    return rm(this.#folder.at(name), { force: true });
  }

  async append(segment: Segment, lines: Buffer): Promise<Segment> {
    const { name, bytes } = segment;
    let handle = this.#open.get(name);
    if (!handle) this.#open.set(name, (handle = await open(this.#folder.at(name), 'wx', 0o600)));
    for (let at = 0; at < lines.length; ) at += (await handle.write(lines, at, lines.length - at, bytes + at)).bytesWritten;
    await handle.datasync();
    return { ...segment, bytes: bytes + lines.length };
  }

  async *bytes({ name, bytes }: Segment): AsyncGenerator<Buffer> {
    const handle = await this.#folder.open(name);
    try {
      for (let at = 0; at < bytes; ) {
        const chunk = Buffer.allocUnsafeSlow(Math.min(PORTION, bytes - at));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async make(name: string, chunks: AsyncIterable<Buffer>, grows: boolean, signal: AbortSignal): Promise<string> {
    const path = this.#folder.at(name);
    if (grows) await this.#copyTo(path);
    await writeFile(path, chunks, signal);
    await takeAfter(this.#target.at(this.#name), path);
    const { size, mtimeNs } = await stat(path, { bigint: true });
    return `${size}-${mtimeNs}`;
  }

  /** Copies the bytes of the target, as they are. */
  async #copyTo(final: string): Promise<void> {
    const handle = await this.#roots.open(this.#path);
    try {
      await copyFile(pathOfOpen(handle.fd, this.#path), final, constants.COPYFILE_FICLONE);
    } finally {
      await handle.close();
    }
  }

  async replace(name: string): Promise<boolean> {
    try {
      await rename(this.#folder.at(name), this.#target.at(this.#name));
      await syncFolder(this.#target.at('.'));
    } catch (error) {
      // Gone: it took its place before the worker that did it could say so.
      if (codeOf(error) !== 'ENOENT') throw fileError(error, this.#name);
    }
    return true;
  }

  scratch(): string {
    return this.#folder.at(`0-${randomBytes(6).toString('hex')}.tmp`);
  }

  async rest(): Promise<void> {
    for (const [name, handle] of this.#open) {
      this.#open.delete(name);
      await handle.close().catch(() => {});
    }
  }

  close(): void {
    this.#folder.close();
  }
}

/** Writes bytes to a file, behind what it holds, and waits until they are on the disk. */
async function writeFile(path: string, chunks: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  try {
    const handle = await open(path, 'a', FILE_MODE);
    try {
      for await (const chunk of chunks) {
        if (signal.aborted) break;
        for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw codeOf(error) === undefined ? error : fileError(error, basename(path));
  }
}
