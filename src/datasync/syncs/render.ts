import type { Filter } from '../../connectors/contract.ts';
import { shownValue } from '../../connectors/shown-values.ts';
import type { FilterDefinition, SyncDefinition } from '../../engine/definition.ts';
import type { Asking } from '../access/rules.ts';
import { readLag, retainedOf, shownLag } from '../runs/rows/lag.ts';
import { renderRun } from '../runs/rows/run-row.ts';
import { definitionOf, isLive, type StoredDefinition } from '../runs/rows/stored-definition.ts';
import { readVerified } from '../runs/rows/verified.ts';
import { runFor } from '../runs/told/veil.ts';
import { healthOf, type Signs } from './health.ts';
import type { SyncRow, SyncView } from './queries.ts';
import { sizeOfBytes } from './sizes.ts';

/** Streams as people write them: what a boolean field is compared with is `true` or `false`. */
export function shownStreams(streams: SyncDefinition['streams']): SyncDefinition['streams'] {
  return streams.map((stream) => ({ ...stream, filter: stream.filter.map(shownFilter) }));
}

/** A definition as people write it. */
export function shownDefinition(definition: StoredDefinition) {
  return { ...definition, streams: shownStreams(definition.streams), max_retained: sizeOfBytes(definition.max_retained) };
}

function shownFilter({ type, value, ...filter }: FilterDefinition): Filter {
  if (value === undefined) return filter;
  const shown = (one: string): string => (type === undefined ? one : String(shownValue(type, one)));
  return { ...filter, value: typeof value === 'string' ? shown(value) : value.map(shown) };
}

/** A synchronization as the caller may see it: what its runs say of rows of the shop is for those who may read them. */
export function renderSync(asking: Asking, view: SyncView, now: string) {
  const { id, name, status, source_id, target_id, next_run_at, created_at, updated_at } = view;
  const current = view.current && runFor(asking, view.current);
  const last = view.last && runFor(asking, view.last);
  const {
    direction,
    schedule,
    on_reject,
    guard,
    schema_changes,
    structure = 'data',
    on_gap,
    expect_every = null,
    undo = null,
    verify = null,
    ...shown
  } = shownDefinition(definitionOf(view));
  const lag = isLive({ streams: shown.streams }) ? readLag(view.lag) : null;
  const behind = lag && shownLag(lag, Date.parse(now));
  const verified = readVerified(view.verified);
  const { health, code, reason } = healthOf({ ...signsOf(view, now), current, last });
  return {
    id,
    name,
    status,
    source_id,
    target_id,
    direction,
    schedule,
    streams: shown.streams,
    on_reject,
    guard,
    schema_changes,
    structure,
    on_gap,
    max_retained: shown.max_retained,
    expect_every,
    undo,
    verify,
    verified,
    health,
    health_code: code,
    health_reason: reason,
    lag: behind,
    retained: lag && retainedOf(lag, definitionOf(view).max_retained),
    last_run: last ? renderRun(last) : null,
    current_run: current ? renderRun(current) : null,
    next_run_at,
    created_at,
    updated_at,
  };
}

/** What the health of a synchronization is told from. */
export function signsOf(view: SyncView, now: string): Signs {
  const lag = isLive(definitionOf(view)) ? readLag(view.lag) : null;
  return {
    id: view.id,
    status: view.status,
    pauseReason: view.pause_reason,
    nextRunAt: view.next_run_at,
    now,
    current: view.current,
    last: view.last,
    openRejects: view.open_rejects,
    lag: lag && shownLag(lag, Date.parse(now)),
    verified: readVerified(view.verified),
  };
}

/** The same as JSON text for events, without what its runs tell: they have events of their own. */
export function syncJson(row: SyncRow): string {
  const { id, name, status, pause_reason, source_id, target_id, next_run_at, created_at, updated_at } = row;
  const about = { id, name, status, pause_reason, source_id, target_id, next_run_at, created_at, updated_at };
  return JSON.stringify({ ...about, ...shownDefinition(definitionOf(row)) });
}
