import type { Principal } from '../http/scopes.ts';
import { hearsAll } from './access.ts';
import type { AlertView, IncidentRow } from './queries.ts';

/** An alert as a caller may see it. Errors may quote what its channel has answered: they are for those who may hear of what it tells. */
export function renderAlert(caller: Principal, row: AlertView) {
  const {
    id,
    name,
    channel,
    rules,
    sync_ids,
    remind_every,
    quiet_hours,
    sent_at,
    error,
    error_at,
    waiting,
    version,
    created_at,
    updated_at,
  } = row;
  const isFailing = error !== null && (sent_at === null || (error_at ?? '') > sent_at);
  const status = isFailing ? ('failing' as const) : sent_at === null ? ('unused' as const) : ('ok' as const);
  const about = { id, name, channel, rules, sync_ids, remind_every, quiet_hours };
  return { ...about, status, error: hearsAll(caller, row) ? error : null, error_at, sent_at, waiting, version, created_at, updated_at };
}

/** The same for everybody, as JSON text, without how it fares: the data of its events. */
export function alertJson(row: AlertView): string {
  const { id, name, channel, rules, sync_ids, remind_every, quiet_hours, version, created_at, updated_at } = row;
  const about = JSON.stringify({ id, name, remind_every, version, created_at, updated_at });
  return `${about.slice(0, -1)},"channel":${channel},"rules":${rules},"sync_ids":${sync_ids},"quiet_hours":${quiet_hours}}`;
}

export function incidentJson({ id, rule, object_id, object_name, opened_at, closed_at, summary, ending, details }: IncidentRow): string {
  const about = JSON.stringify({ id, rule, object_id, object_name, opened_at, closed_at, summary, ending });
  return `${about.slice(0, -1)},"details":${details}}`;
}
