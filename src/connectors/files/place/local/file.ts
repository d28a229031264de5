import type { FileHandle } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import { aborted } from '../../../../outside/errors.ts';
import { fileError } from '../../../../outside/file-errors.ts';
import type { Roots } from '../../../../outside/roots.ts';
import type { DataFile } from '../../source/data-file.ts';

const CHUNK = 256 * 1024;

/** A file in a folder that may be read. `path` is as given or as found; where it leads is checked each time it is opened. */
export async function localFile(roots: Roots, path: string, name: string): Promise<DataFile> {
  const real = await roots.existing(path);
  const { size, mtimeNs } = await stat(real, { bigint: true }).catch((error: unknown) => {
    throw fileError(error, name);
  });
  let opened: Promise<FileHandle> | undefined;
  return {
    name,
    stamp: `${size}-${mtimeNs}`,
    size: Number(size),
    bytes: (from, signal) => chunksOf(roots, path, name, from, signal),
    slice: async (from, to, signal) => {
      if (signal.aborted) throw aborted();
      const handle = await (opened ??= roots.open(path));
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, to - from));
      return bytes.subarray(0, await readFully(handle, bytes, from, name));
    },
    close: async () => {
      const handle = opened;
      opened = undefined;
      await handle?.then((file) => file.close()).catch(() => {});
    },
  };
}

async function readFully(handle: FileHandle, bytes: Buffer, from: number, name: string): Promise<number> {
  let at = 0;
  while (at < bytes.length) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, from + at).catch((error: unknown) => {
      throw fileError(error, name);
    });
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at;
}

async function* chunksOf(roots: Roots, path: string, name: string, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await roots.open(path);
  try {
    for (let at = from; ; ) {
      if (signal.aborted) throw aborted();
      const bytes = Buffer.allocUnsafeSlow(CHUNK);
      const length = await readFully(handle, bytes, at, name);
      if (length > 0) yield bytes.subarray(0, length);
      if (length < CHUNK) return;
      at += length;
    }
  } finally {
    await handle.close();
  }
}
