import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { unpackError } from '../../connectors/packed-error.ts';
import { answerCall } from '../../datasync/sources/thread-calls.ts';
import type { Connection, Database } from '../../db/database.ts';
import type { EventsTable } from '../../db/tables.ts';
import type { WholeEvents } from '../../events/left-out.ts';
import type { Scope } from '../../http/scopes.ts';
import { type HeldDuty, startDuty } from '../../jobs/duty.ts';
import type { Hints } from '../../jobs/hints.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Keyring } from '../../lib/secrets.ts';
import type { Tracer } from '../../traces/tracer.ts';
import { startThread } from '../../lib/thread.ts';
import { readEndpoints } from '../endpoint.ts';
import {
  DELIVERY_DUTY,
  endOfFeed,
  type FeedPlace,
  type FeedRow,
  hasActive,
  readFeed,
  readKnownRows,
  readSentBefore,
  recordDeliveries,
} from '../rows.ts';
import { type Bell, createBell } from './bell.ts';
import type { FromDelivery, ToDelivery } from './delivery-thread.ts';
import { Endings } from './endings.ts';
import type { DeliveryFigures } from './figures.ts';
import { type DeliveryPort, type News, SHARED, steadyTime } from './port.ts';
import type { FeedEvent } from './receiver.ts';
import { TIMING, type Timing } from './schedule.ts';

/** What those with these scopes may see of events. */
type Veil = <Row extends Pick<EventsTable, 'topic' | 'object_id' | 'data'>>(
  db: Connection,
  asking: { scopes: ReadonlySet<Scope> },
  events: readonly Row[],
) => Promise<Row[]>;

export interface DeliveriesOptions {
  /** The id of this node. */
  node: string;
  db: Database;
  keyring: Keyring;
  clock: Clock;
  log: Logger;
  hints: Hints;
  /** Where connections may go to. */
  networks: string;
  whole: WholeEvents;
  veil: Veil;
  figures: DeliveryFigures;
  timing?: Partial<Timing> | undefined;
  /** Where attempts are traced; nowhere unless given. */
  tracer?: Tracer | undefined;
}

export interface Deliveries {
  /** Resolves when nothing more is begun from here at endpoints that were paused or deleted before the call. */
  endingsHeeded(): Promise<void>;
  /** Gives what is under way a moment, and lets another node go on. */
  close(): Promise<void>;
}

/** How often it is looked whether there is anything to deliver to. */
const LOOK = 10_000;
/** News of the feed are looked for so often when there is no hint, and not more often than this when there are many. */
const NEWS = 250;
const BETWEEN_NEWS = 10;
const PAGE = 500;
const PULSE = 100;
const LAST_MOMENT = 3_000;
/** A thread that cannot even stop is ended. */
const END_PATIENCE = 6_000;
const MEGABYTES = 1024;

/** Delivers events to webhooks for all nodes, as long as this one has the duty, and in a thread that is there only while there is an endpoint. */
export function startDeliveries(options: DeliveriesOptions): Deliveries {
  const { node, db, clock, log, hints } = options;
  let isClosing = false;
  // Without endpoints every order would wake it for nothing.
  const endpointsBell = createBell(hints, ['webhooks', 'keys']);
  let endings: Endings | undefined;
  const work = async (held: HeldDuty): Promise<void> => {
    while (!held.lost.aborted) {
      // First: what changes while the thread begins is told it.
      const since = endpointsBell.rung();
      const after = await endOfFeed(db.read).catch(() => 0);
      const isNeeded = await hasActive(db.read).catch(() => false);
      if (!isNeeded) await endpointsBell.heard(LOOK, held.lost, since);
      else await deliver(options, { held, after, isClosing: () => isClosing, onEndings: (current) => (endings = current) });
      endings = undefined;
    }
  };
  const lease = options.timing?.lease;
  const duty = startDuty({ name: DELIVERY_DUTY, node, db, clock, log, work, ...(lease !== undefined && { lease }) });
  return {
    endingsHeeded: async () => endings?.told(),
    close: async () => {
      isClosing = true;
      await duty.stop();
      endpointsBell.close();
    },
  };
}

interface Turn {
  held: HeldDuty;
  /** The end of the feed. */
  after: number;
  isClosing: () => boolean;
  onEndings: (endings: Endings) => void;
}

async function deliver(options: DeliveriesOptions, { held, after, isClosing, onEndings }: Turn): Promise<void> {
  const { db, clock, log, networks, figures } = options;
  const shared = new SharedArrayBuffer(Object.keys(SHARED).length * Float64Array.BYTES_PER_ELEMENT);
  const values = new Float64Array(shared);
  let loop = performance.eventLoopUtilization();
  const beat = (): void => {
    const now = performance.eventLoopUtilization();
    values[SHARED.busy] = performance.eventLoopUtilization(now, loop).utilization;
    loop = now;
    values[SHARED.until] = steadyTime() + held.until() - performance.now();
    values[SHARED.clockOffset] = clock() - Date.now();
  };
  beat();
  const pulse = setInterval(beat, PULSE);
  const workerData = { networks, timing: { ...TIMING, ...options.timing }, shared, sampler: options.tracer?.sampler };
  const thread = startThread(import.meta.url, 'delivery-thread', { workerData, resourceLimits: { maxOldGenerationSizeMb: MEGABYTES } });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const tell = (message: ToDelivery): void => thread.postMessage(message);
  const bell = createBell(options.hints, ['webhooks', 'shop', 'runs', 'syncs', 'keys']);
  const deliveries = portOf(options, held, bell);
  const endings = new Endings({ db, after, tell: (number, those) => tell({ number, endings: those }) });
  onEndings(endings);
  const watching = new AbortController();
  const webhooksBell = createBell(options.hints, ['webhooks']);
  void endings.watch(webhooksBell, watching.signal);
  thread.on('message', (message: FromDelivery) => {
    if ('spans' in message) return options.tracer?.take(message.spans, message.dropped);
    if ('heeded' in message) return endings.answered(message.heeded);
    if ('call' in message) return void answerCall({ deliveries }, message, tell);
    if (message.error) log.error({ err: unpackError(message.error) }, 'deliveries have stopped; they are begun again');
    return end();
  });
  thread.on('error', (error: unknown) => {
    log.error({ err: error }, 'the thread that delivers has died; it is begun again');
    end();
  });
  const stop = (): void => tell({ stop: isClosing() ? LAST_MOMENT : 0 });
  held.lost.addEventListener('abort', stop, { once: true });
  if (held.lost.aborted) stop();
  // Without endpoints there is no need for a thread.
  const needed = setInterval(() => {
    hasActive(db.read).then(
      (isNeeded) => !isNeeded && tell({ stop: LAST_MOMENT }),
      () => undefined,
    );
  }, LOOK);
  await Promise.race([
    over,
    once(thread, 'exit').catch(() => undefined),
    ...(held.lost.aborted ? [pause(END_PATIENCE)] : []),
    lostFor(held, END_PATIENCE),
  ]);
  watching.abort();
  webhooksBell.close();
  bell.close();
  clearInterval(needed);
  clearInterval(pulse);
  held.lost.removeEventListener('abort', stop);
  await thread.terminate();
  endings.answered(Number.POSITIVE_INFINITY);
  figures.inFlight = 0;
}

/** Resolves when the duty was lost so many milliseconds ago. */
async function lostFor({ lost }: HeldDuty, milliseconds: number): Promise<void> {
  if (!lost.aborted) await once(lost, 'abort');
  await pause(milliseconds, undefined, { ref: false });
}

/** What the thread calls for. */
function portOf({ db, keyring, clock, whole, veil, figures }: DeliveriesOptions, held: HeldDuty, bell: Bell): DeliveryPort {
  let lastNews = 0;
  const veiled = async <Row extends FeedRow>(given: readonly Row[], scopes: readonly string[]): Promise<(Row & FeedEvent)[]> => {
    const rows = await whole(db.read, given);
    // Only what runs tell is not for all who may read of runs.
    const runs = rows.filter(({ topic }) => topic === 'runs');
    if (runs.length === 0) return rows;
    const hidden = new Map<Row, Record<string, string>>(runs.map((row) => [row, {}]));
    for (const key of scopes) {
      const shown = await veil(db.read, { scopes: new Set(key.split(' ') as Scope[]) }, runs);
      shown.forEach(({ data }, place) => {
        const row = runs[place];
        if (row && data !== row.data) Object.assign(hidden.get(row) ?? {}, { [key]: data });
      });
    }
    return rows.map((row) => ({ ...row, veiled: hidden.get(row) }));
  };
  const newsAt = async (place: FeedPlace, limit: number, scopes: readonly string[]): Promise<News> => {
    const rows = await readFeed(db.read, place, limit);
    const last = rows.at(-1)?.seq ?? place.after;
    // A page that is not full was cut short by the end, or by its size.
    const isAll = place.topics !== null && rows.length < limit && (await isLast(place, last));
    return { events: await veiled(rows, scopes), end: isAll ? place.end : last };
  };
  const isLast = async ({ end, topics }: FeedPlace, last: number): Promise<boolean> =>
    (await readFeed(db.read, { after: last, end, topics }, 1)).length === 0;
  return {
    endpoints: (ids) => readEndpoints(db.read, keyring, ids ?? undefined),
    rows: (ids, most) => db.query(readKnownRows, { ids, most }),
    end: () => endOfFeed(db.read),
    news: async (after, scopes, isAll) => {
      const early = lastNews + (isAll ? BETWEEN_NEWS : NEWS) - performance.now();
      if (early > 0) await pause(early);
      let end = after;
      while (!held.lost.aborted && end <= after) {
        const since = bell.rung();
        end = await endOfFeed(db.read);
        if (end <= after) await bell.heard(NEWS, held.lost, since);
      }
      lastNews = performance.now();
      if (held.lost.aborted) return { events: [], end: after };
      return newsAt({ after, end, topics: isAll ? null : ['webhooks'] }, PAGE, scopes);
    },
    page: async (after, limit, scopes, topics) => newsAt({ after, end: await endOfFeed(db.read), topics }, limit, scopes),
    sentBefore: async (wanted, scopes) => veiled(await readSentBefore(db.read, wanted), scopes),
    record: async (changes, tally) => {
      const isOurs = await db.write(recordDeliveries, { token: held.token, now: clock(), changes });
      if (isOurs) figures.add(tally);
      return isOurs;
    },
  };
}
