import type { FastifyRequest } from 'fastify';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { sessionEnded, unauthorized } from './auth.ts';
import { networkOf } from './client-address.ts';
import { sessionTokenOf } from './session-cookie.ts';
import { type Burst, RefusalTable, type Refusals } from './refusal-table.ts';

/** Why a request did not come in. Whether a key is unknown, expired or revoked is not told, here neither. */
export type RefusalKind = 'missing' | 'malformed' | 'unknown' | 'session';

export interface RefusedKeysOptions {
  /** Wrong keys a minute that one address may send before it is told to wait; 0 for any number. */
  perMinute: number;
  log: Logger;
  /** The id that a key carries in the open, when the token has the form of one. */
  keyIdOf: (token: string) => string | undefined;
  /** Tells of the beginning of a burst, where it is kept. */
  raise: (burst: Burst) => Promise<void>;
  clock?: Clock;
}

const LOOK_INTERVAL = 10_000;
/** The time of day by the clock that nobody can set back. */
const steadyClock: Clock = () => Math.floor(performance.timeOrigin + performance.now());

/**
 * Counts the keys that were refused, tells the log some of it, and answers a client that sends many wrong ones that it should wait. Only
 * wrong keys are answered so: a right one from the same address, of a proxy or an office, works as always. Each node counts for itself.
 */
export class RefusedKeys {
  /** Since the start. */
  readonly counts: Record<RefusalKind, number> = { missing: 0, malformed: 0, unknown: 0, session: 0 };
  /** Those of them that were told to wait. */
  slowed = 0;
  readonly #options: RefusedKeysOptions;
  readonly #clock: Clock;
  readonly #table: RefusalTable;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RefusedKeysOptions) {
    this.#options = options;
    this.#clock = options.clock ?? steadyClock;
    this.#table = new RefusalTable(options.perMinute);
  }

  /** What to answer to a request without a key that is good; `token` is undefined when it has none that can be read. `inPath`: that is where it was. */
  refuse(request: FastifyRequest, token: string | undefined, inPath = false): AppError {
    // An old tab guesses at nothing either, and its token is too long to be guessed.
    if (!inPath && token !== undefined && sessionTokenOf(token) !== undefined) {
      this.counts.session++;
      return sessionEnded();
    }
    const isMissing = !inPath && request.headers.authorization === undefined;
    this.counts[isMissing ? 'missing' : token === undefined ? 'malformed' : 'unknown']++;
    // A client that sends none guesses at nothing: a probe, a browser before its sign-in.
    if (isMissing) return unauthorized();
    const now = this.#clock();
    const address = request.clientAddress;
    const { refusals, wait, burst, tell } = this.#table.add(networkOf(address), token ?? '', now);
    const key_id = token === undefined ? undefined : this.#options.keyIdOf(token);
    if (tell) this.#options.log.warn({ address, request_id: request.id, key_id }, 'a key was refused');
    if (burst) this.#begin({ ...refusals, address }, request.id);
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL).unref();
    if (wait === 0) return unauthorized();
    this.slowed++;
    return tooMany(this.#options.perMinute, wait);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#tell(Number.POSITIVE_INFINITY);
  }

  #begin(refusals: Refusals & { address: string }, requestId: string): void {
    const { address, count, since } = refusals;
    const burst = { address, network: refusals.network, refused: count, since: isoTime(since), request_id: requestId };
    this.#options.log.warn({ address, refused: count }, 'many wrong keys come from one address: from now on it is told to wait');
    if (!this.#table.mayRaise(refusals.network, this.#clock())) return;
    this.#options
      .raise(burst)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not write down that many keys were refused'));
  }

  #look(): void {
    this.#tell(this.#clock());
    if (this.#table.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tell(now: number): void {
    for (const { network, count, different, since } of this.#table.due(now))
      this.#options.log.warn({ address: network, refused: count, different_keys: different, since: isoTime(since) }, 'keys were refused');
    const untold = this.#table.untold();
    if (untold > 0) this.#options.log.warn({ refused: untold }, 'keys were refused from more addresses than can be told one by one');
  }
}

function tooMany(perMinute: number, wait: number): AppError {
  const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
  return new AppError(
    'RATE_LIMITED',
    `Too many wrong keys came from this address. Wait ${seconds} s before the next one; a valid key is answered at any time.`,
    { field: 'Authorization', reason: `more than ${perMinute} wrong keys a minute` },
    {
      'retry-after': seconds,
      ratelimit: `"wrong-keys";r=0;t=${seconds}`,
      'ratelimit-policy': `"wrong-keys";q=${perMinute};w=60`,
    },
  );
}
