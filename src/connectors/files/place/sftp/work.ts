import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aborted, OutsideError } from '../../../../outside/errors.ts';
import type { Segment } from '../../target/stage-state.ts';
import type { WorkPlace } from '../place.ts';
import type { RemoteHandle, SftpClient } from './client.ts';
import { type RemoteFiles, stampOf } from './files.ts';

const FILE_MODE = 0o640;
const OWN_MODE = 0o600;
const MAX_TEXT = 64 * 1024 * 1024;

/** A folder beside the target, at the other side. */
export class SftpWork implements WorkPlace {
  readonly #client: SftpClient;
  readonly #files: RemoteFiles;
  readonly #path: string;
  readonly #folder: string;
  /** The segments that are being added to. */
  readonly #open = new Map<string, RemoteHandle>();

  constructor(client: SftpClient, files: RemoteFiles, path: string, folder: string) {
    this.#client = client;
    this.#files = files;
    this.#path = path;
    this.#folder = folder;
  }

  #at(name: string): string {
    return `${this.#folder}/${name}`;
  }

  async names(): Promise<string[]> {
    return (await this.#files.list(this.#folder)).map(({ name }) => name);
  }

  read(name: string): Promise<string | undefined> {
    return textOf(this.#files, this.#at(name));
  }

  save(name: string, text: string): Promise<void> {
    return saveText(this.#files, this.#at(name), text);
  }

  async remove(name: string): Promise<void> {
    await this.#files.remove(this.#at(name));
  }

  async append(segment: Segment, lines: Buffer): Promise<Segment> {
    const { name, bytes } = segment;
    const path = this.#at(name);
    let handle = this.#open.get(name);
    if (!handle || !this.#client.isThere(handle)) this.#open.set(name, (handle = await this.#files.create(path, false, OWN_MODE)));
    await this.#files.write(handle, path, bytes, lines);
    await this.#files.sync(handle, path);
    return { ...segment, bytes: bytes + lines.length };
  }

  async *bytes({ name, bytes }: Segment): AsyncGenerator<Buffer> {
    let left = bytes;
    for await (const chunk of this.#files.bytes(this.#at(name), 0)) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  }

  async make(name: string, chunks: AsyncIterable<Buffer>, grows: boolean, signal: AbortSignal): Promise<string> {
    const path = this.#at(name);
    const before = await this.#files.stat(this.#path);
    const handle = await this.#files.create(path, true, FILE_MODE);
    let at = 0;
    const put = async (bytes: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of bytes) {
        if (signal.aborted) throw aborted();
        await this.#files.write(handle, path, at, chunk);
        at += chunk.length;
      }
    };
    let stamp: string;
    try {
      if (grows) await put(this.#files.bytes(this.#path, 0));
      await put(chunks);
      await this.#files.sync(handle, path);
      stamp = stampOf(await this.#files.statOpen(handle, path));
    } catch (error) {
      await this.#files.letGo(handle);
      throw error;
    }
    await this.#files.closeOpen(handle, path);
    if (before) await this.#files.setMode(path, before.mode);
    return stamp;
  }

  async replace(name: string): Promise<boolean> {
    // One that is gone took its place before the worker that did it could say so.
    await this.#files.replace(this.#at(name), this.#path);
    return true;
  }

  scratch(): string {
    return join(tmpdir(), `syncline-${randomBytes(9).toString('hex')}.tmp`);
  }

  async rest(): Promise<void> {
    for (const [name, handle] of this.#open) {
      this.#open.delete(name);
      await this.#files.letGo(handle);
    }
  }

  close(): void {}
}

/** All of a small file; undefined when there is none. */
export async function textOf(files: RemoteFiles, path: string): Promise<string | undefined> {
  if (!(await files.stat(path))) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of files.bytes(path, 0)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_TEXT)
      throw new OutsideError('transient', 'STAGE_LOST', `"${path}" is damaged: it is too long to be what was kept there.`);
  }
  return Buffer.concat(chunks).toString();
}

/** Writes a small file so that it is there as a whole or not at all. */
export async function saveText(files: RemoteFiles, path: string, text: string): Promise<void> {
  const scratch = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await files.create(scratch, true, OWN_MODE);
  await files.write(handle, scratch, 0, Buffer.from(text));
  await files.sync(handle, scratch);
  await files.closeOpen(handle, scratch);
  await files.replace(scratch, path);
}
