import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { JsonObject } from '../../src/lib/exact-json.ts';

export interface ReadOutcome {
  records: JsonObject[];
  state?: JsonObject | null;
  error?: string;
  seconds: number;
  /** The most that the process has had so far. */
  megabytes: number;
}

/** A process that reads streams of one manifest with one set of settings. */
export class Reader {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  isGone = false;

  constructor(command: string, args: readonly string[]) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  async read(stream: string, isIncremental: boolean, state: JsonObject | undefined): Promise<ReadOutcome> {
    this.#process.stdin?.write(`${JSON.stringify({ stream, incremental: isIncremental, ...(state && { state }) })}\n`);
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), LONGEST).unref());
    const line = await Promise.race([this.#lines.next(), late]);
    if (line && !line.done) return JSON.parse(line.value) as ReadOutcome;
    this.close();
    return { records: [], seconds: 0, megabytes: 0, error: line ? 'its process ended' : `it was not done after ${LONGEST / 1000} s` };
  }

  close(): void {
    this.isGone = true;
    this.#process.kill('SIGKILL');
  }
}

const LONGEST = 60_000;

export const ownReader = (args: readonly string[]): Reader =>
  new Reader(process.execPath, [join(import.meta.dirname, 'reader.ts'), ...args]);

export const cdkReader = (python: string, args: readonly string[]): Reader =>
  new Reader(python, [join(import.meta.dirname, 'cdk-reader.py'), ...args]);
