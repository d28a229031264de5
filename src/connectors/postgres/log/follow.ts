import { setTimeout as pause } from 'node:timers/promises';
import type { ChangeSet, Following, LogRequest } from '../../changes.ts';
import { everyTick } from '../../../lib/ticks.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import { findStream } from '../catalogue/relations.ts';
import { parseStreamName } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';
import { WalFollower, type WalFollowerPorts, startCommand } from './follower.ts';
import { GATHERED_EARLY, isCommitted, isWorthEarly, TAKEN_BACK } from './early.ts';
import { canCompute, compute } from './generated.ts';
import { publicationChanged } from './gaps.ts';
import { lookUp } from './look-up.ts';
import { type WalPlace, namesFor } from './place.ts';
import { type WalPosition, parsePosition } from './position.ts';
import { demandPrimary } from './prepared.ts';
import { demandEntries, demandPublished, noteNewParts, type Publication, type PublishedStream, publishedNow } from './publication.ts';
import { demandServer, logServer } from './server.ts';
import { type RowShape, shapeOf } from './shape.ts';
import { demandSlot, endReader, findSlot } from './slot.ts';
import { together } from './together.ts';
import type { UnfinishedRow } from './translator.ts';
import { openWalsender } from './walsender.ts';

/** How often it is looked at what the log does not tell: the slot and the publication. A gap has to be known within a minute. */
const WATCH_EVERY = 20_000;

/** Those that are followed in the same moment are looked at by one query. */
const publishedTogether = together(publishedNow);

/** So long we look for who has taken our place. */
const TAKEN_WITHIN = 3000;

export function follow(place: WalPlace, request: LogRequest, after: WalPosition, milestones: readonly WalPosition[]): Following {
  const { slot, publication } = namesFor(place, request.owner);
  const oids = new Map<string, number>();
  let follower: WalFollower | undefined;
  let reader = '';
  let tables: readonly PublishedStream[] = [];
  const use = <Result>(work: (link: Link) => Promise<Result>): Promise<Result> => place.links.use('read', request.signal, work);

  const find = (stream: number): string => [...oids].find(([, index]) => index === stream)?.[0] ?? '0';
  const ports: WalFollowerPorts = {
    isWhole: (stream, parts) => use((link) => isWhole(link, find(stream), parts)),
    diagnose: () =>
      use(async (link) => {
        const now = await findSlot(link, slot);
        await demandSlot(link, slot, now?.confirmed ?? 0n);
        await demandPublished(link, publication, tables);
      }),
    learn: (relation) =>
      use(async (link) => {
        const oid = await streamTable(link, String(relation.relation), oids);
        const index = oids.get(oid);
        const stream = request.streams[index ?? -1];
        if (!stream || index === undefined) return null;
        return shapeOf(link, { stream, index, oid }, relation).catch((error: unknown) => {
          if (error instanceof OutsideError && error.kind === 'config') return { stream: index, error };
          throw error;
        });
      }),
    finish: (rows) => use((link) => finish(link, rows, (stream) => find(stream), request)),
    isCommitted: (transaction) => use((link) => isCommitted(link, transaction)),
    askedEnd: () => place.askedEnd,
    isTaken: async () => {
      // The other one can begin only now that we have let go.
      const deadline = performance.now() + TAKEN_WITHIN;
      do {
        const now = await use((link) => findSlot(link, slot));
        if (!now) return false;
        if (now.reader !== null && now.reader !== reader) return true;
        await pause(50);
      } while (performance.now() < deadline);
      return false;
    },
  };

  const start = async (): Promise<WalFollower> => {
    const { server, followed } = await use(async (link) => {
      await demandPrimary(link);
      await demandSlot(link, slot, after.lsn);
      const known = await tablesOf(place, link, request, publication);
      await demandPublished(link, publication, known);
      await endReader(link, slot, request.signal);
      // The one before may have confirmed more in its last moment.
      await demandSlot(link, slot, after.lsn);
      return { server: await logServer(link), followed: known };
    });
    tables = followed;
    for (const [index, { relation }] of followed.entries()) oids.set(relation.oid, index);
    const walsender = await openWalsender(place.config, place.context, request.signal);
    try {
      await demandServer(server, after, walsender);
      const [pid] = await walsender.query('select pg_backend_pid()::text as pid');
      reader = pid?.['pid'] ?? '';
      const isEarly = place.mayTellEarly && isWorthEarly(server, after, milestones);
      if (isEarly) await walsender.query(GATHERED_EARLY);
      const start = startCommand(slot, publication.name, after.lsn, isEarly);
      return new WalFollower(walsender, { start, request, server, after, milestones }, ports);
    } catch (error) {
      walsender.destroy();
      throw error;
    }
  };

  /** Looks at the publication. The slot cannot get lost while someone reads from it. */
  const watch = async (): Promise<void> => {
    const { hasNewParts } = publication.isOurs
      ? demandEntries(publication, (await publishedTogether(place, publication.name)).get(publication.name), tables)
      : await use((link) => demandPublished(link, publication, tables));
    if (hasNewParts) await place.links.use('write', request.signal, (link) => noteNewParts(link, publication.name));
  };

  async function* sets(): AsyncGenerator<ChangeSet, void> {
    const stop = (): void => follower?.fail(aborted());
    const signals = [place.context.signal, place.closed, ...(request.signal ? [request.signal] : [])];
    let stopWatching: (() => void) | undefined;
    let isWatching = false;
    try {
      follower = await start();
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      if (signals.some((signal) => signal.aborted)) throw aborted();
      stopWatching = everyTick(WATCH_EVERY, () => {
        if (isWatching) return;
        isWatching = true;
        watch()
          // What passes is not ours to judge: the feed itself tells when the server is away.
          .catch((error: unknown) => (error instanceof OutsideError && error.kind === 'gap' ? follower?.fail(error) : undefined))
          .finally(() => {
            isWatching = false;
          });
      });
      for (;;) yield await follower.next();
    } catch (error) {
      if (signals.some((signal) => signal.aborted)) throw aborted();
      if (error instanceof OutsideError && error.code === TAKEN_BACK) place.mayTellEarly = false;
      throw error;
    } finally {
      stopWatching?.();
      for (const signal of signals) signal.removeEventListener('abort', stop);
      follower?.close();
    }
  }

  return {
    [Symbol.asyncIterator]: sets,
    readsAhead: true,
    acknowledge: (position) => follower?.acknowledge(parsePosition(position).lsn),
    lookUp: (stream, keys, fields) => use((link) => lookUp(link, find(stream), fields, request.streams[stream]?.key ?? [], keys)),
  };
}

/** The tables of the streams. One that is not there any more was dropped or renamed, and its changes with it. */
async function tablesOf(place: WalPlace, link: Link, { streams }: LogRequest, publication: Publication): Promise<PublishedStream[]> {
  const followed: PublishedStream[] = [];
  const gone: string[] = [];
  for (const stream of streams) {
    const relation = await findStream(link, parseStreamName(stream.stream, place.home));
    if (relation) followed.push({ stream, relation });
    else gone.push(stream.stream);
  }
  if (gone.length > 0)
    throw publicationChanged(publication.name, `the table of ${gone.map((name) => `"${name}"`).join(', ')} was dropped or renamed.`, gone);
  return followed;
}

/** The table that is a stream, when a part of it is told of. */
async function streamTable(link: Link, oid: string, oids: ReadonlyMap<string, number>): Promise<string> {
  if (oids.has(oid)) return oid;
  const [row] = await link.query(
    'select pg_catalog.pg_partition_root(c.oid)::oid::text as root from pg_catalog.pg_class c where c.oid = $1::oid',
    [oid],
  );
  return row?.['root'] ?? oid;
}

/** Whether these are all the parts that a table has. */
async function isWhole(link: Link, oid: string, parts: readonly number[]): Promise<boolean> {
  const others = await link.query(
    `select t.relid::oid::text as part from pg_catalog.pg_partition_tree($1::oid::regclass) t join pg_catalog.pg_class c on c.oid = t.relid
     where c.relkind = 'r' and not t.relid::oid = any(array(select json_array_elements_text($2::json)::oid))`,
    [oid, JSON.stringify(parts)],
  );
  return others.length === 0;
}

/** Fills in columns that the server computes. Where the log has left out what they are computed of, as they are now. */
async function finish(
  link: Link,
  rows: readonly UnfinishedRow[],
  oidOf: (stream: number) => string,
  { streams }: LogRequest,
): Promise<void> {
  for (const [shape, all] of Map.groupBy(rows, ({ shape }) => shape)) {
    const { computed } = shape;
    if (!computed) continue;
    const at = computed.columns.map(({ name }) => shape.fields.findIndex((field) => field.name === name));
    const known = all.filter(({ row }) => canCompute(computed, row));
    const values =
      known.length > 0
        ? await compute(
            link,
            computed,
            known.map(({ row }) => row),
          )
        : [];
    for (const [index, { row }] of known.entries())
      for (const [column, place] of at.entries()) row[place] = values[index]?.[column] ?? null;
    const others = all.filter((one) => !known.includes(one));
    if (others.length > 0) await fillFromNow(link, shape, others, at, oidOf(shape.stream), streams[shape.stream]?.key ?? []);
    for (const { row } of all) row.length = shape.fields.length;
  }
}

async function fillFromNow(
  link: Link,
  shape: RowShape,
  rows: readonly UnfinishedRow[],
  at: readonly number[],
  oid: string,
  key: readonly string[],
): Promise<void> {
  const keyOf = (row: UnfinishedRow['row']): (string | null)[] => shape.keyAt.map((place) => row[place] ?? null);
  const names = [...key, ...at.map((place) => shape.fields[place]?.name ?? '')];
  const found = await lookUp(
    link,
    oid,
    names,
    key,
    rows.map(({ row }) => keyOf(row)),
  );
  const byKey = new Map(found.map((values) => [JSON.stringify(values.slice(0, key.length)), values.slice(key.length)]));
  for (const { row } of rows) {
    const values = byKey.get(JSON.stringify(keyOf(row)));
    for (const [column, place] of at.entries()) row[place] = values?.[column] ?? null;
  }
}
