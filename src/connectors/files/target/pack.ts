import { pipeline, Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Compression } from '../source/data-file.ts';
import { encodeText, markFor } from '../text/encoding.ts';
import type { FileReading } from '../source/look.ts';
import { type Digits, parquetBytes } from '../../../lib/parquet-writer.ts';
import { csvWriter, jsonlWriter } from '../text/writers.ts';

const PORTION = 1024 * 1024;

/** Rows as the bytes of a file. `isContinued`: they go behind others that are there, so that no header and mark are needed. */
export async function* fileBytes(
  reading: FileReading,
  fields: readonly Field[],
  digits: Digits,
  batches: AsyncIterable<readonly Row[]>,
  isContinued = false,
): AsyncGenerator<Buffer> {
  if (reading.format === 'parquet') {
    yield* parquetBytes(fields, digits, batches);
    return;
  }
  yield* pack(textBytes(reading, fields, batches, isContinued), reading.compression);
}

async function* textBytes(
  reading: FileReading,
  fields: readonly Field[],
  batches: AsyncIterable<readonly Row[]>,
  isContinued: boolean,
): AsyncGenerator<Buffer> {
  const csv = reading.dialect && csvWriter(reading.dialect, fields);
  const toText = csv ? csv.row : jsonlWriter(fields);
  const encode = (text: string): Buffer => {
    const bytes = encodeText(text, reading.encoding);
    if (bytes) return bytes;
    // Rows were looked at before: this can only be a name.
    throw new OutsideError('config', 'ENCODING_UNSUPPORTED', `The names of the fields cannot be written in ${reading.encoding}.`, {
      field: 'encoding',
    });
  };
  if (!isContinued) {
    yield markFor(reading.encoding);
    if (csv && reading.dialect?.header) yield encode(csv.header);
  }
  let text = '';
  for await (const rows of batches) {
    for (const row of rows) {
      text += toText(row);
      if (text.length < PORTION) continue;
      yield encode(text);
      text = '';
    }
  }
  if (text !== '') yield encode(text);
}

async function* pack(chunks: AsyncIterable<Buffer>, compression: Compression): AsyncGenerator<Buffer> {
  if (compression === 'none') {
    yield* chunks;
    return;
  }
  const packer = compression === 'gzip' ? createGzip() : createZstdCompress();
  pipeline(Readable.from(chunks, { objectMode: false }), packer, () => {});
  for await (const chunk of packer) yield chunk as Buffer;
}
