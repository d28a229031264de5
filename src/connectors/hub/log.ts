import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Change, ChangeLog, ChangeSet, Following, LogRequest, LogStream } from '../changes.ts';
import { BATCH_BYTES, type Field } from '../contract.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import type { ShopChange, ShopPort } from '../shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../shop-streams.ts';
import { knownStream } from './known.ts';

/** So many events are read at a time, and fewer when they are large. */
const LARGEST_PAGE = 500;
const FIRST_PAGE = 100;
/** How long one waits before one looks again, in milliseconds: a little after a change, longer when there was none for long. */
const [SHORTEST_WAIT, LONGEST_WAIT] = [50, 1000];
/** A position behind events that concern nobody is told this often, unless the caller waits for it: each is a commit at the target. */
const IDLE_EVERY = 10_000;

/**
 * The feed of the shop as a log: the simplest one that there is. The feed is kept for ever and for everybody, so nothing has to be held, acknowledged or
 * released; each event has the whole order or product and is a transaction by itself. A position is the number of an event.
 */
export function logOf(shop: ShopPort, ended: AbortSignal): ChangeLog {
  let asked = 0;
  const end = async (): Promise<Position> => {
    asked = await shop.lastChange();
    return positionOf(asked);
  };
  return {
    check: async () => [],
    hold: async ({ streams }) => {
      streams.forEach(demandStream);
      return end();
    },
    change: async ({ streams }) => streams.forEach((stream) => demandStream({ ...stream, fields: [] })),
    end,
    follow: (request, after, milestones = []) => {
      const awaited = milestones.map(placeOf);
      return followShop(shop, ended, request, placeOf(after), () => [...awaited, asked]);
    },
    kept: async () => ({ bytes: null, bytesPerSecond: null }),
    release: async () => {},
    isBefore: (one, other) => placeOf(one) < placeOf(other),
  };
}

/** `awaited` are the places that the caller waits for: what is told is cut there. */
function followShop(shop: ShopPort, ended: AbortSignal, request: LogRequest, after: number, awaited: () => readonly number[]): Following {
  const streams = request.streams.map(toldStream);
  const signal = AbortSignal.any([ended, ...(request.signal ? [request.signal] : [])]);
  const names = [...new Set(streams.map(({ name }) => name))];

  async function* sets(): AsyncGenerator<ChangeSet> {
    const told = new Set<ToldStream>();
    let [given, toldAt, wait, most] = [after, performance.now(), SHORTEST_WAIT, FIRST_PAGE];
    for (;;) {
      if (signal.aborted) throw aborted();
      const page = await shop.changes(names, given, most);
      for (const upTo of placesUpTo(page.seq, given, awaited())) {
        const here = page.changes.filter(({ seq }) => seq > given && seq <= upTo);
        const changes = here.flatMap((change) => changesOf(change, streams, told));
        const isAwaited = awaited().some((place) => place > given && place <= upTo);
        if (changes.length === 0 && !isAwaited && performance.now() - toldAt < IDLE_EVERY) break;
        yield { changes, bytes: sizeOf(here), position: positionOf(upTo), ...committedAt(here.at(-1)) };
        [given, toldAt] = [upTo, performance.now()];
      }
      if (page.changes.length === most) wait = 0;
      else wait = page.changes.length > 0 ? SHORTEST_WAIT : Math.min(LONGEST_WAIT, SHORTEST_WAIT + 2 * wait);
      most = Math.max(1, Math.min(LARGEST_PAGE, Math.round((most * BATCH_BYTES) / Math.max(1, sizeOf(page.changes)))));
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => {});
    }
  }

  return {
    [Symbol.asyncIterator]: sets,
    acknowledge: () => {},
    lookUp: async (index, keys, fields) => {
      const { name, keyAt, pick, fields: told } = streams[index] as ToldStream;
      const places = fields.map((wanted) => told.findIndex((field) => field.name === wanted));
      const wanted = new Set(keys.map((key) => JSON.stringify(key)));
      const rows = await shop.find(name, keys);
      return rows
        .filter((row) => wanted.has(JSON.stringify(keyAt.map((at) => row[at]))))
        .map((row) => {
          const picked = pick(row);
          return places.map((place) => picked[place] ?? null);
        });
    },
  };
}

/** Where sets end: at the places that are awaited, and at the end of what was read. */
function placesUpTo(end: number, given: number, awaited: readonly number[]): number[] {
  const between = awaited.filter((place) => place > given && place < end).sort((one, other) => one - other);
  return [...new Set([...between, end])].filter((place) => place > given);
}

/** A stream that is followed: its fields as they are told. */
interface ToldStream {
  readonly name: ShopStream;
  readonly key: readonly string[];
  readonly fields: readonly Field[];
  /** Where the key is in a row of the shop. */
  readonly keyAt: readonly number[];
  readonly pick: (row: Row) => Row;
}

function toldStream({ stream, fields: wanted, ignored, key }: LogStream): ToldStream {
  const name = knownStream(stream);
  const all = SHOP_STREAMS[name].fields;
  const at = (field: string): number => all.findIndex((one) => one.name === field);
  const isNew = (field: Field): boolean => ignored !== undefined && !wanted.includes(field.name) && !ignored.includes(field.name);
  const fields = [...wanted.flatMap((field) => all[at(field)] ?? []), ...all.filter(isNew)];
  const places = fields.map((field) => at(field.name));
  return { name, key, fields, keyAt: key.map(at), pick: (row) => places.map((place) => row[place] ?? null) };
}

/** The change in each of the streams, with their fields before the first. */
function changesOf({ rows }: ShopChange, streams: readonly ToldStream[], told: Set<ToldStream>): Change[] {
  const changes: Change[] = [];
  for (const { op, stream: name, row } of rows) {
    for (const [stream, one] of streams.entries()) {
      if (one.name !== name) continue;
      if (!told.has(one)) changes.push({ op: 'fields', stream, fields: one.fields, key: one.key });
      told.add(one);
      changes.push(op === 'delete' ? { op, stream, key: row } : { op, stream, row: one.pick(row) });
    }
  }
  return changes;
}

function committedAt(last: ShopChange | undefined): { committedAt?: number } {
  return last ? { committedAt: last.at } : {};
}

function sizeOf(changes: readonly ShopChange[]): number {
  let bytes = 0;
  for (const { rows } of changes) for (const { row } of rows) for (const value of row) bytes += 10 + (value?.length ?? 0);
  return bytes;
}

function demandStream({ stream, fields, key }: LogStream): void {
  const known = SHOP_STREAMS[knownStream(stream)];
  if (known.notFollowed !== undefined)
    throw new OutsideError('config', 'STREAM_NOT_FOLLOWED', `The stream "${stream}" cannot be followed: ${known.notFollowed}.`, {
      hint: 'Use mirror.',
    });
  if (key.toString() !== known.key.toString())
    throw new OutsideError('config', 'KEY_MISSING', `The shop knows its ${stream} by ${known.key.join(' and ')}.`, {
      hint: `Let the key be ${known.key.join(', ')}.`,
    });
  const missing = fields.find((name) => !known.fields.some((field) => field.name === name));
  if (missing !== undefined) throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing}".`);
}

function positionOf(seq: number): Position {
  return JSON.stringify({ event: seq });
}

function placeOf(position: Position): number {
  try {
    const { event } = JSON.parse(position) as { event?: unknown };
    if (Number.isSafeInteger(event)) return event as number;
  } catch {
    // Not JSON, or null: answered below.
  }
  throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of the feed of the shop.', {
    hint: 'Reset the synchronization.',
  });
}
