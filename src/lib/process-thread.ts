import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { ResourceLimits } from 'node:worker_threads';
import { besideOf, type Thread, type ThreadOptions } from './thread.ts';

// Nothing interrupts native code, such as a statement of SQLite: a thread that is inside of some goes when that is done, which may be
// never. A process can be killed. So the thread has one of its own, whose main thread (`relay-thread.ts`) passes messages on.

/** What the relay is told. */
export type ToRelay =
  | { readonly start: string; readonly workerData: object | undefined; readonly resourceLimits: ResourceLimits | undefined }
  | { readonly message: unknown }
  | { readonly heap: number };

/** What the relay tells. */
export type FromRelay =
  | { readonly message: unknown }
  | { readonly heap: number; readonly statistics: HeapStatistics | null }
  | { readonly error: { readonly message: string; readonly code: string | undefined } }
  /** The thread has ended; so does the process. */
  | { readonly isOver: true };

export type HeapStatistics = Awaited<ReturnType<Thread['getHeapStatistics']>>;

// As for a thread: with the compile cache on first, the TypeScript stripper is never loaded.
const ENTRY = "require('node:module').enableCompileCache(); import(process.argv[1]);";

/** Starts a thread in a process of its own: it costs more memory and a moment more, and can be ended whatever it does. */
export function startThreadInProcess(asking: string, name: string, { workerData, resourceLimits }: ThreadOptions = {}): Thread {
  const relay = spawn(process.execPath, ['-e', ENTRY, besideOf(import.meta.url, 'relay-thread')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const thread = new ProcessThread(relay);
  thread.tell({ start: besideOf(asking, name), workerData, resourceLimits });
  return thread;
}

class ProcessThread extends EventEmitter implements Thread {
  readonly #relay: ChildProcess;
  readonly #asked = new Map<number, PromiseWithResolvers<HeapStatistics>>();
  #questions = 0;
  #isGone = false;

  constructor(relay: ChildProcess) {
    super();
    this.#relay = relay;
    relay.on('message', (told: FromRelay) => this.#hear(told));
    // It could not be started, or no longer be told something; in both cases it ends.
    relay.on('error', (error) => this.emit('error', error));
    relay.on('exit', (code) => {
      this.#isGone = true;
      for (const { reject } of this.#asked.values()) reject(new Error('The process has ended.'));
      this.#asked.clear();
      this.emit('exit', code ?? 1);
    });
  }

  postMessage(message: unknown): void {
    this.tell({ message });
  }

  tell(what: ToRelay): void {
    // To one that is gone nothing is said, as to a thread.
    if (this.#relay.connected) this.#relay.send(what, () => undefined);
  }

  async terminate(): Promise<void> {
    if (this.#isGone || this.#relay.pid === undefined) return;
    const gone = once(this.#relay, 'exit');
    this.#relay.kill('SIGKILL');
    await gone;
  }

  ref(): void {
    this.#relay.ref();
    this.#relay.channel?.ref();
  }

  unref(): void {
    this.#relay.unref();
    this.#relay.channel?.unref();
  }

  getHeapStatistics(): Promise<HeapStatistics> {
    if (this.#isGone) return Promise.reject(new Error('The process has ended.'));
    const question = ++this.#questions;
    const asked = Promise.withResolvers<HeapStatistics>();
    this.#asked.set(question, asked);
    this.tell({ heap: question });
    return asked.promise;
  }

  #hear(told: FromRelay): void {
    if ('message' in told) this.emit('message', told.message);
    else if ('error' in told) this.emit('error', Object.assign(new Error(told.error.message), { code: told.error.code }));
    else if ('heap' in told) {
      const asked = this.#asked.get(told.heap);
      this.#asked.delete(told.heap);
      if (told.statistics) asked?.resolve(told.statistics);
      else asked?.reject(new Error('The thread has ended.'));
    }
  }
}
