import { command, type Connection } from '../../db/database.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import { writesSomething } from '../runs/rows/run-modes.ts';
import { type LagPoint, readLagPoints } from '../runs/rows/lag-points.ts';
import { readLag, shownLag } from '../runs/rows/lag.ts';
import { SYNCS } from '../runs/rows/sync-state.ts';
import { ACTIVE_STATUSES, type RunStatus } from '../runs/rows/transitions.ts';
import { type Ended, endedOf, type Figures, figuresOf, type UnderWay } from './figures.ts';
import { historyOf, historyOfSync } from './history.ts';
import { addSums, noSums, type Summary, type Sums } from './summary.ts';
import { type Span, spanOf, type MetricsWindow } from './window.ts';

export interface SyncFigures extends Figures {
  sync_id: string;
  name: string;
  /** Whether it is live: then `lag_seconds` is how far it is behind its source. */
  live: boolean;
  /** Of its log that the source keeps for it; null when it is not live, or the source does not tell. */
  retained_bytes: number | null;
}

export interface Metrics extends Figures {
  window: MetricsWindow;
  from: string;
  to: string;
  syncs: SyncFigures[];
  series: ({ at: string } & Ended & LagThen)[];
}

/** The largest within a point of the series; of one live synchronization, else null. */
interface LagThen {
  lag_seconds: number | null;
  retained_bytes: number | null;
}

export interface MetricsQuery {
  window: MetricsWindow;
  now: number;
  /** Only this synchronization. */
  syncId: string | undefined;
  /** Names what this service remembers between questions. */
  memory: string;
}

/** How synchronizations did within a window that ends now; undefined when there is no such synchronization. Previews do not count. */
export const measure = command(
  import.meta.url,
  'measure',
  async (db, { window, now, syncId, memory }: MetricsQuery): Promise<Metrics | undefined> => {
    const span = spanOf(window, now);
    const [syncs, underWay] = await Promise.all([findSyncs(db, syncId), countUnderWay(db, syncId)]);
    if (syncId !== undefined && syncs.length === 0) return undefined;
    const known = new Set(syncs.map(({ id }) => id));
    const history = syncId === undefined ? await historyOf(db, span, { memory, syncs: known }) : await historyOfSync(db, span, syncId);

    const each = syncs.map(({ id, name, ...state }): SyncFigures => {
      const { sums, durations } = gather(history, id);
      const lag = state.live === 0 ? null : readLag(state.lag);
      return {
        sync_id: id,
        name,
        live: state.live !== 0,
        retained_bytes: lag?.bytes ?? null,
        ...figuresOf(sums, durations, underWay.get(id) ?? {}, lagOf(state, now)),
      };
    });
    const series = seriesOf(history, span);
    const behind = lagsOver(syncId === undefined ? [] : await readLagPoints(db, syncId, span.from, span.step), span);
    const whole = noSums();
    for (const { sums } of series) addSums(whole, sums);
    const durations = history.flatMap((summary) => [...summary.syncs.values()].flatMap((sync) => sync.durations));
    const lags = each.flatMap(({ lag_seconds }) => lag_seconds ?? []);
    const lag = lags.length === 0 ? null : Math.max(...lags);
    return {
      window,
      from: isoTime(span.from),
      to: isoTime(span.to),
      ...figuresOf(whole, durations, sumUnderWay([...underWay.values()]), lag),
      syncs: each,
      series: series.map(({ at, sums }, place) => ({ at: isoTime(at), ...endedOf(sums), ...lagThen(behind[place]) })),
    };
  },
);

interface SyncState {
  id: string;
  name: string;
  status: string;
  /** When its last successful run began. */
  fresh_at: string | null;
  live: number;
  /** JSON: the Lag that its live runs told last. */
  lag: string | null;
}

function findSyncs(db: Connection, syncId: string | undefined): Promise<SyncState[]> {
  return db.all<SyncState>(sql`
    select id, name, status, (
      select started_at from runs where sync_id = syncs.id and status in ('succeeded', 'partial') and mode in ('run', 'full')
      order by id desc limit 1) as fresh_at, sync_state.live,
      case when sync_state.live <> 0 then (
        select lag from runs where sync_id = syncs.id and live <> 0 order by id desc limit 1) end as lag
    from ${SYNCS} where ${syncId === undefined ? sql`true` : sql`id = ${syncId}`} order by id`);
}

async function countUnderWay(db: Connection, syncId: string | undefined): Promise<Map<string, UnderWay>> {
  const ofSync: Sql = syncId === undefined ? sql`true` : sql`sync_id = ${syncId}`;
  const rows = await db.all<{ sync_id: string; status: RunStatus; n: number }>(sql`
    select sync_id, status, count(*) as n from runs
    where status in (${raw(ACTIVE_STATUSES.map((status) => `'${status}'`).join(', '))}) and ${writesSomething()} and ${ofSync}
    group by sync_id, status`);
  const counts = new Map<string, UnderWay>();
  for (const { sync_id, status, n } of rows) counts.set(sync_id, { ...counts.get(sync_id), [status]: n });
  return counts;
}

function sumUnderWay(counts: readonly UnderWay[]): UnderWay {
  const sum: UnderWay = {};
  for (const count of counts)
    for (const [status, n] of Object.entries(count)) sum[status as RunStatus] = (sum[status as RunStatus] ?? 0) + n;
  return sum;
}

function gather(history: readonly Summary[], syncId: string): { sums: Sums; durations: number[] } {
  const sums = noSums();
  const durations: number[] = [];
  for (const { syncs } of history) {
    const sync = syncs.get(syncId);
    if (!sync) continue;
    addSums(sums, sync.sums);
    durations.push(...sync.durations);
  }
  return { sums, durations };
}

function seriesOf(history: readonly Summary[], { points, from, step }: Span): { at: number; sums: Sums }[] {
  const series = points.map((at) => ({ at, sums: noSums() }));
  for (const { buckets } of history) {
    for (const [at, sums] of buckets) addSums((series[Math.floor((at - from) / step)] as { sums: Sums }).sums, sums);
  }
  return series;
}

function lagsOver(found: readonly LagPoint[], { points, from, step }: Span): LagPoint[][] {
  const over: LagPoint[][] = points.map(() => []);
  for (const point of found) over[Math.floor((Date.parse(point.at) - from) / step)]?.push(point);
  return over;
}

function lagThen(found: readonly LagPoint[] = []): LagThen {
  const bytes = found.flatMap((point) => point.bytes ?? []);
  return {
    lag_seconds: found.length === 0 ? null : Math.max(...found.map(({ lag_ms }) => lag_ms)) / 1000,
    retained_bytes: bytes.length === 0 ? null : Math.max(...bytes),
  };
}

/** Seconds since the last successful run began: so old the target may be. What is live says itself. One that is paused is not meant to be fresh. */
function lagOf({ status, fresh_at, live, lag }: Omit<SyncState, 'id' | 'name'>, now: number): number | null {
  const told = live === 0 ? null : readLag(lag);
  if (told) return status === 'active' ? Math.round(shownLag(told, now).seconds) : null;
  if (status !== 'active' || fresh_at === null) return null;
  return Math.max(0, Math.round((now - Date.parse(fresh_at)) / 1000));
}
