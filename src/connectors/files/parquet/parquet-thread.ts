// Parquet is decoded in a thread of its own. The format lets a few bytes claim billions of values; here that can cost neither
// the memory nor the patience of the service: the thread has a limit of memory and is ended when it takes too long.
import { parentPort } from 'node:worker_threads';
import type { Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { encodeRows } from '../../lines.ts';
import type { DataFile } from '../source/data-file.ts';
import { openParquet, type ParquetFile } from './read.ts';

export type ToParquetThread =
  | { kind: 'open'; name: string; size: number }
  | { kind: 'read'; from: number; fields: readonly Field[]; batchBytes: number }
  | { kind: 'next'; most: number }
  | { kind: 'bytes'; call: number; bytes: Uint8Array | undefined };

export type FromParquetThread =
  | { kind: 'opened'; fields: Field[]; rows: number }
  | { kind: 'batch'; lines: Uint8Array; count: number; rejects: Reject[]; offset: number }
  | { kind: 'end'; offset: number }
  | { kind: 'slice'; call: number; from: number; to: number }
  | { kind: 'failed'; code: string; message: string; hint: string | undefined };

const MAX_REJECTS = 1000;
const port = parentPort;
const waiting = new Map<number, (bytes: Uint8Array | undefined) => void>();
let calls = 0;
let file: ParquetFile | undefined;
let items: AsyncGenerator<(Row | Reject)[]> | undefined;
let portion: { items: (Row | Reject)[]; at: number } = { items: [], at: 0 };
let offset = 0;
let batchBytes = 0;

port?.on('message', (message: ToParquetThread) => {
  if (message.kind === 'bytes') {
    waiting.get(message.call)?.(message.bytes);
    waiting.delete(message.call);
    return;
  }
  answer(message).then(
    (reply) => send(reply, 'lines' in reply ? [reply.lines.buffer as ArrayBuffer] : []),
    (error: unknown) => send(failureOf(error)),
  );
});

function send(message: FromParquetThread, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

async function answer(message: Exclude<ToParquetThread, { kind: 'bytes' }>): Promise<FromParquetThread> {
  switch (message.kind) {
    case 'open':
      file = await openParquet(remoteFile(message.name, message.size), new AbortController().signal);
      return { kind: 'opened', fields: file.columns.map((column) => column.field), rows: file.rows };
    case 'read':
      offset = message.from;
      ({ batchBytes } = message);
      items = file?.portions(offset, message.fields);
      portion = { items: [], at: 0 };
      return { kind: 'end', offset };
    default:
      return nextBatch(message.most);
  }
}

/** The file is read by those who may: this thread only asks for parts. */
function remoteFile(name: string, size: number): DataFile {
  const slice = (from: number, to: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const call = ++calls;
      waiting.set(call, (bytes) =>
        bytes ? resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) : reject(new Error('the part is missing')),
      );
      send({ kind: 'slice', call, from, to });
    });
  return { name, stamp: undefined, size, slice, bytes: () => none(), close: async () => {} };
}

async function* none(): AsyncGenerator<Buffer> {}

async function nextBatch(most: number): Promise<FromParquetThread> {
  const [rows, rejects]: [Row[], Reject[]] = [[], []];
  let bytes = 0;
  while (bytes < batchBytes && rows.length < most && rejects.length < MAX_REJECTS) {
    if (portion.at >= portion.items.length) {
      const next = await items?.next();
      if (!next || next.done) break;
      portion = { items: next.value, at: 0 };
      continue;
    }
    const item = portion.items[portion.at++] as Row | Reject;
    offset++;
    if ('reason' in item) rejects.push(item);
    else {
      rows.push(item);
      for (const value of item) bytes += (value?.length ?? 1) + 1;
    }
  }
  if (rows.length === 0 && rejects.length === 0) return { kind: 'end', offset };
  return { kind: 'batch', lines: new Uint8Array(encodeRows(rows)), count: rows.length, rejects, offset };
}

function failureOf(error: unknown): FromParquetThread {
  if (error instanceof OutsideError) return { kind: 'failed', code: error.code, message: error.message, hint: error.hint };
  return { kind: 'failed', code: '', message: error instanceof Error ? error.message : 'unknown', hint: undefined };
}
