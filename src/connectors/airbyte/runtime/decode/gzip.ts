import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { OutsideError } from '../../../../outside/errors.ts';

/** What was packed by gzip; anything else stays as it is. */
export async function* unpackedGzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await rest.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const all = joined(head, rest);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  const source = Readable.from(all);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof OutsideError) throw error;
    throw new OutsideError('transient', 'ANSWER_BROKEN', 'The API sent a file that cannot be unpacked.', { cause: error });
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
