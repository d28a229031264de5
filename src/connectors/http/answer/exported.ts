import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import { megabytes } from '../../../outside/http/words.ts';
import type { Export } from '../config/export.ts';
import { ExportedCsv } from './csv.ts';
import { at, parsePath } from './paths.ts';
import { parseRecord } from './records.ts';
import { FoundRecord } from './found-record.ts';

const MAX_DEPTH = 512;
const NEWLINE = 0x0a;

/** The records of a file of lines, some at a time. */
export async function* exportedRecords(answer: Answer, job: Export, mostBytes: number): AsyncGenerator<FoundRecord[]> {
  const chunks = limited(await unpackedFile(answer), mostBytes);
  const all = job.format === 'csv' ? csvRecords(chunks, job.separator) : lineRecords(chunks);
  const [has, hasNot] = [job.only_with, job.only_without].map((path) => (path === undefined ? undefined : parsePath(path)));
  let isWhole = false;
  try {
    for await (const some of all) {
      if (!has && !hasNot) yield some;
      else
        yield some.filter((found) => {
          const parsed = parseRecord(found);
          if (!('record' in parsed)) return true;
          const isThere = (path: readonly string[]): boolean => (at(parsed.record, path) ?? null) !== null;
          return (!has || isThere(has)) && !(hasNot && isThere(hasNot));
        });
    }
    isWhole = true;
  } finally {
    if (!isWhole) answer.discard();
  }
}

/** Packed files are known by their first two bytes, whatever they are called. */
async function unpackedFile({ body }: Answer): Promise<AsyncIterable<Buffer>> {
  const rest = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < 2 && !isOver) {
    const { value, done } = await rest.next();
    if (done) isOver = true;
    else head = Buffer.concat([head, value]);
  }
  const hasEnded = isOver;
  const whole = (async function* (): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      if (hasEnded) return;
      for (;;) {
        const { value, done } = await rest.next();
        if (done) return;
        yield value;
      }
    } finally {
      await rest.return?.();
    }
  })();
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole;
  const unpacked = createGunzip();
  pipeline(Readable.from(whole), unpacked, () => {});
  return explained(unpacked);
}

async function* explained(unpacked: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* unpacked;
  } catch (error) {
    if (error instanceof OutsideError) throw error;
    throw new OutsideError('transient', 'ANSWER_BROKEN', 'The file of the export breaks off, or is not packed as it says.', {
      hint: 'If it happens again and again, look at the file that the API gives.',
      cause: error,
    });
  }
}

async function* limited(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most)
      throw new OutsideError('config', 'RESPONSE_TOO_LARGE', `The file of the export has more than ${megabytes(most)} MB.`, {
        field: 'max_response_mb',
        hint: 'Raise `max_response_mb`, or export less at a time.',
      });
    yield chunk;
  }
}

async function* lineRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<FoundRecord[]> {
  let parts: Buffer[] = [];
  let size = 0;
  let isFirst = true;
  for await (const chunk of chunks) {
    const found: FoundRecord[] = [];
    let from = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;
    isFirst = false;
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = parts.length === 0 ? chunk.subarray(from, end) : Buffer.concat([...parts, chunk.subarray(from, end)]);
      if (!isBlank(line)) found.push(recordOf(line));
      [parts, size, from] = [[], 0, end + 1];
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
    }
    demandSize(size);
    if (found.length > 0) yield found;
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield [recordOf(last)];
}

async function* csvRecords(chunks: AsyncIterable<Buffer>, separator: string): AsyncGenerator<FoundRecord[]> {
  const lines = new ExportedCsv(separator);
  let names: string[] | undefined;
  const recordsIn = (rows: Iterable<(string | null)[]>): FoundRecord[] => {
    const found: FoundRecord[] = [];
    for (const row of rows) {
      if (!names) names = row.map((name) => name ?? '');
      else {
        const known = names;
        // A row that is longer or shorter than the first line cannot be understood; its key may still be.
        const record = Object.fromEntries(known.map((name, at) => [name, row[at] ?? null]));
        const text = row.length === known.length ? JSON.stringify(record) : `${JSON.stringify(record)},`;
        found.push(whole(Buffer.from(text), false));
      }
    }
    return found;
  };
  for await (const chunk of chunks) {
    const found = recordsIn(lines.push(chunk));
    demandSize(lines.held);
    if (found.length > 0) yield found;
  }
  yield recordsIn(lines.finish());
}

function demandSize(size: number): void {
  if (size > MAX_ROW_BYTES)
    throw new OutsideError('data', 'ROW_TOO_LARGE', `The export has a record of more than ${megabytes(MAX_ROW_BYTES)} MB.`, {
      hint: 'Ask the API to leave large fields out of its records.',
    });
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

function recordOf(text: Buffer): FoundRecord {
  let [depth, deepest] = [0, 0];
  for (const byte of text) {
    if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return whole(text, deepest > MAX_DEPTH);
}

function whole(text: Buffer, isTooDeep: boolean): FoundRecord {
  return new FoundRecord(text, 0, text.length, isTooDeep);
}
