import type { Reply } from './reply.ts';

const MOST = 16 * 1024 * 1024;
/** Milliseconds. What is older may have changed. */
const LONGEST = 300_000;

/** Answers that are asked for again and again, such as those of a parent whose children are several streams. The oldest go first. */
export class ReplyCache {
  readonly #replies = new Map<string, { reply: Reply; at: number }>();
  #bytes = 0;

  get(key: string, now: number): Reply | undefined {
    const known = this.#replies.get(key);
    return known && now - known.at < LONGEST ? known.reply : undefined;
  }

  keep(key: string, reply: Reply, now: number): void {
    const size = reply.bytes.length + key.length;
    if (size > MOST / 4) return;
    this.#forget(key);
    this.#replies.set(key, { reply, at: now });
    this.#bytes += size;
    for (const oldest of this.#replies.keys()) {
      if (this.#bytes <= MOST) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#replies.get(key);
    if (!known) return;
    this.#replies.delete(key);
    this.#bytes -= known.reply.bytes.length + key.length;
  }
}
