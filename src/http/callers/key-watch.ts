import type { ServerResponse } from 'node:http';
import type { Authenticate } from './auth.ts';

/** So often we look whether those who are being told something may still be told. */
const LOOK_INTERVAL = 1_000;

/** Ends answers that go on when their key is not valid any more: a revocation holds for what is open, too. */
export class KeyWatch {
  readonly #authenticate: Authenticate;
  readonly #interval: number;
  readonly #open = new Map<ServerResponse, string>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(authenticate: Authenticate, interval = LOOK_INTERVAL) {
    this.#authenticate = authenticate;
    this.#interval = interval;
  }

  watch(response: ServerResponse, token: string): void {
    this.#open.set(response, token);
    this.#timer ??= setInterval(() => void this.#look(), this.#interval).unref();
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  async #look(): Promise<void> {
    for (const token of new Set(this.#open.values())) {
      // A database that cannot be reached for a moment says nothing about the key.
      const isValid = await Promise.try(this.#authenticate, token).then(
        (principal) => principal !== undefined,
        () => true,
      );
      if (isValid) continue;
      for (const [response, owner] of this.#open) if (owner === token) response.destroy();
    }
  }
}
