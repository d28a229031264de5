import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { aborted, OutsideError } from '../errors.ts';
import { Arriving } from './arriving.ts';
import type { Problem } from './problem.ts';

export interface Bounds {
  /** Milliseconds of silence, before an answer and in the middle of it. */
  timeout: number;
  /** Milliseconds that we wait for an answer in all; without, for as long as it comes quickly enough. */
  total?: number;
  /** Of the body, unpacked; without, any number. */
  bytes?: number;
  /** Below this, a body only drips. */
  bytesPerSecond: number;
  /** Whether that counts for each `timeout` of waiting anew, or for the body so far. */
  pace: 'each' | 'so far';
}

/** How much of a body is taken in before it is asked for, so that a small page never holds its connection up. */
const READ_AHEAD = 1024 * 1024;

/** The body of an answer as it was sent. */
export function packed(response: IncomingMessage): Arriving {
  return new Arriving(response, response.readableHighWaterMark);
}

export function unpacked(response: IncomingMessage, unknown: () => OutsideError): Arriving {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoderOf(encoding);
  // The decoder tells of what fails on the way to it.
  if (decoder)
    return new Arriving(
      pipeline(response, decoder, () => {}),
      READ_AHEAD,
    );
  const body = new Arriving(response, READ_AHEAD);
  if (decoder === undefined) body.destroy(unknown());
  return body;
}

/** Null when nothing is packed, undefined when we cannot unpack it. */
function decoderOf(encoding: string): Transform | null | undefined {
  switch (encoding) {
    case 'identity':
    case '':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return undefined;
  }
}

export async function* bounded(
  body: Arriving,
  bounds: Bounds,
  signal: AbortSignal,
  explain: (problem: Problem) => OutsideError,
): AsyncGenerator<Buffer> {
  const stop = (): void => body.destroy(aborted());
  signal.addEventListener('abort', stop, { once: true });
  const { timeout, total = Number.POSITIVE_INFINITY, bytes: most = Number.POSITIVE_INFINITY } = bounds;
  let bytes = 0;
  // Only the time that the other side let us wait counts, not the time that our own reader takes.
  let waited = 0;
  let counted = { bytes: 0, waited: 0 };
  try {
    for (;;) {
      if (signal.aborted) throw aborted();
      const value = body.take();
      if (value === undefined) {
        const from = performance.now();
        const timer = setTimeout(() => body.destroy(explain({ what: 'silent' })), timeout);
        const isMore = await body.more().finally(() => clearTimeout(timer));
        const time = performance.now() - from;
        waited += time;
        counted.waited += time;
        if (!isMore) return;
        continue;
      }
      bytes += value.length;
      if (bytes > most) throw explain({ what: 'large', bytes: most });
      if (waited > total) throw explain({ what: 'endless', milliseconds: total });
      counted.bytes += value.length;
      if (counted.waited > timeout) {
        if (counted.bytes < (bounds.bytesPerSecond * counted.waited) / 1000) throw explain({ what: 'dripping' });
        if (bounds.pace === 'each') counted = { bytes: 0, waited: 0 };
      }
      yield value;
    }
  } catch (error) {
    throw signal.aborted ? aborted() : error instanceof OutsideError ? error : explain({ what: 'broken', error });
  } finally {
    signal.removeEventListener('abort', stop);
    body.destroy();
  }
}

/** The first part of a body as text, whatever it is. */
export async function readText({ body }: { body: AsyncIterable<Buffer> }, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}
