import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../lib/thread.ts';
import type { Reject } from '../../batch.ts';
import type { Field } from '../../contract.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { DataFile } from '../source/data-file.ts';
import type { FromParquetThread, ToParquetThread } from './parquet-thread.ts';

// What one batch may cost. Usual files stay far below both.
const MAX_HEAP_MB = 512;
const MAX_MS = 20_000;
const IDLE_MS = 2_000;

interface ParquetBatch {
  readonly lines: Buffer;
  readonly count: number;
  readonly rejects: Reject[];
  /** How many rows of the file were read, with this batch. */
  readonly offset: number;
}

export interface ParquetReader {
  readonly fields: readonly Field[];
  readonly rows: number;
  /** Rows from a number on, with the values of these fields. */
  batches(from: number, fields: readonly Field[], batchBytes: number, left: () => number): AsyncGenerator<ParquetBatch>;
  close(): Promise<void>;
}

/** A Parquet file, decoded in a thread of its own; the file itself is read here, where it is allowed. */
export async function openParquetFile(file: DataFile, signal: AbortSignal, maxMs = MAX_MS): Promise<ParquetReader> {
  if (file.size === undefined)
    throw new OutsideError('config', 'SIZE_UNKNOWN', `The server does not say how large "${file.name}" is.`, {
      field: 'url',
      hint: 'Parquet is read from its end: the server has to tell the length and allow ranges.',
    });
  const thread = takeThread();
  let isWell = false;
  const ask = async (message: ToParquetThread): Promise<FromParquetThread> => {
    isWell = false;
    const reply = await answerOf(thread, message, file, signal, maxMs);
    // It has answered, so it can be asked again: about this file or another.
    isWell = true;
    if (reply.kind === 'failed') throw failure(file.name, reply);
    return reply;
  };
  const close = async (): Promise<void> => {
    if (isWell) giveBack(thread);
    else await thread.terminate();
  };
  try {
    const opened = await ask({ kind: 'open', name: file.name, size: file.size });
    if (opened.kind !== 'opened') throw unexpected(opened);
    return {
      fields: opened.fields,
      rows: opened.rows,
      batches: async function* (from, fields, batchBytes, left) {
        await ask({ kind: 'read', from, fields, batchBytes });
        for (;;) {
          const most = left();
          const reply = await ask({ kind: 'next', most: Number.isFinite(most) ? most : Number.MAX_SAFE_INTEGER });
          if (reply.kind === 'end') return;
          if (reply.kind !== 'batch') throw unexpected(reply);
          yield {
            lines: Buffer.from(reply.lines.buffer, reply.lines.byteOffset, reply.lines.length),
            count: reply.count,
            rejects: reply.rejects,
            offset: reply.offset,
          };
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Sends a question, hands over the parts of the file that it takes, and waits for the answer. */
function answerOf(
  thread: Worker,
  question: ToParquetThread,
  file: DataFile,
  signal: AbortSignal,
  maxMs: number,
): Promise<FromParquetThread> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      thread.off('message', onMessage);
      thread.off('error', onError);
      thread.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      thread.unref();
      settle();
    };
    // Only the thread's own time counts, not that of the disk or the network.
    const watch = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => done(() => reject(broken(file.name, 'it takes too long to decode'))), maxMs);
    };
    const fail = (error: unknown): void => done(() => reject(error));
    const onAbort = (): void => fail(aborted());
    const onError = (error: Error): void => fail(broken(file.name, 'it takes more memory than is allowed', error));
    const onExit = (): void => fail(broken(file.name, 'it takes more memory than is allowed'));
    const onMessage = (reply: FromParquetThread): void => {
      if (reply.kind !== 'slice') done(() => resolve(reply));
      else {
        clearTimeout(timer);
        file.slice(reply.from, reply.to, signal).then((bytes) => {
          watch();
          thread.postMessage({ kind: 'bytes', call: reply.call, bytes } satisfies ToParquetThread);
        }, fail);
      }
    };
    if (signal.aborted) return reject(aborted());
    thread.on('message', onMessage);
    thread.once('error', onError);
    thread.once('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    // A caller waits now: the process stays.
    thread.ref();
    watch();
    thread.postMessage(question);
    return undefined;
  });
}

function broken(name: string, why: string, cause?: unknown): OutsideError {
  return new OutsideError('data', 'PARQUET_BROKEN', `"${name}" cannot be read as Parquet: ${why}.`, {
    hint: 'Make or copy the file again; it may be damaged. Smaller row groups take less memory.',
    cause,
  });
}

function failure(name: string, { code, message, hint }: Extract<FromParquetThread, { kind: 'failed' }>): OutsideError {
  if (code === '') return broken(name, message);
  return new OutsideError('data', code, message, { ...(hint !== undefined && { hint }) });
}

function unexpected(reply: FromParquetThread): Error {
  return new Error(`The thread answered ${reply.kind}.`);
}

// A thread takes a moment to start; one that has done its work waits a little for the next file.
const idle: { thread: Worker; timer: NodeJS.Timeout }[] = [];

function takeThread(): Worker {
  const waiting = idle.pop();
  if (waiting) {
    clearTimeout(waiting.timer);
    return waiting.thread;
  }
  return startThread(import.meta.url, 'parquet-thread', {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 32 },
    env: {},
  });
}

function giveBack(thread: Worker): void {
  const timer = setTimeout(() => {
    idle.splice(
      idle.findIndex((entry) => entry.thread === thread),
      1,
    );
    void thread.terminate();
  }, IDLE_MS);
  timer.unref();
  idle.push({ thread, timer });
}
