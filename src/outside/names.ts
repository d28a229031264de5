import { type LookupAddress, lookup, type LookupOptions } from 'node:dns';
import { promisify } from 'node:util';

/** All addresses of a name. */
type Resolve = (name: string, options: LookupOptions) => Promise<LookupAddress[]>;

/** In milliseconds: a name that took longer is called slow, for a while. */
const QUICK = 1_000;
const SLOW_FOR = 10 * 60_000;
/** How many look-ups may be under way at a time. Names that were quick the last time do not wait. */
const MOST = { unknown: 1, slow: 1 };
type Waiting = keyof typeof MOST;
/** Of how many names it is remembered how long they took. */
const REMEMBERED = 10_000;

/**
 * Looks names up. The system looks up only a few at a time (half as many as its pool has threads, see `bin/syncline.js`), and a name whose
 * servers are silent takes it ten seconds and more: so the same name is looked up once at a time, and those that were slow go one after the
 * other. No answer is kept: what a name means now is asked every time.
 */
export function createNames(resolve: Resolve = ofSystem, now: () => number = () => performance.now()): Resolve {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const last = new Map<string, { took: number; at: number }>();
  const taken: Record<Waiting, number> = { unknown: 0, slow: 0 };
  const queues: Record<Waiting, (() => void)[]> = { unknown: [], slow: [] };

  const kindOf = (name: string): Waiting | 'quick' => {
    const known = last.get(name);
    if (!known || (known.took >= QUICK && now() > known.at + SLOW_FOR)) return 'unknown';
    return known.took < QUICK ? 'quick' : 'slow';
  };
  const enter = async (kind: Waiting): Promise<void> => {
    if (taken[kind] < MOST[kind]) taken[kind]++;
    else await new Promise<void>((called) => queues[kind].push(called));
  };
  /** Hands the place on to the next one that waits. */
  const leave = (kind: Waiting): void => {
    const next = queues[kind].shift();
    if (next) next();
    else taken[kind]--;
  };
  const timed: Resolve = async (name, options) => {
    const from = now();
    try {
      return await resolve(name, options);
    } finally {
      last.delete(name);
      if (last.size >= REMEMBERED) for (const oldest of last.keys().take(1)) last.delete(oldest);
      last.set(name, { took: now() - from, at: now() });
    }
  };
  const inTurn: Resolve = async (name, options) => {
    const kind = kindOf(name);
    if (kind === 'quick') return timed(name, options);
    await enter(kind);
    return timed(name, options).finally(() => leave(kind));
  };
  return (name, options) => {
    const asked = JSON.stringify([name, options.family, options.hints]);
    let found = underWay.get(asked);
    if (!found) {
      found = inTurn(name, options).finally(() => underWay.delete(asked));
      underWay.set(asked, found);
    }
    return found;
  };
}

function ofSystem(name: string, options: LookupOptions): Promise<LookupAddress[]> {
  return promisify(lookup)(name, { ...options, all: true });
}
