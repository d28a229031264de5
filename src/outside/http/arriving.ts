import type { Readable } from 'node:stream';

/** A body as it arrives. So much of it is taken in before it is asked for; then the other side has to wait. */
export class Arriving {
  readonly #source: Readable;
  readonly #ahead: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: Readable, ahead: number) {
    this.#source = source;
    this.#ahead = ahead;
    source.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes >= ahead) source.pause();
      this.#wake?.();
    });
    source.once('end', () => this.#finish({}));
    source.on('error', (error) => this.#finish({ error }));
    source.once('close', () => this.#finish({ error: new Error('The answer broke off.') }));
  }

  /** The next part of what has arrived. */
  take(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#bytes -= chunk.length;
    if (this.#bytes < this.#ahead && this.#source.isPaused()) this.#source.resume();
    return chunk;
  }

  /** Waits for more; false when there is none. Throws when the rest will not come. */
  async more(): Promise<boolean> {
    if (this.#chunks.length === 0 && !this.#end)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    if (this.#chunks.length > 0) return true;
    if (this.#end && 'error' in this.#end) throw this.#end.error;
    return false;
  }

  /** Lets go of what has not come; who waits for it is told why. */
  destroy(error: Error = new Error('The answer was let go of.')): void {
    if (this.#end && !('error' in this.#end)) return;
    this.#finish({ error });
    this.#source.destroy();
  }

  #finish(end: { error?: unknown }): void {
    this.#end ??= end;
    this.#wake?.();
  }
}
