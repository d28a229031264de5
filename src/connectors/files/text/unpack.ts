import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { OutsideError } from '../../../outside/errors.ts';
import type { Compression } from '../source/data-file.ts';
import { toUtf8 } from './encoding.ts';

// The window of a zstd file is held in memory; a file says itself how large. `zstd --ultra` stays below.
const MAX_WINDOW_LOG = 26;

/** The bytes of a packed file unpacked, a piece at a time: however much it swells, only a few pieces are in memory. */
export async function* unpack(packed: AsyncIterable<Buffer>, compression: Compression, name: string): AsyncGenerator<Buffer> {
  if (compression === 'none') {
    yield* packed;
    return;
  }
  const unpacker =
    compression === 'gzip'
      ? createGunzip({ chunkSize: 256 * 1024 })
      : createZstdDecompress({ chunkSize: 256 * 1024, params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } });
  const source = Readable.from(packed, { objectMode: false, highWaterMark: 256 * 1024 });
  // An error of either reaches the loop below through the other.
  pipeline(source, unpacker, () => {});
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof OutsideError) throw error;
    const code = (error as { code?: string }).code ?? '';
    if (!/^(Z_|ERR_ZSTD|ZSTD_)/.test(code)) throw error;
    throw new OutsideError(
      'data',
      'ARCHIVE_BROKEN',
      `"${name}" cannot be unpacked: its ${compression} data is cut off or damaged (${code}).`,
      {
        hint: 'Make or copy the file again. If it is still being written, read it when it is complete.',
        cause: error,
      },
    );
  }
}

/** A file's text as UTF-8, unpacked, without the byte order mark, from a place on. */
export async function* textOf(
  packed: AsyncIterable<Buffer>,
  { compression, encoding, mark }: { compression: Compression; encoding: string; mark: number },
  name: string,
): AsyncGenerator<Buffer> {
  const bytes = without(unpack(packed, compression, name), mark);
  yield* encoding === 'utf-8' ? bytes : toUtf8(bytes, encoding);
}

/** All but the first bytes. */
export async function* without(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of chunks) {
    if (left >= chunk.length) left -= chunk.length;
    else {
      yield left === 0 ? chunk : chunk.subarray(left);
      left = 0;
    }
  }
}

/** Bytes that were taken already, and what follows. */
export async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
