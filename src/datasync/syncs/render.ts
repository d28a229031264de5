import type { Filter } from '../../connectors/contract.ts';
import { shownValue } from '../../connectors/shown-values.ts';
import type { FilterDefinition, SyncDefinition } from '../../engine/definition.ts';
import type { Asking } from '../access/rules.ts';
import { renderRun } from '../runs/rows/run-row.ts';
import type { StoredDefinition } from '../runs/rows/stored-definition.ts';
import { runFor } from '../runs/told/veil.ts';
import { healthOf } from './health.ts';
import type { SyncRow, SyncView } from './queries.ts';

export function definitionOf({ definition }: Pick<SyncRow, 'definition'>): StoredDefinition {
  return JSON.parse(definition) as StoredDefinition;
}

/** Streams as people write them: what a boolean field is compared with is `true` or `false`. */
export function shownStreams(streams: SyncDefinition['streams']): SyncDefinition['streams'] {
  return streams.map((stream) => ({ ...stream, filter: stream.filter.map(shownFilter) }));
}

function shownFilter({ type, value, ...filter }: FilterDefinition): Filter {
  if (value === undefined) return filter;
  const shown = (one: string): string => (type === undefined ? one : String(shownValue(type, one)));
  return { ...filter, value: typeof value === 'string' ? shown(value) : value.map(shown) };
}

/** A synchronization as the caller may see it: what its runs say of rows of the shop is for those who may read them. */
export function renderSync(asking: Asking, view: SyncView, now: string) {
  const { id, name, status, source_id, target_id, next_run_at, created_at, updated_at, open_rejects } = view;
  const current = view.current && runFor(asking, view.current);
  const last = view.last && runFor(asking, view.last);
  const { direction, schedule, streams, on_reject, guard, schema_changes, expect_every = null } = definitionOf(view);
  const { health, reason } = healthOf({
    id,
    status,
    pauseReason: view.pause_reason,
    nextRunAt: next_run_at,
    now,
    current,
    last,
    openRejects: open_rejects,
  });
  return {
    id,
    name,
    status,
    source_id,
    target_id,
    direction,
    schedule,
    streams: shownStreams(streams),
    on_reject,
    guard,
    schema_changes,
    expect_every,
    health,
    health_reason: reason,
    last_run: last ? renderRun(last) : null,
    current_run: current ? renderRun(current) : null,
    next_run_at,
    created_at,
    updated_at,
  };
}

/** The same as JSON text for events, without what its runs tell: they have events of their own. */
export function syncJson(row: SyncRow): string {
  const { id, name, status, pause_reason, source_id, target_id, next_run_at, created_at, updated_at } = row;
  const about = { id, name, status, pause_reason, source_id, target_id, next_run_at, created_at, updated_at };
  const definition = definitionOf(row);
  return JSON.stringify({ ...about, ...definition, streams: shownStreams(definition.streams) });
}
