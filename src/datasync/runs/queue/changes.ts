import { typesThat } from '../../../connectors/registry.ts';
import type { ShopRows } from '../../../connectors/shop-streams.ts';
import { list } from '../../../db/bulk.ts';
import type { Connection, Database } from '../../../db/database.ts';
import { raw, sql } from '../../../db/sql.ts';
import type { Clock } from '../../../lib/clock.ts';
import { shopRowsAt } from '../../access/rules.ts';
import type { Agenda } from './agenda.ts';
import { fireChanged } from './fire.ts';
import { SYNCS } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { ACTIVE_STATUSES } from '../rows/transitions.ts';

/** No sooner than this after its last start a synchronization is started again: what comes meanwhile goes together. */
const SHORTEST_PAUSE = 400;
/** While one is behind and cannot be started yet. */
const LOOK_AGAIN = 200;

/** The sources that tell when something has changed. So far only the shop does. */
const TELLING = typesThat(({ abilities }) => abilities.tellsChanges === true);

/** A synchronization that runs when the shop changes. */
interface ShopFollower {
  readonly id: string;
  readonly version: number;
  /** What of the shop it follows; nothing when its schedule is another one. */
  readonly topics: readonly ShopRows[];
  /** How far it has been started for. */
  seen: number;
  startedAt: number;
}

/** Starts synchronizations of the shop's own data when there is news. */
export interface ShopWatch {
  /** Whether any synchronization follows the shop, as far as is known. */
  hasFollowers(): boolean;
  /** Puts runs in the queue for those that are behind; answers in how many milliseconds it is worth another look, if it is. */
  look(agenda: Pick<Agenda, ShopRows | 'syncs'>): Promise<number | undefined>;
}

export function createChangeWatch({ db, clock }: { db: Database; clock: Clock }): ShopWatch {
  let followers = new Map<string, ShopFollower>();
  let following: ShopFollower[] = [];
  /** How many changes of synchronizations there had been when they were listed. */
  let listedAt = -1;
  return {
    hasFollowers: () => following.length > 0,
    look: async (agenda) => {
      const moment = performance.now();
      const changes = agenda.syncs ?? 0;
      if (changes !== listedAt) {
        followers = await readFollowers(db.read, followers);
        following = [...followers.values()].filter(({ topics }) => topics.length > 0);
        listedAt = changes;
      }
      const behind = following
        .map((follower) => ({ follower, seen: follower.topics.reduce((sum, topic) => sum + (agenda[topic] ?? 0), 0) }))
        .filter(({ follower, seen }) => seen > follower.seen);
      if (behind.length === 0) return undefined;
      const rested = behind.filter(({ follower }) => moment - follower.startedAt >= SHORTEST_PAUSE);
      const free = await withoutActiveRun(
        db.read,
        rested.map(({ follower }) => follower.id),
      );
      const changed = rested.filter(({ follower }) => free.has(follower.id));
      if (changed.length === 0) return LOOK_AGAIN;
      const queued = await db.write(fireChanged, {
        now: clock(),
        changed: changed.map(({ follower, seen }) => ({ syncId: follower.id, seen })),
      });
      for (const { follower, seen } of changed) Object.assign(follower, { seen, startedAt: moment });
      // Another node was quicker, or something is different from what we know: look at it before the next time.
      if (queued < changed.length) listedAt = -1;
      return LOOK_AGAIN;
    },
  };
}

/** Only synchronizations that read from a source that tells of its changes are looked at. */
async function readFollowers(db: Connection, known: ReadonlyMap<string, ShopFollower>): Promise<Map<string, ShopFollower>> {
  const rows = await db.all<{ id: string; version: number; seen: number; type: string }>(sql`
    select syncs.id, syncs.version, seen, sources.type from ${SYNCS} join sources on sources.id = syncs.source_id
    where sources.type in ${list(TELLING)} and sync_state.status = 'active' and sync_state.live = 0`);
  const changed = rows.filter(({ id, version }) => known.get(id)?.version !== version);
  const topics = changed.length === 0 ? new Map<string, ShopRows[]>() : await readTopics(db, changed);
  return new Map(
    rows.map((row) => {
      const before = known.get(row.id);
      return [
        row.id,
        { ...row, topics: topics.get(row.id) ?? before?.topics ?? [], startedAt: before?.startedAt ?? Number.NEGATIVE_INFINITY },
      ];
    }),
  );
}

async function readTopics(db: Connection, syncs: readonly { id: string; type: string }[]): Promise<Map<string, ShopRows[]>> {
  const typeOf = new Map(syncs.map(({ id, type }) => [id, type]));
  const rows = await db.all<{ id: string; definition: string }>(
    sql`select id, definition from syncs where id in ${list([...typeOf.keys()])}`,
  );
  return new Map(
    rows.map((row) => {
      const { schedule, streams } = definitionOf(row);
      const topics = streams.flatMap(({ source }) => shopRowsAt(typeOf.get(row.id) ?? '', source) ?? []);
      return [row.id, schedule.type === 'on_change' ? [...new Set(topics)] : []];
    }),
  );
}

async function withoutActiveRun(db: Connection, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const active = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
  const rows = await db.all<{ sync_id: string }>(sql`
    select sync_id from runs where sync_id in ${list(ids)} and ${raw(`status in (${active})`)}`);
  const busy = new Set(rows.map(({ sync_id }) => sync_id));
  return new Set(ids.filter((id) => !busy.has(id)));
}
